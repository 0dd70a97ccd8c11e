import { type ISignal, Signal } from '@lumino/signaling';

import type { HintsClient } from '../client';
import type { IKernelLink } from '../kernel';
import type {
  LineShape,
  NameFact,
  TraceRequest,
  TraceResponse
} from '../protocol';
import type { HintSettings } from '../settings/model';
import type { IHintDocument, IHintsChange, IHostChange } from '../tokens';
import { TraceCarrier } from './carrier';
import { TraceRequests } from './requests';
import { TraceResults } from './results';
import type { TraceSwitches } from './switches';
import { AFTER_EDIT, AFTER_IDLE, Wishes } from './wishes';

type Action = TraceRequest['action'];

/** Where the trace of a notebook stands. */
export type TraceStanding =
  | TraceResponse['state']
  | 'off'
  | 'untrusted'
  | 'waiting'
  | 'tracing'
  | 'server missing';

/** The live trace of one notebook: when to ask the kernel, one request at a time, and what it told. */
export class TraceModel {
  constructor(
    readonly document: IHintDocument,
    readonly kernel: IKernelLink,
    private readonly _client: Pick<HintsClient, 'trace'>,
    settings: HintSettings,
    private readonly _switches: TraceSwitches
  ) {
    this._carrier = new TraceCarrier(_client, kernel);
    const { host } = document;
    this._requests = new TraceRequests(host, kernel, settings);
    const { facts, trace, shapes } = _switches.of(host.name);
    this._factsOn = facts;
    this._isOn = trace;
    this._shapesOn = shapes;
    host.changed.connect(this._onHost, this);
    host.disposed.connect(this.dispose, this);
    kernel.changed.connect(this._onKernel, this);
    kernel.restarted.connect(this._onRestarted, this);
    kernel.executed.connect(this._onExecuted, this);
    if (facts) {
      this._wishAll(AFTER_IDLE);
    }
  }

  get changed(): ISignal<this, IHintsChange> {
    return this._changed;
  }

  /** Whether cells are traced. */
  get isOn(): boolean {
    return this._isOn;
  }

  /** Whether the kernel is asked what it knows of itself and of names; so it is wherever cells are traced. */
  get factsOn(): boolean {
    return this._factsOn;
  }

  get shapesOn(): boolean {
    return this._shapesOn;
  }

  get isExplained(): boolean {
    return this._switches.isExplained;
  }

  get standing(): TraceStanding {
    return this._factsOn ? this._standing : 'off';
  }

  /** The reason of the standing, in plain words. */
  get why(): string {
    return this._why;
  }

  /** What the kernel told so far. */
  get results(): TraceResults {
    return this._results;
  }

  /** True while what is shown is older than the notebook or the kernel. */
  get isStale(): boolean {
    return this._wishes.cells.size > 0 || this._abort !== null;
  }

  get isAsking(): boolean {
    return this._abort !== null;
  }

  /** The shapes of a cell while its text is the one that was traced. */
  shapes(cell: string): readonly LineShape[] {
    return this._isOn && this._shapesOn ? this.typed(cell) : [];
  }

  /** The types of names by line, as a trace of the cell's present text saw them. */
  typed(cell: string): readonly LineShape[] {
    return this._isOn
      ? this._results.shapes(cell, this.document.host.text(cell))
      : [];
  }

  /** What the kernel holds under a global name: asked for once, until something runs in the kernel. */
  async fact(name: string): Promise<NameFact | null> {
    const isFree = this.kernel.isTrusted && this.kernel.status === 'idle';
    if (this._factsOn && !this._results.names.has(name) && isFree) {
      if (!this._abort) {
        await this._ask('facts', [], name);
      }
    }
    return this._factsOn ? this._results.names.get(name) : null;
  }

  /** Traces the notebook's cells, or does so no more; the facts stay. */
  setOn(isOn: boolean): void {
    if (isOn) {
      this._switches.setExplained();
    }
    this._switch(this._factsOn || isOn, isOn);
  }

  /** Without facts there is no trace either. */
  setFacts(factsOn: boolean): void {
    this._switch(factsOn, factsOn && this._isOn);
  }

  setShapes(shapesOn: boolean): void {
    this._shapesOn = shapesOn;
    this._keepChoice();
    this._emitAll();
  }

  /** Asks for a check of one cell on the device. */
  async check(action: 'memory' | 'nan', cell: string): Promise<void> {
    this._results.remark = '';
    if (this._isReady() && !this._abort) {
      await this._ask(action, [cell]);
    }
  }

  /** Gives up waiting for an answer; the kernel ends the trace at its limit. */
  cancel(): void {
    this._abort?.abort();
    this._wishes.cells.clear();
    this._stand('interrupted', '');
  }

  dispose(): void {
    this._isDisposed = true;
    this._wishes.stop();
    this._abort?.abort();
    Signal.clearData(this);
  }

  private _onHost(_: unknown, change: IHostChange): void {
    if (this._isOn && (change.kind === 'text' || change.kind === 'cells')) {
      this._wish(this._pending(), AFTER_EDIT);
    }
  }

  private _onExecuted(_: unknown, cell: string): void {
    this._executed = cell;
    this._results.names.drop();
    if (this._isOn) {
      const fresh = this._cellIds().filter(id => !this._results.has(id));
      this._wish([...this._pending(), ...fresh, cell], AFTER_IDLE);
    } else if (this._factsOn) {
      this._wishAll(AFTER_IDLE);
    }
  }

  /** The kernel's own changes ask nothing: a trace makes it busy and idle too. */
  private _onKernel(): void {
    if (this._abort) {
      return;
    }
    if (this.kernel.status === 'busy') {
      // Something runs that may be no cell of this notebook.
      this._results.names.drop();
    }
    if (!this._wishes.isEmpty) {
      this._wish([], AFTER_IDLE);
    }
  }

  private _onRestarted(): void {
    this._executed = null;
    this._wishes.restart();
    if (!this._factsOn) {
      return;
    }
    this._forget();
    this._stand('kernel restarted', '');
    this._wishAll(AFTER_IDLE);
  }

  private _switch(factsOn: boolean, isOn: boolean): void {
    const wasOn = this._isOn;
    this._factsOn = factsOn;
    this._isOn = isOn;
    this._keepChoice();
    if (!factsOn || (wasOn && !isOn)) {
      this._forget();
    }
    if (factsOn) {
      this._wishAll(0);
    }
  }

  /** Cells that have not run with the text they have. */
  private _pending(): string[] {
    const ran = new Set(this.kernel.ran());
    return this._cellIds().filter(id => !ran.has(id));
  }

  private _cellIds(): string[] {
    return this.document.host.cells().map(({ id }) => id);
  }

  /** Wishes for everything that is switched on. */
  private _wishAll(delay: number): void {
    this._wishes.facts = true;
    this._wish(this._isOn ? this._cellIds() : [], delay);
  }

  /** Remembers which cells are to be traced, and looks a while later whether they can be. */
  private _wish(cells: string[], delay: number): void {
    this._wishes.wish(cells, delay);
    this._changed.emit({ cells: [] });
  }

  private async _look(): Promise<void> {
    if (this._abort || this._isDisposed || !this._factsOn || !this._isReady()) {
      return;
    }
    const targets = this._wishes.take(this._cellIds());
    if (targets.length > 0) {
      await this._ask('trace', targets);
    } else if (this._wishes.facts) {
      await this._ask('facts', []);
    }
  }

  /** Whether the kernel may be asked now; else the standing says why not, and the wishes stay. */
  private _isReady(): boolean {
    if (!this.kernel.isTrusted) {
      this._stand('untrusted', '');
    } else if (this.kernel.status === 'none') {
      this._stand('no kernel', '');
    } else if (this.kernel.status === 'busy') {
      this._stand('kernel busy', '');
    } else {
      return true;
    }
    return false;
  }

  /** `name` is asked for even where the notebook has more names than a request. */
  private async _ask(
    action: Action,
    targets: string[],
    name = ''
  ): Promise<void> {
    const abort = new AbortController();
    this._abort = abort;
    this._wishes.facts = false;
    if (action !== 'facts') {
      this._stand('tracing', '');
    }
    const request =
      action === 'facts'
        ? this._requests.facts(name)
        : this._requests.cells(action, targets, this._executed);
    try {
      const answer = await this._carrier.ask(request, abort.signal);
      if (!abort.signal.aborted && this._factsOn && answer) {
        this._accept(request, answer);
        if (action !== 'facts') {
          await this.document.refresh();
        }
      }
    } catch (error) {
      if (!abort.signal.aborted) {
        this._stand('server missing', String((error as Error).message));
      }
    } finally {
      if (this._abort === abort) {
        this._abort = null;
      }
      this._changed.emit({ cells: [] });
      this._wishes.goOn();
    }
  }

  private _accept(request: TraceRequest, answer: TraceResponse): void {
    this._results.accept(request, answer);
    this.document.jaxVersion = this._results.facts?.jax ?? null;
    this._wishes.accept(request, answer);
    if (request.action === 'facts' && this._isOn) {
      return; // Asked for by the pointer: the last trace is what stands.
    }
    const why = answer.why || answer.cells.find(cell => cell.why)?.why;
    this._stand(answer.state, why ?? '');
    this._emitAll();
  }

  private _stand(standing: TraceStanding, why: string): void {
    this._standing = standing;
    this._why = why;
    this._changed.emit({ cells: [] });
  }

  /** What was known goes, here and on the server, and with it the hints that came of it. */
  private _forget(): void {
    this._wishes.clear();
    this._abort?.abort();
    this._abort = null;
    this._results = new TraceResults();
    this.document.jaxVersion = null;
    this._emitAll();
    const { name } = this.document.host;
    this._client
      .trace({ notebook: name, action: 'forget' })
      .then(() => this.document.refresh())
      .catch(reason => console.warn('jaxhints: not forgotten', reason));
  }

  private _keepChoice(): void {
    this._switches.set(this.document.host.name, {
      facts: this._factsOn,
      trace: this._isOn,
      shapes: this._shapesOn
    });
    this._changed.emit({ cells: [] });
  }

  private _emitAll(): void {
    this._changed.emit({ cells: this._cellIds() });
  }

  private _factsOn: boolean;
  private _isOn: boolean;
  private _shapesOn: boolean;
  private _standing: TraceStanding = 'waiting';
  private _why = '';
  private _results = new TraceResults();
  private _executed: string | null = null;
  private readonly _carrier: TraceCarrier;
  private readonly _requests: TraceRequests;
  private readonly _wishes = new Wishes(() => void this._look());
  private _abort: AbortController | null = null;
  private _isDisposed = false;
  private readonly _changed = new Signal<this, IHintsChange>(this);
}
