import { type ISignal, Signal } from '@lumino/signaling';

import type { HintsClient } from '../client';
import type { IKernelLink } from '../kernel';
import type { LineShape, TraceRequest, TraceResponse } from '../protocol';
import type { HintSettings } from '../settings/model';
import type { IHintDocument, IHintsChange, IHostChange } from '../tokens';
import { TraceCarrier } from './carrier';
import { TraceResults } from './results';
import type { TraceSwitches } from './switches';

const AFTER_EDIT = 700;
const AFTER_IDLE = 300;
/** How often a kernel that seems idle is asked again when it was not. */
const MOST_MISSES = 5;
/** How often in a kernel's life a trace that ran out of time is asked for again. */
const MOST_TIMEOUTS = 2;

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
    private readonly _settings: HintSettings,
    private readonly _switches: TraceSwitches
  ) {
    this._carrier = new TraceCarrier(_client, kernel);
    const { host } = document;
    const { trace, shapes } = _switches.of(host.name);
    this._isOn = trace;
    this._shapesOn = shapes;
    host.changed.connect(this._onHost, this);
    host.disposed.connect(this.dispose, this);
    kernel.changed.connect(this._onKernel, this);
    kernel.restarted.connect(this._onRestarted, this);
    kernel.executed.connect(this._onExecuted, this);
    if (trace) {
      this._wish(this._cellIds(), AFTER_IDLE);
    }
  }

  get changed(): ISignal<this, IHintsChange> {
    return this._changed;
  }

  get isOn(): boolean {
    return this._isOn;
  }

  get shapesOn(): boolean {
    return this._shapesOn;
  }

  get isExplained(): boolean {
    return this._switches.isExplained;
  }

  get standing(): TraceStanding {
    return this._isOn ? this._standing : 'off';
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
    return this._wanted.size > 0 || this._abort !== null;
  }

  get isAsking(): boolean {
    return this._abort !== null;
  }

  /** The shapes of a cell while its text is the one that was traced. */
  shapes(cell: string): readonly LineShape[] {
    return this._isOn && this._shapesOn
      ? this._results.shapes(cell, this.document.host.text(cell))
      : [];
  }

  setOn(isOn: boolean): void {
    this._isOn = isOn;
    this._keepChoice();
    if (isOn) {
      this._switches.setExplained();
      this._wish(this._cellIds(), 0);
    } else {
      this._forget();
    }
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
    this._wanted.clear();
    this._stand('interrupted', '');
  }

  dispose(): void {
    this._isDisposed = true;
    this._stopTimer();
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
    if (this._isOn) {
      const fresh = this._cellIds().filter(id => !this._results.has(id));
      this._wish([...this._pending(), ...fresh, cell], AFTER_IDLE);
    }
  }

  /** The kernel's own changes ask nothing: a trace makes it busy and idle too. */
  private _onKernel(): void {
    if (this._isOn && this._wanted.size > 0 && !this._abort) {
      this._wish([], AFTER_IDLE);
    }
  }

  private _onRestarted(): void {
    this._executed = null;
    this._timeouts = 0;
    if (!this._isOn) {
      return;
    }
    this._forget();
    this._stand('kernel restarted', '');
    this._wish(this._cellIds(), AFTER_IDLE);
  }

  /** Cells that have not run with the text they have. */
  private _pending(): string[] {
    const ran = new Set(this.kernel.ran());
    return this._cellIds().filter(id => !ran.has(id));
  }

  private _cellIds(): string[] {
    return this.document.host.cells().map(({ id }) => id);
  }

  /** Remembers which cells are to be traced, and looks a while later whether they can be. */
  private _wish(cells: string[], delay: number): void {
    cells.forEach(cell => this._wanted.add(cell));
    this._stopTimer();
    this._timer = window.setTimeout(() => {
      this._timer = null;
      void this._look();
    }, delay);
    this._changed.emit({ cells: [] });
  }

  private async _look(): Promise<void> {
    if (this._abort || this._isDisposed || !this._isOn || !this._isReady()) {
      return;
    }
    const targets = this._cellIds().filter(id => this._wanted.has(id));
    this._wanted.clear();
    if (targets.length > 0) {
      await this._ask('trace', targets);
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

  private async _ask(action: Action, targets: string[]): Promise<void> {
    const abort = new AbortController();
    this._abort = abort;
    this._stand('tracing', '');
    const request = this._request(action, targets);
    try {
      const answer = await this._carrier.ask(request, abort.signal);
      if (!abort.signal.aborted && this._isOn && answer) {
        this._accept(request, answer);
        await this.document.refresh();
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
      // The server's word on the kernel may lag behind; this is no timer, so it ends.
      if (this._wanted.size > 0 && this._misses < MOST_MISSES) {
        this._wish([], AFTER_IDLE * 2 ** this._misses);
      }
    }
  }

  private _request(action: Action, targets: string[]): TraceRequest {
    const { host } = this.document;
    const ran = this.kernel.ran();
    return {
      notebook: host.name,
      action,
      kernel: this.kernel.id,
      cells: host.cells().map(({ id, text }) => ({ id, text })),
      targets,
      ran,
      executed: ran.find(id => id === this._executed) ?? null,
      settings: this._settings.merged(host.settings())
    };
  }

  private _accept(request: TraceRequest, answer: TraceResponse): void {
    this._results.accept(request, answer);
    if (answer.state === 'kernel busy' || answer.state === 'aborted') {
      request.targets?.forEach(cell => this._wanted.add(cell));
      this._misses += 1;
    } else if (this._isColdTimeout(request, answer)) {
      request.targets?.forEach(cell => this._wanted.add(cell));
      this._timeouts += 1;
    } else {
      this._misses = 0;
    }
    const why = answer.why || answer.cells.find(cell => cell.why)?.why;
    this._stand(answer.state, why ?? '');
    this._emitAll();
  }

  /** The first traces of a process are slow: what ran out of time goes on from where JAX's caches are now. */
  private _isColdTimeout(
    { action }: TraceRequest,
    { state }: TraceResponse
  ): boolean {
    const isTimeout = action === 'trace' && state === 'timed out';
    return isTimeout && this._timeouts < MOST_TIMEOUTS;
  }

  private _stand(standing: TraceStanding, why: string): void {
    this._standing = standing;
    this._why = why;
    this._changed.emit({ cells: [] });
  }

  /** What was known goes, here and on the server, and with it the hints that came of it. */
  private _forget(): void {
    this._stopTimer();
    this._abort?.abort();
    this._abort = null;
    this._wanted.clear();
    this._results = new TraceResults();
    this._emitAll();
    const { name } = this.document.host;
    this._client
      .trace({ notebook: name, action: 'forget' })
      .then(() => this.document.refresh())
      .catch(reason => console.warn('jaxhints: not forgotten', reason));
  }

  private _keepChoice(): void {
    this._switches.set(this.document.host.name, {
      trace: this._isOn,
      shapes: this._shapesOn
    });
    this._changed.emit({ cells: [] });
  }

  private _emitAll(): void {
    this._changed.emit({ cells: this._cellIds() });
  }

  private _stopTimer(): void {
    if (this._timer !== null) {
      window.clearTimeout(this._timer);
      this._timer = null;
    }
  }

  private _isOn: boolean;
  private _shapesOn: boolean;
  private _standing: TraceStanding = 'waiting';
  private _why = '';
  private _results = new TraceResults();
  private _misses = 0;
  private _timeouts = 0;
  private _executed: string | null = null;
  private readonly _carrier: TraceCarrier;
  private readonly _wanted = new Set<string>();
  private _timer: number | null = null;
  private _abort: AbortController | null = null;
  private _isDisposed = false;
  private readonly _changed = new Signal<this, IHintsChange>(this);
}
