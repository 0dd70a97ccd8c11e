import { Signal } from '@lumino/signaling';

import { documentOf, notebookOf } from '../../__tests__/fakes';
import type { IKernelLink } from '../../kernel';
import type { TraceRequest, TraceResponse } from '../../protocol';
import { HintSettings } from '../../settings/model';
import { TraceModel } from '../model';
import { TraceSwitches } from '../switches';

const ANSWER: TraceResponse = {
  state: 'traced',
  why: '',
  cells: [],
  kernel: { python: '3.11', jax: '0.10.2', x64: false, devices: [] },
  ms: 12,
  remark: '',
  ask: null
};

class FakeKernel implements IKernelLink {
  readonly id = 'k';
  readonly name = 'python3';
  status: 'none' | 'busy' | 'idle' = 'idle';
  isTrusted = true;
  good: string[] = [];
  readonly sent: object[] = [];
  readonly changed = new Signal<this, void>(this);
  readonly restarted = new Signal<this, void>(this);
  readonly executed = new Signal<this, string>(this);

  ran(): string[] {
    return this.good;
  }

  async send(content: object): Promise<Record<string, unknown> | null> {
    this.sent.push(content);
    return { status: 'ok', user_expressions: {} };
  }

  become(status: 'busy' | 'idle'): void {
    this.status = status;
    this.changed.emit();
  }
}

/** A server that traces every cell and gives its first line a shape. */
class FakeTracer {
  readonly requests: TraceRequest[] = [];
  readonly answers: Partial<TraceResponse>[] = [];

  async trace(request: TraceRequest): Promise<TraceResponse> {
    this.requests.push(request);
    const cells = (request.targets ?? []).map(id => ({
      id,
      digest: '',
      state: 'traced' as const,
      why: '',
      shapes: [{ line: 0, text: `x f32[3] in ${id}` }],
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

async function setup(...sources: string[]): Promise<{
  model: TraceModel;
  kernel: FakeKernel;
  tracer: FakeTracer;
  edit: (index: number, text: string) => void;
}> {
  const notebook = notebookOf(...sources);
  const { document } = await documentOf(notebook);
  const kernel = new FakeKernel();
  const tracer = new FakeTracer();
  const model = new TraceModel(
    document,
    kernel,
    tracer,
    new HintSettings(),
    new TraceSwitches(window.sessionStorage)
  );
  const edit = (index: number, text: string) =>
    notebook.sharedModel.cells[index].setSource(text);
  return { model, kernel, tracer, edit };
}

/** Lets the pauses pass, and what follows them. */
async function pass(time = 1_000): Promise<void> {
  await jest.advanceTimersByTimeAsync(time);
}

describe('TraceModel', () => {
  beforeEach(() => {
    window.sessionStorage.clear();
    jest.useFakeTimers();
  });

  afterEach(() => jest.useRealTimers());

  it('asks nothing while it is off', async () => {
    const { model, kernel, tracer, edit } = await setup('import jax', 'x = 1');
    edit(1, 'x = 2');
    kernel.executed.emit('a');
    await pass();
    expect(tracer.requests).toEqual([]);
    expect(model.standing).toBe('off');
  });

  it('traces all cells when switched on, and shows their shapes', async () => {
    const { model, tracer } = await setup('import jax', 'x = 1');
    model.setOn(true);
    await pass();
    expect(tracer.traced).toEqual([['a', 'b']]);
    expect(model.standing).toBe('traced');
    expect(model.shapes('b')).toEqual([{ line: 0, text: 'x f32[3] in b' }]);
    expect(model.results.last).toEqual({ cells: 2, of: 2, ms: 12 });
    model.setShapes(false);
    expect(model.shapes('b')).toEqual([]);
  });

  it('hides the shapes of an edited cell until it is traced anew', async () => {
    const { model, kernel, tracer, edit } = await setup('import jax', 'x = 1');
    kernel.good = ['a'];
    model.setOn(true);
    await pass();
    edit(1, 'x = 2');
    expect(model.shapes('b')).toEqual([]);
    await pass();
    expect(tracer.traced[1]).toEqual(['b']);
    expect(model.shapes('b')).toHaveLength(1);
  });

  it('waits for a busy kernel without asking, and keeps what it has', async () => {
    const { model, kernel, tracer } = await setup('import jax', 'x = 1');
    model.setOn(true);
    await pass();
    kernel.become('busy');
    kernel.executed.emit('b');
    await pass();
    expect(model.standing).toBe('kernel busy');
    expect(model.isStale).toBe(true);
    expect(model.shapes('b')).toHaveLength(1);
    expect(tracer.requests).toHaveLength(1);
    kernel.become('idle');
    await pass();
    expect(tracer.requests).toHaveLength(2);
  });

  it('is not set off by the blink of its own request', async () => {
    const { model, kernel, tracer } = await setup('import jax');
    model.setOn(true);
    await pass();
    kernel.become('busy');
    kernel.become('idle');
    await pass(60_000);
    expect(tracer.requests).toHaveLength(1);
  });

  it('goes on twice where the first traces of a process run out of time', async () => {
    const { model, kernel, tracer } = await setup('import jax', 'x = 1');
    tracer.answers.push(...Array(5).fill({ state: 'timed out' }));
    model.setOn(true);
    await pass(60_000);
    expect(tracer.traced).toEqual(Array(3).fill(['a', 'b']));
    expect(model.standing).toBe('timed out');
    kernel.restarted.emit();
    await pass(60_000);
    expect(tracer.traced).toHaveLength(5);
    expect(model.standing).toBe('traced');
  });

  it('asks nothing of an untrusted notebook', async () => {
    const { model, kernel, tracer } = await setup('import jax');
    kernel.isTrusted = false;
    model.setOn(true);
    await pass();
    expect(model.standing).toBe('untrusted');
    expect(tracer.requests).toEqual([]);
  });

  it('forgets everything with a restart, and begins again', async () => {
    const { model, kernel, tracer } = await setup('import jax', 'x = 1');
    model.setOn(true);
    await pass();
    kernel.restarted.emit();
    expect(model.standing).toBe('kernel restarted');
    expect(model.shapes('b')).toEqual([]);
    await pass();
    expect(tracer.requests.map(({ action }) => action)).toEqual([
      'trace',
      'forget',
      'trace'
    ]);
  });

  it('tries again what another cell aborted', async () => {
    const { model, tracer } = await setup('import jax');
    tracer.answers.push({ state: 'aborted', cells: [] });
    model.setOn(true);
    await pass();
    expect(tracer.requests).toHaveLength(2);
    expect(model.standing).toBe('traced');
  });

  it('carries requests that the server cannot', async () => {
    const { model, kernel, tracer } = await setup('import jax');
    const ask = { injection: { code: 'i' }, questions: [{ code: 'q' }] };
    tracer.answers.push({ state: 'not reachable', cells: [] }, { ask });
    model.setOn(true);
    await pass();
    expect(kernel.sent).toEqual([{ code: 'q' }]);
    expect(tracer.requests.map(({ carrier }) => carrier)).toEqual([
      'server',
      'browser',
      'browser'
    ]);
    expect(tracer.requests[2].replies).toHaveLength(1);
    expect(model.shapes('a')).toHaveLength(1);
  });

  it('remembers the switches by notebook, outside of it', async () => {
    const { model } = await setup('import jax');
    model.setOn(true);
    model.setShapes(false);
    const { host } = model.document;
    const switches = new TraceSwitches(window.sessionStorage);
    expect(switches.of(host.name)).toEqual({ trace: true, shapes: false });
    expect(switches.of('other.ipynb').trace).toBe(false);
    expect(host.settings()).toEqual({});
  });
});
