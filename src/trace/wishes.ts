import type { TraceRequest, TraceResponse } from '../protocol';

export const AFTER_EDIT = 700;
export const AFTER_IDLE = 300;
/** How often a kernel that seems idle is asked again when it was not. */
const MOST_MISSES = 5;
/** How often in a kernel's life a trace that ran out of time is asked for again. */
const MOST_TIMEOUTS = 2;

/** What is to be asked of the kernel, and the pause before it is. */
export class Wishes {
  /** `look` sees whether the kernel can be asked now. */
  constructor(private readonly _look: () => void) {}

  /** Cells to trace. */
  readonly cells = new Set<string>();
  facts = false;
  /** Cells that were traced: their fixes are to be verified, when nothing else is. */
  readonly verified = new Set<string>();

  get isEmpty(): boolean {
    return this.cells.size === 0 && !this.facts && this.verified.size === 0;
  }

  /** Adds cells, and looks after a pause. */
  wish(cells: readonly string[], delay: number): void {
    cells.forEach(cell => this.cells.add(cell));
    this.stop();
    this._timer = window.setTimeout(() => {
      this._timer = null;
      this._look();
    }, delay);
  }

  /** Takes the cells that are wished for out of these, in their order. */
  take(cells: readonly string[]): string[] {
    const taken = cells.filter(id => this.cells.has(id));
    this.cells.clear();
    return taken;
  }

  /** Keeps what an answer leaves to be asked for again. */
  accept(
    { action, targets }: TraceRequest,
    { state, cells }: Pick<TraceResponse, 'state' | 'cells'>
  ): void {
    const isMissed = /busy|aborted|restarted/.test(state);
    // The first traces of a process are slow: what ran out of time goes on from where JAX's caches are now.
    const isCold =
      action === 'trace' &&
      state === 'timed out' &&
      this._timeouts < MOST_TIMEOUTS;
    if (isMissed || isCold) {
      targets?.forEach(cell => this.cells.add(cell));
    }
    this.facts ||= isMissed;
    if (action === 'trace') {
      cells
        .filter(cell => /traced/.test(cell.state))
        .forEach(({ id }) => this.verified.add(id));
    }
    this._timeouts += isCold ? 1 : 0;
    this._misses = isMissed ? this._misses + 1 : isCold ? this._misses : 0;
  }

  /** Looks again for what is left. The server's word on the kernel may lag behind; this is no timer, so it ends. */
  goOn(): void {
    if (!this.isEmpty && this._misses < MOST_MISSES) {
      this.wish([], AFTER_IDLE * 2 ** this._misses);
    }
  }

  /** The kernel's process is a new one. */
  restart(): void {
    this._timeouts = 0;
  }

  clear(): void {
    this.stop();
    this.cells.clear();
    this.verified.clear();
    this.facts = false;
  }

  stop(): void {
    if (this._timer !== null) {
      window.clearTimeout(this._timer);
      this._timer = null;
    }
  }

  private _timer: number | null = null;
  private _misses = 0;
  private _timeouts = 0;
}
