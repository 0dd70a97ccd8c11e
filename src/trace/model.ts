import { type ISignal, Signal } from '@lumino/signaling';

import type { HintsClient } from '../client';
import type { IKernelLink } from '../kernel';
import type {
  Diagnostic,
  Fix,
  LineShape,
  NameFact,
  TraceRequest,
  TraceResponse
} from '../protocol';
import type { HintSettings } from '../settings/model';
import type { IHintDocument, IHintsChange, IHostChange } from '../tokens';
import { isUnseen, TraceAsker, type TraceStanding } from './asker';
import { TraceCarrier } from './carrier';
import { fixesIn } from './fixes';
import { TraceRequests } from './requests';
import { TraceResults } from './results';
import type { IChoice, TraceSwitches } from './switches';
import { AFTER_EDIT, AFTER_IDLE, Wishes } from './wishes';

/** The live trace of one notebook: when to ask the kernel, one request at a time, and what it told. */
export class TraceModel {
  constructor(
    readonly document: IHintDocument,
    readonly kernel: IKernelLink,
    client: Pick<HintsClient, 'trace'>,
    settings: HintSettings,
    private readonly _switches: TraceSwitches
  ) {
    this._asker = new TraceAsker(new TraceCarrier(client, kernel), kernel);
    this._asker.changed.connect(() => this._changed.emit({ cells: [] }));
    const { host } = document;
    this._requests = new TraceRequests(host, kernel, settings);
    this._choice = _switches.of(host.name);
    host.changed.connect(this._onHost, this);
    host.disposed.connect(this.dispose, this);
    kernel.changed.connect(this._onKernel, this);
    kernel.restarted.connect(this._onRestarted, this);
    kernel.executed.connect(this._onExecuted, this);
    if (this.factsOn) {
      this._wishAll(AFTER_IDLE);
    }
  }

  get changed(): ISignal<this, IHintsChange> {
    return this._changed;
  }

  /** Whether cells are traced. */
  get isOn(): boolean {
    return this._choice.trace;
  }

  /** Whether the kernel is asked what it knows of itself and of names; so it is wherever cells are traced. */
  get factsOn(): boolean {
    return this._choice.facts;
  }

  get shapesOn(): boolean {
    return this._choice.shapes;
  }

  get isExplained(): boolean {
    return this._switches.isExplained;
  }

  get standing(): TraceStanding {
    return this.factsOn ? this._asker.standing : 'off';
  }

  /** The reason of the standing, in plain words. */
  get why(): string {
    return this._asker.why;
  }

  /** What the kernel told so far. */
  get results(): TraceResults {
    return this._results;
  }

  /** True while what is shown is older than the notebook or the kernel. */
  get isStale(): boolean {
    return this._wishes.cells.size > 0 || this.standing === 'tracing';
  }

  get isAsking(): boolean {
    return this._asker.isAsking;
  }

  /** The shapes of a cell while its text is the one that was traced. */
  shapes(cell: string): readonly LineShape[] {
    return this.isOn && this.shapesOn ? this.typed(cell) : [];
  }

  /** The types of names by line, as a trace of the cell's present text saw them. */
  typed(cell: string): readonly LineShape[] {
    return this.isOn
      ? this._results.shapes(cell, this.document.host.text(cell))
      : [];
  }

  /** What the kernel holds under a global name: asked for once, until something runs in the kernel. */
  async fact(name: string): Promise<NameFact | null> {
    const isFree = this.kernel.isTrusted && this.kernel.status === 'idle';
    const isOpen = this.factsOn && !this._results.names.has(name);
    if (isOpen && this._isConcerned && isFree && !this.isAsking) {
      await this._ask(this._requests.facts(name));
    }
    return this.factsOn ? this._results.names.get(name) : null;
  }

  /** Traces the notebook's cells, or does so no more; the facts stay. */
  setOn(isOn: boolean): void {
    if (isOn) {
      this._switches.setExplained();
    }
    this._switch(this.factsOn || isOn, isOn);
  }

  /** Without facts there is no trace either. */
  setFacts(factsOn: boolean): void {
    this._switch(factsOn, factsOn && this.isOn);
  }

  setShapes(shapesOn: boolean): void {
    this._choose({ shapes: shapesOn });
    this._emitAll();
  }

  /** Asks for a check of one cell on the device. */
  async check(action: 'memory' | 'nan', cell: string): Promise<void> {
    await this._ask(this._requests.cells(action, [cell]), true);
  }

  /** Runs the text as it is and with a fix on the real values; null where the hint's cell was not traced. */
  comparer({ cell, rule }: Diagnostic): ((fix: Fix) => Promise<string>) | null {
    const text = this.document.host.text(cell);
    if (!this.isOn || !this._results.isTraced(cell, text)) {
      return null;
    }
    return async fix => {
      await this._ask(this._requests.fixes('compare', [{ rule, fix }]), true);
      const { remark } = this._results;
      this._results.remark = remark && `${fix.title}: ${remark}`;
      this._changed.emit({ cells: [] });
      return remark;
    };
  }

  /** Gives up waiting for an answer; the kernel ends the trace at its limit. */
  cancel(): void {
    this._asker.giveUp();
    this._wishes.clear();
    this._asker.stand('interrupted');
  }

  dispose(): void {
    this._isDisposed = true;
    this._wishes.stop();
    this._asker.giveUp();
    Signal.clearData(this);
  }

  private _onHost(_: unknown, change: IHostChange): void {
    if (this.isOn && (change.kind === 'text' || change.kind === 'cells')) {
      this._wish(this._requests.pending(), AFTER_EDIT);
    }
  }

  private _onExecuted(_: unknown, cell: string): void {
    this._requests.executed = cell;
    this._results.names.drop();
    if (this.isOn) {
      const fresh = this._requests.ids().filter(id => !this._results.has(id));
      this._wish([...this._requests.pending(), ...fresh, cell], AFTER_IDLE);
    } else if (this.factsOn) {
      this._wishAll(AFTER_IDLE);
    }
  }

  /** The kernel's own changes ask nothing: a trace makes it busy and idle too. */
  private _onKernel(): void {
    if (this._asker.isAsking) {
      return;
    }
    if (this.kernel.status !== 'idle') {
      // Something runs that may be no cell of this notebook.
      this._results.names.drop();
    }
    if (!this._wishes.isEmpty) {
      this._wish([], AFTER_IDLE);
    }
  }

  private _onRestarted(): void {
    this._requests.executed = null;
    this._wishes.restart();
    if (this.factsOn) {
      this._forget();
      this._asker.stand('kernel restarted');
      this._wishAll(AFTER_IDLE);
    }
  }

  private _switch(factsOn: boolean, isOn: boolean): void {
    const wasOn = this.isOn;
    this._choose({ facts: factsOn, trace: isOn });
    if (!factsOn || (wasOn && !isOn)) {
      this._forget();
    }
    if (factsOn) {
      this._wishAll(0);
    }
  }

  /** Wishes for everything that is switched on. */
  private _wishAll(delay: number): void {
    this._wishes.facts = true;
    this._wish(this.isOn ? this._requests.ids() : [], delay);
  }

  private _wish(cells: string[], delay: number): void {
    this._wishes.wish(cells, delay);
    this._changed.emit({ cells: [] });
  }

  private async _look(): Promise<void> {
    const isIdle = !this._asker.isAsking && !this._isDisposed;
    if (!isIdle || !this.factsOn || !this._asker.isReady()) {
      return;
    }
    const targets = this._wishes.take(this._requests.ids());
    if (targets.length > 0) {
      await this._ask(this._requests.cells('trace', targets));
    } else if (this._wishes.facts) {
      this._wishes.facts = false;
      if (this._isConcerned) {
        await this._ask(this._requests.facts());
      } else {
        this._asker.stand('JAX not imported');
      }
    } else {
      await this._verify();
    }
  }

  /** The kernel of a notebook without JAX is left alone: facts are on by themselves. */
  private get _isConcerned(): boolean {
    return this.document.state !== 'no-jax' && this.document.state !== 'off';
  }

  /** Asks about the fixes of the cells that were traced last. */
  private async _verify(): Promise<void> {
    const fixes = fixesIn(this.document.all(), this._wishes.verified);
    this._wishes.verified.clear();
    if (this.isOn && fixes.length > 0) {
      await this._ask(this._requests.fixes('verify', fixes));
    }
  }

  private async _ask(request: TraceRequest, isAloud = false): Promise<void> {
    this._wishes.facts &&= isAloud || request.action === 'verify';
    this._results.remark = isAloud ? '' : this._results.remark;
    const take = async (answer: TraceResponse) => {
      if (this.factsOn) {
        this._accept(request, answer);
        await (request.action !== 'facts' && this.document.refresh());
      }
    };
    await (isAloud
      ? this._asker.askAloud(request, take)
      : this._asker.ask(request, take));
    this._wishes.goOn();
  }

  private _accept(request: TraceRequest, answer: TraceResponse): void {
    this._results.accept(request, answer);
    this.document.jaxVersion = this._results.facts?.jax ?? null;
    this._wishes.accept(request, answer);
    if (isUnseen(request) && this.isOn) {
      return; // Asked for unseen: the last trace is what stands.
    }
    const why = answer.why || answer.cells.find(cell => cell.why)?.why;
    this._asker.stand(answer.state, why ?? '');
    this._emitAll();
  }

  /** What was known goes, here and on the server, and with it the hints that came of it. */
  private _forget(): void {
    this._wishes.clear();
    this._results = new TraceResults();
    this.document.jaxVersion = null;
    this._emitAll();
    this._asker
      .forget(this.document.host.name)
      .then(() => this.document.refresh())
      .catch(reason => console.warn('jaxhints: not forgotten', reason));
  }

  private _choose(choice: Partial<IChoice>): void {
    this._choice = { ...this._choice, ...choice };
    this._switches.set(this.document.host.name, this._choice);
    this._changed.emit({ cells: [] });
  }

  private _emitAll(): void {
    this._changed.emit({ cells: this._requests.ids() });
  }

  private _choice: IChoice;
  private _results = new TraceResults();
  private readonly _asker: TraceAsker;
  private readonly _requests: TraceRequests;
  private readonly _wishes = new Wishes(() => void this._look());
  private _isDisposed = false;
  private readonly _changed = new Signal<this, IHintsChange>(this);
}
