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
    shapesOn: true,
    isStale: false,
    isAsking: false,
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
      onShapes={nothing}
      onCheck={nothing}
      onCancel={nothing}
    />
  );
  return page;
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
    const rows = [...page.querySelectorAll('.jp-JaxHints-row')];
    expect(rows.map(row => [...row.children].map(x => x.textContent))).toEqual([
      ['State', 'traced'],
      ['Kernel', 'python3 · idle'],
      ['JAX', '0.10.2 · x64 off'],
      ['Device', 'NVIDIA H200'],
      ['Memory', '1.0 of 4.0 GiB'],
      ['Last trace', '3 of 4 cells · 18 ms'],
      ['Shapes in the code', '']
    ]);
    expect(page.querySelector('progress')?.value).toBe(2 ** 30);
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
