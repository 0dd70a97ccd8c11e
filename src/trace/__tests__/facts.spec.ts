import { documentOf, FakeServer, notebookOf } from '../../__tests__/fakes';
import type { NameFact } from '../../protocol';
import { HintSettings } from '../../settings/model';
import { TraceModel } from '../model';
import { KernelNames, wordsIn } from '../names';
import { TraceSwitches } from '../switches';
import { FakeKernel, FakeTracer, pass } from './fakes';

const ARRAY: NameFact = {
  type: 'f32[2,3]',
  library: 'jax',
  shape: [2, 3],
  dtype: 'float32',
  weak: false,
  sharding: 'SingleDeviceSharding',
  devices: 1,
  deleted: false,
  tracer: false,
  jitted: null
};

async function setup(...sources: string[]) {
  const notebook = notebookOf(...sources);
  const { document, server } = await documentOf(notebook, new FakeServer());
  const kernel = new FakeKernel();
  const tracer = new FakeTracer();
  const make = () =>
    new TraceModel(
      document,
      kernel,
      tracer,
      new HintSettings(),
      new TraceSwitches(window.sessionStorage)
    );
  return { model: make(), make, kernel, tracer, server };
}

const actions = (tracer: FakeTracer) =>
  tracer.requests.map(({ action }) => action);

beforeEach(() => {
  window.sessionStorage.clear();
  jest.useFakeTimers();
});

afterEach(() => jest.useRealTimers());

describe('facts without a trace', () => {
  it('ask for the names, and trace nothing', async () => {
    const { model, tracer } = await setup('import jax', 'x = jax.f(x)');
    tracer.answers.push({ names: { x: ARRAY } });
    model.setFacts(true);
    await pass();
    expect(actions(tracer)).toEqual(['facts']);
    expect(tracer.requests[0].names).toEqual(['jax', 'x', 'f']);
    expect(tracer.requests[0].cells).toBeUndefined();
    expect([model.factsOn, model.isOn, model.standing]).toEqual([
      true,
      false,
      'traced'
    ]);
    expect(model.results.facts?.jax).toBe('0.10.2');
    expect(await model.fact('x')).toEqual(ARRAY);
    expect(await model.fact('f')).toBeNull();
    expect(tracer.requests).toHaveLength(1);
  });

  it('are dropped when a cell runs, and asked for again', async () => {
    const { model, kernel, tracer } = await setup('import jax\nx = 1');
    tracer.answers.push({ names: { x: ARRAY } });
    model.setFacts(true);
    await pass();
    kernel.executed.emit('a');
    expect(model.results.names.has('x')).toBe(false);
    tracer.answers.push({ names: { x: { ...ARRAY, deleted: true } } });
    await pass();
    expect(actions(tracer)).toEqual(['facts', 'facts']);
    expect((await model.fact('x'))?.deleted).toBe(true);
  });

  it('are asked for by the pointer after something else ran, once', async () => {
    const { model, kernel, tracer } = await setup('import jax\nx = 1');
    model.setFacts(true);
    await pass();
    kernel.become('busy');
    expect(await model.fact('x')).toBeNull();
    expect(tracer.requests).toHaveLength(1);
    kernel.become('idle');
    tracer.answers.push({ names: { x: ARRAY } });
    expect(await model.fact('x')).toEqual(ARRAY);
    expect(await model.fact('jax')).toBeNull();
    expect(tracer.requests).toHaveLength(2);
  });

  it('wait for a busy kernel', async () => {
    const { model, kernel, tracer } = await setup('import jax\nx = 1');
    kernel.status = 'busy';
    model.setFacts(true);
    await pass();
    expect(tracer.requests).toEqual([]);
    expect(model.standing).toBe('kernel busy');
    kernel.become('idle');
    await pass();
    expect(actions(tracer)).toEqual(['facts']);
  });

  it('are not asked for of an untrusted notebook', async () => {
    const { model, kernel, tracer } = await setup('import jax\nx = 1');
    kernel.isTrusted = false;
    model.setFacts(true);
    await pass();
    expect(await model.fact('x')).toBeNull();
    expect(tracer.requests).toEqual([]);
    expect(model.standing).toBe('untrusted');
  });

  it('are not asked for where no cell mentions JAX', async () => {
    const { model, kernel, tracer } = await setup('x = 1');
    model.setFacts(true);
    kernel.executed.emit('a');
    await pass();
    expect(await model.fact('x')).toBeNull();
    expect(tracer.requests).toEqual([]);
    expect(model.standing).toBe('JAX not imported');
  });

  it('are those of the new process after a restart', async () => {
    const { model, kernel, tracer } = await setup('import jax\nx = 1');
    tracer.answers.push({ names: { x: ARRAY } });
    model.setFacts(true);
    await pass();
    kernel.restarted.emit();
    expect(model.results.facts).toBeNull();
    expect(model.standing).toBe('kernel restarted');
    await pass();
    expect(actions(tracer)).toEqual(['facts', 'forget', 'facts']);
    expect(await model.fact('x')).toBeNull();
  });

  it('tell the analysis the version of JAX, until they are off', async () => {
    const { model, server } = await setup('import jax\nx = 1');
    const versions = () => server.requests.map(sent => sent.jax_version);
    expect(versions()).toEqual([null]);
    model.setFacts(true);
    await pass();
    expect(versions()).toEqual([null, '0.10.2']);
    model.setFacts(false);
    await pass();
    expect(versions().slice(-1)).toEqual([null]);
  });
});

describe('the switches', () => {
  it('turn facts on with the trace, and the trace off with the facts', async () => {
    const { model, tracer } = await setup('import jax');
    model.setOn(true);
    await pass();
    expect([model.factsOn, model.isOn]).toEqual([true, true]);
    model.setOn(false);
    await pass();
    expect([model.factsOn, model.isOn]).toEqual([true, false]);
    model.setOn(true);
    await pass();
    model.setFacts(false);
    await pass();
    expect([model.factsOn, model.isOn]).toEqual([false, false]);
    expect(actions(tracer)).toEqual([
      'trace',
      'forget',
      'facts',
      'trace',
      'forget'
    ]);
  });

  it('are for facts alone where the trace was explained once', async () => {
    const { model, make } = await setup('import jax');
    expect(model.factsOn).toBe(false);
    new TraceSwitches(window.sessionStorage).setExplained();
    const later = make();
    expect([later.factsOn, later.isOn]).toEqual([true, false]);
    later.setFacts(false);
    expect(make().factsOn).toBe(false);
  });

  it('read what was kept before facts had one', () => {
    const kept = { 'old.ipynb': { trace: true, shapes: false } };
    window.sessionStorage.setItem('jaxhints:trace', JSON.stringify(kept));
    const switches = new TraceSwitches(window.sessionStorage);
    expect(switches.of('old.ipynb')).toEqual({
      facts: true,
      trace: true,
      shapes: false
    });
  });
});

describe('a trace', () => {
  it('brings the facts along, and keeps its standing when the pointer asks', async () => {
    const { model, kernel, tracer } = await setup('import jax\nx = 1');
    tracer.answers.push({ state: 'partly traced', names: { x: ARRAY } });
    model.setOn(true);
    await pass();
    expect(await model.fact('x')).toEqual(ARRAY);
    expect(actions(tracer)).toEqual(['trace']);
    kernel.become('busy');
    kernel.become('idle');
    tracer.answers.push({ names: { x: ARRAY } });
    expect(await model.fact('x')).toEqual(ARRAY);
    expect(actions(tracer)).toEqual(['trace', 'facts']);
    expect(model.standing).toBe('partly traced');
    expect(model.results.last).not.toBeNull();
  });
});

describe('the names of a notebook', () => {
  it('are its words without keywords, a bounded number of them', () => {
    expect(wordsIn(['', 'for x in été:\n    _y = x.T  # 1e5'])).toEqual([
      'x',
      'été',
      'T',
      'e5'
    ]);
    const many = Array.from({ length: 3000 }, (_, index) => `n${index}`);
    expect(wordsIn(['z', many.join(' ')])).toHaveLength(1000);
    expect(wordsIn(['z', many.join(' ')])[0]).toBe('z');
    expect(wordsIn(['a'.repeat(300)])).toEqual([]);
  });

  it('may be those of every object', () => {
    const names = new KernelNames();
    names.take(['constructor', 'x'], { x: ARRAY });
    expect(names.get('constructor')).toBeNull();
    expect(names.get('toString')).toBeNull();
  });
});
