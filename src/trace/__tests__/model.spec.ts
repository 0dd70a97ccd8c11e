import { documentOf, notebookOf } from '../../__tests__/fakes';
import { HintSettings } from '../../settings/model';
import { TraceModel } from '../model';
import { TraceSwitches } from '../switches';
import { FakeKernel, FakeTracer, pass } from './fakes';

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
    expect(model.shapes('b')).toEqual([
      { line: 0, text: 'x f32[3] in b', names: {} }
    ]);
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

  it('says restarted until the new process is there', async () => {
    const { model, kernel, tracer } = await setup('import jax', 'x = 1');
    model.setOn(true);
    await pass();
    kernel.status = 'starting';
    kernel.restarted.emit();
    await pass();
    expect(model.standing).toBe('kernel restarted');
    expect(model.results.last).toBeNull();
    expect(tracer.traced).toHaveLength(1);
    kernel.become('idle');
    await pass();
    expect(model.standing).toBe('traced');
    expect(tracer.requests[1]).toMatchObject({ action: 'forget', kernel: 'k' });
  });

  it('shows nothing of what was cancelled, and traces again after an edit', async () => {
    const { model, tracer, edit } = await setup('import jax', 'x = 1');
    let open = () => {};
    tracer.gate = new Promise(resolve => (open = resolve));
    model.setOn(true);
    await pass();
    expect(model.standing).toBe('tracing');
    model.cancel();
    expect(model.standing).toBe('interrupted');
    expect([model.isAsking, model.isStale]).toEqual([false, false]);
    open();
    await pass(60_000);
    expect(model.standing).toBe('interrupted');
    expect(model.shapes('b')).toEqual([]);
    expect(tracer.traced).toHaveLength(1);
    edit(1, 'x = 2');
    await pass();
    expect(model.standing).toBe('traced');
    expect(model.shapes('b')).toHaveLength(1);
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

  it('verifies the fixes of traced cells after the trace, unseen', async () => {
    const { model, tracer } = await setup('import jax', 'x[0] = 1');
    const standings: string[] = [];
    model.setOn(true);
    await pass(100);
    model.changed.connect(() => standings.push(model.standing));
    await pass();
    const [traced, verify, ...more] = tracer.requests;
    expect([traced.action, verify.action, more]).toEqual([
      'trace',
      'verify',
      []
    ]);
    const [fix] = model.document.all()[0].fixes;
    expect(verify.fixes).toEqual([{ rule: 'item-assignment', fix }]);
    expect(new Set(standings)).toEqual(new Set(['traced']));
  });

  it('traces what was edited before it verifies', async () => {
    const { model, tracer, edit } = await setup('import jax', 'x[0] = 1');
    model.setOn(true);
    await pass(100);
    edit(1, 'x[0] = 1  # so');
    await pass(2_000);
    expect(tracer.requests.map(({ action }) => action)).toEqual([
      'trace',
      'trace',
      'verify'
    ]);
  });

  it('compares values of traced cells when asked, and tells what came of it', async () => {
    const { model, kernel, tracer, edit } = await setup(
      'import jax',
      'x[0] = 1'
    );
    const [hint] = model.document.all();
    expect(model.comparer(hint)).toBeNull();
    model.setOn(true);
    await pass();
    const compare = model.comparer(hint);
    tracer.answers.push({ remark: 'same values', cells: [] });
    const answer = compare?.(hint.fixes[0]);
    await pass(0);
    expect(await answer).toBe('same values');
    expect(model.results.remark).toBe('Use .at[0].set: same values');
    const { action, fixes } = tracer.requests[tracer.requests.length - 1];
    expect([action, fixes?.length]).toEqual(['compare', 1]);
    kernel.isTrusted = false;
    expect(await compare?.(hint.fixes[0])).toBe('');
    edit(1, 'x[0] = 12');
    expect(model.comparer(hint)).toBeNull();
  });

  it('asks again where the kernel took no question of the browser', async () => {
    const { model, kernel, tracer } = await setup('import jax');
    const ask = { injection: { code: 'i' }, questions: [{ code: 'q' }] };
    tracer.answers.push({ state: 'not reachable' }, { ask }, { ask });
    kernel.replies.push(null);
    model.setOn(true);
    await pass(400);
    expect(model.standing).toBe('kernel busy');
    await pass();
    expect(model.standing).toBe('traced');
    expect(kernel.sent).toHaveLength(2);
  });

  it('does not ask a kernel that did not take the probe', async () => {
    const { model, kernel, tracer } = await setup('import jax');
    const ask = { injection: { code: 'i' }, questions: [{ code: 'q' }] };
    const cold = { r: { data: { 'text/plain': "'cold'" } } };
    tracer.answers.push({ state: 'not reachable' }, { ask });
    kernel.replies.push({ status: 'ok', user_expressions: cold }, null);
    model.setOn(true);
    await pass(400);
    expect(kernel.sent).toEqual([{ code: 'q' }, { code: 'i' }]);
    expect(model.standing).toBe('kernel busy');
  });

  it('remembers the switches by notebook, outside of it', async () => {
    const { model } = await setup('import jax');
    model.setOn(true);
    model.setShapes(false);
    const { host } = model.document;
    const switches = new TraceSwitches(window.sessionStorage);
    expect(switches.of(host.name)).toEqual({
      facts: true,
      trace: true,
      shapes: false
    });
    expect(switches.of('other.ipynb').trace).toBe(false);
    expect(host.settings()).toEqual({});
  });
});
