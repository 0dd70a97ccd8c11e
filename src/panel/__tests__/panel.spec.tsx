import { nullTranslator } from '@jupyterlab/translation';
import { Signal } from '@lumino/signaling';
import * as React from 'react';
import { renderToStaticMarkup } from 'react-dom/server';

import { documentOf, FakeServer, notebookOf } from '../../__tests__/fakes';
import { HintsError } from '../../client';
import type { IHintDocument, IHintTracker } from '../../tokens';
import type { TraceModel } from '../../trace/model';
import { PanelModel } from '../model';
import { PanelView } from '../view';

const MAKE = 'import jax.numpy as jnp\nx = jnp.zeros(3)';

function modelOf(
  document: IHintDocument | null,
  trace: TraceModel | null = null
): PanelModel {
  const tracker = { current: document } as any;
  tracker.currentChanged = new Signal<IHintTracker, void>(tracker);
  return new PanelModel(tracker, () => trace);
}

/** A trace as the panel sees it. */
function traceOf(standing: string, more: object = {}): TraceModel {
  const owner = {};
  const kernel = {
    name: 'python3',
    status: 'idle',
    isTrusted: true,
    changed: new Signal(owner)
  };
  const results = {
    facts: {
      jax: '0.10.2',
      python: '3.11',
      x64: false,
      flags: [],
      devices: [
        { kind: 'NVIDIA H200', platform: 'gpu', used: 2 ** 30, limit: 2 ** 32 }
      ]
    },
    last: { cells: 3, of: 4, ms: 18.2 },
    remark: ''
  };
  return {
    changed: new Signal(owner),
    kernel,
    results,
    standing,
    why: '',
    isOn: true,
    factsOn: true,
    shapesOn: true,
    isStale: false,
    isAsking: false,
    comparer: () => null,
    ...more
  } as unknown as TraceModel;
}

/** The panel as a page. */
function pageOf(model: PanelModel): HTMLElement {
  const page = window.document.createElement('div');
  const nothing = (): void => undefined;
  page.innerHTML = renderToStaticMarkup(
    <PanelView
      model={model}
      trans={nullTranslator.load('')}
      onReveal={nothing}
      onFix={nothing}
      onFixAll={nothing}
      onRule={nothing}
      onRetry={nothing}
      onEnable={nothing}
      onTour={nothing}
      onTrace={nothing}
      onFacts={nothing}
      onShapes={nothing}
      onCheck={nothing}
      onCancel={nothing}
    />
  );
  return page;
}

/** The lines of the section of the live trace. */
function rowsOf(page: HTMLElement): (string | null)[][] {
  const rows = [...page.querySelectorAll('.jp-JaxHints-row')];
  return rows.map(row => [...row.children].map(item => item.textContent));
}

describe('the panel', () => {
  it('lists the hints by cell, with counts and fixes', async () => {
    const notebook = notebookOf(MAKE, 'x[0] = 1', 'x[0] = 1');
    (notebook.sharedModel.cells[2] as any).execution_count = 3;
    const { document } = await documentOf(notebook);
    const page = pageOf(modelOf(document));
    const groups = [...page.querySelectorAll('h3')];
    expect(groups.map(group => group.textContent)).toEqual([
      'Cell [ ] — 2',
      'Cell [3]'
    ]);
    expect(page.querySelectorAll('.jp-JaxHints-item')).toHaveLength(2);
    expect(page.querySelector('[aria-label="Error: 2"]')).not.toBeNull();
    expect(page.querySelector('.jp-JaxHints-tools button')?.textContent).toBe(
      'Fix 2 safe'
    );
    expect(page.querySelector('.jp-JaxHints-itemFix')?.textContent).toBe(
      'Use .at[0].set'
    );
  });

  it('names the cell that a remark is about', async () => {
    const { document } = await documentOf(notebookOf(MAKE, 'x[0] = 1'));
    const notes = [
      { message: 'The trace disproves `list-index` on line 1', cell: 'b' },
      { message: 'A rule fails', cell: null }
    ];
    Object.defineProperty(document, 'notes', { value: notes });
    const remarks = pageOf(modelOf(document)).querySelectorAll(
      '.jp-JaxHints-notes li'
    );
    expect([...remarks].map(remark => remark.textContent)).toEqual([
      'Cell [ ] — 2: The trace disproves list-index on line 1',
      'A rule fails'
    ]);
  });

  it('filters by text, rule and severity', async () => {
    const { document } = await documentOf(notebookOf(MAKE, 'x[0] = 1'));
    const model = modelOf(document);
    model.filter = 'ITEM assign';
    expect(model.groups()).toHaveLength(1);
    model.filter = 'item-assign';
    expect(model.groups()).toHaveLength(1);
    model.filter = 'key-reuse';
    expect(model.groups()).toHaveLength(0);
    expect(pageOf(model).textContent).toContain('No hint fits the filter.');
    model.filter = '';
    model.toggle('error');
    expect(model.groups()).toHaveLength(0);
  });

  it.each([
    [null, 'Open a notebook'],
    [new HintsError('not-installed', '', 404), 'server half'],
    [new HintsError('unreachable', '', 0), 'does not answer'],
    [new HintsError('busy', 'The queue is full.', 429), 'The queue is full.']
  ])('says what is wrong: %s', async (failure, text) => {
    const server = new FakeServer();
    let document: IHintDocument | null = null;
    if (failure) {
      server.failures.push(failure);
      const notebook = notebookOf(MAKE, 'x[0] = 1');
      document = (await documentOf(notebook, server)).document;
    }
    const page = pageOf(modelOf(document));
    expect(page.querySelector('[role="status"]')?.textContent).toContain(text);
  });

  it('says when there is nothing to say', async () => {
    const { document } = await documentOf(notebookOf(MAKE));
    expect(pageOf(modelOf(document)).textContent).toContain('No hints');
    const other = await documentOf(notebookOf('y = 1'));
    expect(pageOf(modelOf(other.document)).textContent).toContain(
      'No cell of this notebook mentions JAX.'
    );
  });

  it('says what kernel, what device, and how the last trace went', async () => {
    const { document } = await documentOf(notebookOf(MAKE));
    const page = pageOf(modelOf(document, traceOf('traced')));
    expect(rowsOf(page)).toEqual([
      ['State', 'traced'],
      ['Kernel', 'python3 · idle'],
      ['JAX', '0.10.2 · x64 off'],
      ['Device', 'NVIDIA H200'],
      ['Memory', '1.0 of 4.0 GiB'],
      ['Last trace', '3 of 4 cells · 18 ms'],
      ['Facts from the kernel', ''],
      ['Shapes in the code', '']
    ]);
    expect(page.querySelector('progress')?.value).toBe(2 ** 30);
  });

  it('shows the facts without a trace, and the flags that are on', async () => {
    const { document } = await documentOf(notebookOf(MAKE));
    const trace = traceOf('traced', { isOn: false });
    Object.assign(trace.results, { last: null });
    trace.results.facts!.flags.push('jax_debug_nans', 'jax_disable_jit');
    const page = pageOf(modelOf(document, trace));
    expect(rowsOf(page).map(([label]) => label)).toEqual([
      'State',
      'Kernel',
      'JAX',
      'Flags on',
      'Device',
      'Memory',
      'Facts from the kernel'
    ]);
    expect(rowsOf(page)[0][1]).toBe('facts only');
    expect(rowsOf(page)[3][1]).toBe('jax_debug_nans, jax_disable_jit');
    const switches = [...page.querySelectorAll('[role="switch"]')];
    expect(switches.map(item => item.getAttribute('aria-checked'))).toEqual([
      'false',
      'true'
    ]);
    expect(page.querySelector('.jp-JaxHints-checks')).toBeNull();
  });

  it.each([
    [
      2,
      [
        ['Devices', '2 × NVIDIA H200'],
        ['Memory of 0', '1.0 of 16.0 GiB'],
        ['Memory of 1', '2.0 of 16.0 GiB']
      ]
    ],
    [
      3,
      [
        ['Devices', '3 × NVIDIA H200'],
        ['Memory of 0', '1.0 of 16.0 GiB'],
        ['Memory of 1', '2.0 of 16.0 GiB'],
        ['Memory of 2', '3.0 of 16.0 GiB']
      ]
    ],
    [
      8,
      [
        ['Devices', '8 × NVIDIA H200'],
        ['Memory of 7, the fullest', '8.0 of 16.0 GiB']
      ]
    ]
  ])('lists %i devices', async (count, rows) => {
    const { document } = await documentOf(notebookOf(MAKE));
    const trace = traceOf('traced');
    const devices = Array.from({ length: count }, (_, index) => ({
      kind: 'NVIDIA H200',
      platform: 'gpu',
      used: (index + 1) * 2 ** 30,
      limit: 2 ** 34
    }));
    Object.assign(trace.results.facts!, { devices });
    const page = pageOf(modelOf(document, trace));
    expect(rowsOf(page).slice(3, -3)).toEqual(rows);
    expect(page.querySelectorAll('progress')).toHaveLength(rows.length - 1);
  });

  it('shows devices that tell no memory', async () => {
    const { document } = await documentOf(notebookOf(MAKE));
    const trace = traceOf('traced');
    const cpu = { kind: 'cpu', platform: 'cpu', used: null, limit: null };
    Object.assign(trace.results.facts!, { devices: [cpu, cpu] });
    const page = pageOf(modelOf(document, trace));
    expect(rowsOf(page).slice(3, -3)).toEqual([['Devices', '2 × cpu']]);
    expect(page.querySelector('progress')).toBeNull();
  });

  it('compares the fix at hand, where a traced cell has one', async () => {
    const { document } = await documentOf(notebookOf(MAKE, 'x[0] = 1'));
    const buttonOf = (model: PanelModel) =>
      [...pageOf(model).querySelectorAll('button')].find(
        ({ textContent }) => textContent === 'Compare fix'
      );
    expect(buttonOf(modelOf(document, traceOf('traced')))?.disabled).toBe(true);
    const compare = jest.fn(async () => 'same values');
    const comparer = () => compare;
    const model = modelOf(document, traceOf('traced', { comparer }));
    expect(buttonOf(model)?.disabled).toBe(false);
    model.compare()?.();
    expect(compare).toHaveBeenCalledWith(document.all()[0].fixes[0]);
  });

  it('greys the last trace while it is older than the notebook', async () => {
    const { document } = await documentOf(notebookOf(MAKE));
    const stale = traceOf('kernel busy', { isStale: true });
    const page = pageOf(modelOf(document, stale));
    expect(page.querySelector('.jp-mod-stale')?.textContent).toContain('18 ms');
    expect(page.textContent).toContain('waits: the kernel is busy');
  });

  it('is empty while it is hidden', async () => {
    const { document } = await documentOf(notebookOf(MAKE, 'x[0] = 1'));
    const model = modelOf(document);
    model.isVisible = false;
    expect(pageOf(model).childElementCount).toBe(0);
  });
});
