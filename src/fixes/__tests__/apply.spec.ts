import type { NotebookModel } from '@jupyterlab/notebook';

import { documentOf, fixOf, hintOf, notebookOf } from '../../__tests__/fakes';
import { applyFix, fixAllSafe, safeFix, together } from '../apply';

const MAKE = 'import jax.numpy as jnp\nx = jnp.zeros(3)';
const FIXED = 'x = x.at[0].set(1)';

function texts(model: NotebookModel): string[] {
  return model.sharedModel.cells.map(cell => cell.getSource());
}

describe('applyFix', () => {
  it('edits the cell, and one undo takes it back', async () => {
    const model = notebookOf(MAKE, 'x[0] = 1');
    const { document } = await documentOf(model);
    const cell = model.sharedModel.cells[1];
    // Typing just before the fix stays a step of its own.
    cell.updateSource(8, 8, '  # mine');
    await document.settled();
    const [fix] = document.all()[0].fixes;
    expect(await applyFix(document, fix)).toBe('applied');
    expect(texts(model)[1]).toBe(`${FIXED}  # mine`);
    cell.updateSource(0, 0, '\n');
    cell.undo();
    expect(texts(model)[1]).toBe(`${FIXED}  # mine`);
    cell.undo();
    expect(texts(model)[1]).toBe('x[0] = 1  # mine');
    cell.undo();
    expect(texts(model)[1]).toBe('x[0] = 1');
  });

  it('refuses a fix made for an older text, and asks anew', async () => {
    const model = notebookOf(MAKE, 'x[0] = 1');
    const { document, server } = await documentOf(model);
    const [fix] = document.all()[0].fixes;
    model.sharedModel.cells[1].setSource('y = 0\nx[0] = 1');
    const before = server.requests.length;
    expect(await applyFix(document, fix)).toBe('stale');
    expect(texts(model)[1]).toBe('y = 0\nx[0] = 1');
    expect(server.requests.length).toBeGreaterThan(before);
    const [anew] = document.all()[0].fixes;
    expect(await applyFix(document, anew)).toBe('applied');
    expect(texts(model)[1]).toBe(`y = 0\n${FIXED}`);
  });

  it('refuses a fix when another cell that it reads has changed', async () => {
    const model = notebookOf(MAKE, 'x[0] = 1');
    const { document } = await documentOf(model);
    const all = { a: MAKE, b: 'x[0] = 1' };
    const fix = fixOf(all, [
      ['a', 'x =', 'y ='],
      ['b', 'x[0] = 1', FIXED]
    ]);
    model.sharedModel.cells[0].setSource(`${MAKE}\n`);
    expect(await applyFix(document, fix)).toBe('stale');
    expect(texts(model)).toEqual([`${MAKE}\n`, 'x[0] = 1']);
  });

  it('edits several cells, each with one undo step', async () => {
    const model = notebookOf(MAKE, 'x[0] = 1');
    const { document } = await documentOf(model);
    const all = { a: MAKE, b: 'x[0] = 1' };
    const fix = fixOf(all, [
      ['a', 'import', 'import jax\nimport'],
      ['a', '3', '4'],
      ['b', 'x[0] = 1', FIXED]
    ]);
    expect(await applyFix(document, fix)).toBe('applied');
    expect(texts(model)).toEqual([
      'import jax\nimport jax.numpy as jnp\nx = jnp.zeros(4)',
      FIXED
    ]);
    model.sharedModel.cells.forEach(cell => cell.undo());
    expect(texts(model)).toEqual([MAKE, 'x[0] = 1']);
  });

  it('is one undo step of the notebook where undo spans it', async () => {
    const model = notebookOf(MAKE, 'x[0] = 1');
    const { document } = await documentOf(model);
    Object.defineProperty(model.sharedModel, 'disableDocumentWideUndoRedo', {
      value: false
    });
    const all = { a: MAKE, b: 'x[0] = 1' };
    const fix = fixOf(all, [
      ['a', '3', '4'],
      ['b', 'x[0] = 1', FIXED]
    ]);
    await applyFix(document, fix);
    model.sharedModel.undo();
    expect(texts(model)).toEqual([MAKE, 'x[0] = 1']);
  });

  it('counts in UTF-16 units, as the wire does', async () => {
    const text = 's = "🍎"; x[0] = 1';
    const model = notebookOf(MAKE, text);
    const { document } = await documentOf(model);
    await applyFix(document, document.all()[0].fixes[0]);
    expect(texts(model)[1]).toBe(`s = "🍎"; ${FIXED}`);
  });
});

describe('fixAllSafe', () => {
  it('applies the safe fixes of all cells', async () => {
    const model = notebookOf(MAKE, 'x[0] = 1', 'y = 1', 'x[0] = 1');
    const { document } = await documentOf(model);
    expect(await fixAllSafe(document)).toBe(2);
    expect(texts(model).slice(1)).toEqual([FIXED, 'y = 1', FIXED]);
    expect(await fixAllSafe(document)).toBe(0);
  });

  it('takes no fix that the trace knows to make things worse', () => {
    const all = { b: 'x[0] = 1' };
    const [bad, good] = ['2', '3'].map(text =>
      fixOf(all, [['b', 'x[0] = 1', text]])
    );
    const worse = { good: false, worse: true, message: 'fails: `x`' };
    const fixes = [{ ...bad, verification: worse }, good];
    const hint = hintOf('b', all.b, 'x[0] = 1', { fixes });
    expect(safeFix(hint)).toBe(good);
    expect(safeFix({ ...hint, fixes: fixes.slice(0, 1) })).toBeNull();
  });

  it('inserts a line that two fixes want once, and leaves overlaps', async () => {
    const model = notebookOf(MAKE, 'x[0] = 1');
    const { host } = await documentOf(model);
    const all = { a: MAKE, b: 'x[0] = 1' };
    const line = {
      cell: 'a',
      range: {
        start: { line: 0, character: 0 },
        end: { line: 0, character: 0 }
      },
      new_text: 'import jax\n'
    };
    const one = fixOf(all, [['b', 'x[0]', 'y']]);
    const two = fixOf(all, [['b', '1', '2']]);
    const three = fixOf(all, [['b', 'x[0] = 1', FIXED]]);
    const { edits, count } = together(host, [
      { ...one, edits: [line, ...one.edits] },
      { ...two, edits: [line, ...two.edits] },
      three
    ]);
    expect(count).toBe(2);
    expect(edits).toEqual([line, one.edits[0], two.edits[0]]);
  });
});
