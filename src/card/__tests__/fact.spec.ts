import { nullTranslator } from '@jupyterlab/translation';

import type { NameFact } from '../../protocol';
import { createFact, spokenFact, toldByKernel, toldByTrace } from '../fact';

const trans = nullTranslator.load('');

function factOf(more: Partial<NameFact>): NameFact {
  return {
    type: null,
    library: null,
    shape: null,
    dtype: null,
    weak: false,
    sharding: null,
    devices: null,
    deleted: false,
    tracer: false,
    jitted: null,
    ...more
  };
}

const ARRAY = factOf({
  type: 'f32[2,3]*',
  library: 'jax',
  shape: [2, 3],
  dtype: 'float32',
  weak: true,
  sharding: 'SingleDeviceSharding',
  devices: 1
});

/** The words of a tooltip, line by line. */
function linesOf(name: string, fact: NameFact): string[] | null {
  const told = toldByKernel(name, fact, trans);
  return (
    told &&
    [...createFact(told).querySelectorAll('code,span,dt,dd,p')]
      .map(node => node.textContent ?? '')
      .filter(text => text !== '')
  );
}

describe('what the kernel holds under a name', () => {
  it('is shape, dtype, weak type and sharding of an array', () => {
    expect(linesOf('x', ARRAY)).toEqual([
      'x',
      'f32[2,3]*',
      'in the kernel now',
      'Shape',
      '(2, 3)',
      'Dtype',
      'float32, weak type',
      'Sharding',
      'SingleDeviceSharding · 1 device'
    ]);
  });

  it('is no more than shape and dtype of a NumPy array', () => {
    const told = linesOf(
      'n',
      factOf({
        type: 'np f64[4]',
        library: 'numpy',
        shape: [4],
        dtype: 'float64'
      })
    );
    expect(told?.slice(1)).toEqual([
      'np f64[4]',
      'in the kernel now',
      'Shape',
      '(4,)',
      'Dtype',
      'float64'
    ]);
  });

  it('is static arguments and traces of a jitted function', () => {
    const jitted = { static: ['n', 'mode'], donated: ['state'], traces: 3 };
    expect(linesOf('step', factOf({ jitted }))).toEqual([
      'step',
      'jitted function',
      'in the kernel now',
      'Static',
      'n, mode',
      'Donated',
      'state',
      'Traces',
      '3'
    ]);
    const plain = { static: [], donated: [], traces: null };
    expect(linesOf('step', factOf({ jitted: plain }))?.slice(3)).toEqual([
      'Static',
      'none'
    ]);
  });

  it('is the short form of a tree, and what is wrong with a value', () => {
    const tree = linesOf('p', factOf({ type: '{w: f32[3]}' }));
    expect(tree).toEqual(['p', '{w: f32[3]}', 'in the kernel now']);
    expect(linesOf('x', { ...ARRAY, deleted: true })).toContain(
      'donated or deleted: its buffer is gone'
    );
    expect(linesOf('leak', factOf({ tracer: true }))).toContain(
      'holds a tracer whose trace has ended'
    );
    expect(linesOf('other', factOf({}))).toBeNull();
  });

  it('is never markup', () => {
    const told = toldByKernel('x', factOf({ type: '<img src=x>' }), trans)!;
    const page = createFact(told);
    expect(page.querySelector('img')).toBeNull();
    expect(page.textContent).toContain('<img src=x>');
    expect(page.getAttribute('role')).toBe('tooltip');
  });

  it('is spoken as one sentence', () => {
    expect(spokenFact(toldByKernel('x', ARRAY, trans)!)).toBe(
      'x f32[2,3]*, Shape (2, 3), Dtype float32, weak type, ' +
        'Sharding SingleDeviceSharding · 1 device, in the kernel now'
    );
  });
});

describe('what a trace saw in a name', () => {
  it.each([
    ['f32[8,4]', ['(8, 4)', 'float32']],
    ['bf16[3]*', ['(3,)', 'bfloat16, weak type']],
    ['i32[]', ['()', 'int32']],
    ['key<fry>[2]', []],
    ['(f32[3], i32[])', []],
    ['3', []]
  ])('%s', (type, values) => {
    const told = toldByTrace('h', type, trans);
    expect(told.rows.map(([, value]) => value)).toEqual(values);
    expect([told.type, told.source]).toEqual([type, 'as traced']);
  });
});
