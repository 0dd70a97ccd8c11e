import type {
  KernelFacts,
  LineShape,
  TraceRequest,
  TraceResponse
} from '../protocol';
import { KernelNames } from './names';

/** The states of answers in which the kernel told its facts. */
const TELLS = /traced|timed out|refused|not imported/;

/** How many cells were traced, of how many, and the time it took in the kernel. */
export interface ILastTrace {
  readonly cells: number;
  readonly of: number;
  readonly ms: number;
}

/** What the kernel told so far. */
export class TraceResults {
  facts: KernelFacts | null = null;
  last: ILastTrace | null = null;
  /** The answer to a question of memory, NaN, or a fix's values. */
  remark = '';
  readonly names = new KernelNames();

  /** Takes an answer for the texts that were asked about. */
  accept(request: TraceRequest, answer: TraceResponse): void {
    this.facts = answer.kernel ?? this.facts;
    if (TELLS.test(answer.state)) {
      this.names.take(request.names ?? [], answer.names);
    }
    if (request.action === 'facts' || request.action === 'verify') {
      return;
    }
    this.remark = answer.remark;
    const asked = request.cells ?? [];
    const texts = new Map(asked.map(({ id, text }) => [id, text ?? '']));
    for (const { id, shapes, state } of answer.cells) {
      const isTraced = /traced/.test(state);
      this._cells.set(id, { text: texts.get(id) ?? '', shapes, isTraced });
    }
    if (request.action === 'trace' && answer.ms > 0) {
      const done = answer.cells.filter(({ state }) => /traced/.test(state));
      this.last = { cells: done.length, of: asked.length, ms: answer.ms };
    }
  }

  has(cell: string): boolean {
    return this._cells.has(cell);
  }

  /** The shapes of a cell, where they are for this text. */
  shapes(cell: string, text: string | null): readonly LineShape[] {
    const known = this._cells.get(cell);
    return known?.text === text ? (known?.shapes ?? []) : [];
  }

  /** Whether a cell was traced with this text. */
  isTraced(cell: string, text: string | null): boolean {
    const known = this._cells.get(cell);
    return known?.isTraced === true && known.text === text;
  }

  private readonly _cells = new Map<
    string,
    { text: string; shapes: readonly LineShape[]; isTraced: boolean }
  >();
}
