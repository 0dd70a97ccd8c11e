import { Signal } from '@lumino/signaling';

import type { IKernelLink, KernelStatus } from '../../kernel';
import type { TraceRequest, TraceResponse } from '../../protocol';

const ANSWER: TraceResponse = {
  state: 'traced',
  why: '',
  cells: [],
  names: {},
  kernel: {
    python: '3.11',
    jax: '0.10.2',
    x64: false,
    devices: [],
    flags: []
  },
  ms: 12,
  remark: '',
  ask: null
};

/** A kernel that is what the test says. */
export class FakeKernel implements IKernelLink {
  readonly id = 'k';
  readonly name = 'python3';
  status: KernelStatus = 'idle';
  isTrusted = true;
  good: string[] = [];
  readonly sent: object[] = [];
  readonly changed = new Signal<this, void>(this);
  readonly restarted = new Signal<this, void>(this);
  readonly executed = new Signal<this, string>(this);

  ran(): string[] {
    return this.good;
  }

  /** The next replies; without any the kernel says nothing of interest. */
  readonly replies: (Record<string, unknown> | null)[] = [];

  async send(content: object): Promise<Record<string, unknown> | null> {
    this.sent.push(content);
    const reply = this.replies.shift();
    return reply === undefined ? { status: 'ok', user_expressions: {} } : reply;
  }

  become(status: KernelStatus): void {
    this.status = status;
    this.changed.emit();
  }
}

/** A server that traces every cell and gives its first line a shape. */
export class FakeTracer {
  readonly requests: TraceRequest[] = [];
  readonly answers: Partial<TraceResponse>[] = [];
  /** Holds answers back until called. */
  gate: Promise<void> = Promise.resolve();

  async trace(request: TraceRequest): Promise<TraceResponse> {
    this.requests.push(request);
    await this.gate;
    const cells = (request.targets ?? []).map(id => ({
      id,
      digest: '',
      state: 'traced' as const,
      why: '',
      shapes: [{ line: 0, text: `x f32[3] in ${id}`, names: {} }],
      diagnostics: [],
      refuted: []
    }));
    return { ...ANSWER, cells, ...this.answers.shift() };
  }

  get traced(): (string[] | undefined)[] {
    return this.requests
      .filter(({ action }) => action === 'trace')
      .map(({ targets }) => targets);
  }
}

/** Lets the pauses pass, and what follows them. */
export async function pass(time = 1_000): Promise<void> {
  await jest.advanceTimersByTimeAsync(time);
}
