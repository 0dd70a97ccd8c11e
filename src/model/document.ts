import { type ISignal, Signal } from '@lumino/signaling';

import { type HintsClient, HintsError } from '../client';
import type { CellResult, Diagnostic, Note } from '../protocol';
import type { HintSettings } from '../settings/model';
import type {
  HintState,
  ICellHints,
  IHintDocument,
  IHintsChange,
  IHost,
  IHostChange
} from '../tokens';
import { Analysis, type IAnswer } from './analysis';

const NEEDLE = 'jax';
/** Pauses before asking again after a passing failure, in milliseconds. */
const RETRIES = [2_000, 5_000, 15_000];

/** The hints of one document: when to ask for them, which answers still hold, what each cell has. */
export class HintDocument implements IHintDocument {
  constructor(
    readonly host: IHost,
    client: Pick<HintsClient, 'analyze'>,
    private readonly _settings: HintSettings
  ) {
    this._analysis = new Analysis(
      host,
      client,
      notebook => _settings.merged(notebook),
      () => this._jaxVersion
    );
    host.changed.connect(this._onHostChanged, this);
    host.disposed.connect(this.dispose, this);
    _settings.changed.connect(this._onSettings, this);
    this._schedule(0);
  }

  cursor: { readonly cell: string; readonly line: number } | null = null;

  get jaxVersion(): string | null {
    return this._jaxVersion;
  }

  set jaxVersion(version: string | null) {
    if (this._jaxVersion !== version) {
      this._jaxVersion = version;
      this._schedule(0);
    }
  }

  get changed(): ISignal<this, IHintsChange> {
    return this._changed;
  }

  get disposed(): ISignal<this, void> {
    return this._disposed;
  }

  get isDisposed(): boolean {
    return this._isDisposed;
  }

  get state(): HintState {
    return this._state;
  }

  get failure(): HintsError | null {
    return this._failure;
  }

  get notes(): readonly Note[] {
    return this._notes;
  }

  cell(id: string): ICellHints | null {
    return this._cells.get(id) ?? null;
  }

  all(): Diagnostic[] {
    return this.host
      .cells()
      .flatMap(({ id }) => this._cells.get(id)?.diagnostics ?? []);
  }

  holds(cell: string, digest: string): boolean {
    const known = this._cells.get(cell);
    return (
      known !== undefined &&
      known.digest === digest &&
      known.text === this.host.text(cell)
    );
  }

  refresh(): Promise<void> {
    this._retries = 0;
    this._stopTimer();
    return this._start();
  }

  async settled(): Promise<void> {
    if (this._timer !== null && this._state !== 'failed') {
      await this.refresh();
    }
    while (this._running) {
      await this._running;
    }
  }

  dispose(): void {
    if (this._isDisposed) {
      return;
    }
    this._isDisposed = true;
    this._stopTimer();
    this._abort?.abort();
    this._cells.clear();
    this._disposed.emit();
    this.host.changed.disconnect(this._onHostChanged, this);
    this._settings.changed.disconnect(this._onSettings, this);
    Signal.clearData(this);
  }

  private _onHostChanged(_: IHost, change: IHostChange): void {
    if (change.kind === 'text') {
      this._edited = change.cell ?? null;
      this._mentions.delete(change.cell ?? '');
    } else if (change.kind === 'cells') {
      this._mentions.clear();
    } else if (change.kind === 'outputs') {
      // The cell's number changed, which the panel shows; the hints only where a failure came or went.
      this._changed.emit({ cells: [] });
      if (JSON.stringify(this.host.failures()) === this._failures) {
        return;
      }
    }
    this._retries = 0;
    this._schedule(this._settings.delay);
  }

  private _onSettings(): void {
    this._schedule(0);
  }

  private _schedule(delay: number): void {
    if (this._isDisposed) {
      return;
    }
    this._stopTimer();
    this._timer = window.setTimeout(() => {
      this._timer = null;
      void this._start();
    }, delay);
  }

  private _stopTimer(): void {
    if (this._timer !== null) {
      window.clearTimeout(this._timer);
      this._timer = null;
    }
  }

  /** One run at a time: a new one ends the one before it. */
  private _start(): Promise<void> {
    this._abort?.abort();
    const abort = new AbortController();
    this._abort = abort;
    const run = this._run(abort.signal).finally(() => {
      if (this._running === run) {
        this._running = null;
      }
    });
    this._running = run;
    return run;
  }

  private async _run(signal: AbortSignal): Promise<void> {
    if (!this._settings.enabled || !this.host.isPython || !this._hasJax()) {
      this._forget(this._settings.enabled ? 'no-jax' : 'off');
      return;
    }
    this._setState('checking');
    const edited = this._edited;
    const line = this.cursor?.cell === edited ? this.cursor?.line : null;
    this._failures = JSON.stringify(this.host.failures());
    try {
      for (const scope of edited
        ? (['edited', 'all'] as const)
        : ['all' as const]) {
        const answer = await this._analysis.ask(
          scope,
          edited,
          line ?? null,
          signal
        );
        if (signal.aborted || this._isDisposed) {
          return;
        }
        this._accept(answer);
        if (answer.response.complete) {
          break;
        }
      }
      this._edited = this._edited === edited ? null : this._edited;
      this._retries = 0;
      this._failure = null;
      this._setState('ready');
    } catch (error) {
      if (!signal.aborted && !this._isDisposed) {
        this._fail(error);
      }
    }
  }

  /** Keeps the results whose text is still there; a complete answer also clears the cells that it leaves out. */
  private _accept({ response, texts }: IAnswer): void {
    const changed: string[] = [];
    for (const result of response.cells) {
      const text = texts.get(result.id);
      if (text === undefined || this.host.text(result.id) !== text) {
        continue;
      }
      if (this._keep(result, text)) {
        changed.push(result.id);
      }
    }
    if (response.complete) {
      const answered = new Set(response.cells.map(result => result.id));
      for (const id of [...this._cells.keys()]) {
        if (!answered.has(id)) {
          this._cells.delete(id);
          changed.push(id);
        }
      }
    }
    this._notes = response.notes;
    this._changed.emit({ cells: changed });
  }

  private _keep(result: CellResult, text: string): boolean {
    const { digest, diagnostics, broken } = result;
    const before = this._cells.get(result.id);
    const next = { text, digest, diagnostics, broken };
    if (before && JSON.stringify(before) === JSON.stringify(next)) {
      return false;
    }
    this._cells.set(result.id, next);
    return true;
  }

  private _forget(state: HintState): void {
    const cells = [...this._cells.keys()];
    this._cells.clear();
    this._notes = [];
    this._failure = null;
    this._state = state;
    this._changed.emit({ cells });
  }

  private _fail(error: unknown): void {
    this._failure =
      error instanceof HintsError
        ? error
        : new HintsError('unreachable', String(error), 0);
    if (this._failure.isPassing && this._retries < RETRIES.length) {
      this._schedule(RETRIES[this._retries]);
      this._retries += 1;
    }
    this._setState('failed');
  }

  private _setState(state: HintState): void {
    this._state = state;
    this._changed.emit({ cells: [] });
  }

  /** Only texts that changed since the last look are searched. */
  private _hasJax(): boolean {
    let found = false;
    for (const { id, text } of this.host.cells()) {
      const known = this._mentions.get(id);
      const mentions = known ?? text.includes(NEEDLE);
      if (known === undefined) {
        this._mentions.set(id, mentions);
      }
      found = found || mentions;
    }
    return found;
  }

  private readonly _analysis: Analysis;
  private readonly _cells = new Map<string, ICellHints>();
  private readonly _mentions = new Map<string, boolean>();
  private _state: HintState = 'checking';
  private _failure: HintsError | null = null;
  private _notes: readonly Note[] = [];
  private _edited: string | null = null;
  private _jaxVersion: string | null = null;
  private _failures = '[]';
  private _retries = 0;
  private _timer: number | null = null;
  private _running: Promise<void> | null = null;
  private _abort: AbortController | null = null;
  private _isDisposed = false;
  private readonly _changed = new Signal<this, IHintsChange>(this);
  private readonly _disposed = new Signal<this, void>(this);
}
