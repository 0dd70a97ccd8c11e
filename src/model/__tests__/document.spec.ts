import { documentOf, FakeServer, notebookOf } from '../../__tests__/fakes';
import { HintsError } from '../../client';

const MAKE = 'import jax.numpy as jnp\nx = jnp.zeros(3)';

describe('HintDocument', () => {
  it('has the hints of each cell by its id', async () => {
    const { document } = await documentOf(notebookOf(MAKE, 'x[0] = 1'));
    expect(document.state).toBe('ready');
    expect(document.all().map(hint => hint.cell)).toEqual(['b']);
    expect(document.cell('a')?.diagnostics).toEqual([]);
  });

  it('asks nothing of a server while no cell mentions jax', async () => {
    const model = notebookOf('import numpy as np', 'x[0] = 1');
    const { document, server } = await documentOf(model);
    expect(document.state).toBe('no-jax');
    expect(server.requests).toHaveLength(0);
    model.sharedModel.cells[0].setSource(MAKE);
    await document.settled();
    expect(document.all()).toHaveLength(1);
  });

  it('leaves notebooks of other languages alone', async () => {
    const model = notebookOf(MAKE, 'x[0] = 1');
    model.sharedModel.setMetadata({ language_info: { name: 'julia' } });
    const { server } = await documentOf(model);
    expect(server.requests).toHaveLength(0);
  });

  it('sends a text once, and the edited cell first', async () => {
    const model = notebookOf(MAKE, 'y = 1');
    const { document, server } = await documentOf(model);
    server.requests.length = 0;
    model.sharedModel.cells[1].setSource('x[0] = 1');
    await document.settled();
    expect(server.requests.map(({ scope }) => scope)).toEqual([
      'edited',
      'all'
    ]);
    const [first] = server.requests;
    expect(first.edited).toBe('b');
    expect(first.cells).toEqual([
      { id: 'a', digest: `digest of ${MAKE}` },
      { id: 'b', text: 'x[0] = 1' }
    ]);
    expect(document.all()).toHaveLength(1);
  });

  it('gives a server that forgot the texts what it asks for', async () => {
    const model = notebookOf(MAKE, 'x[0] = 1');
    const { document, server } = await documentOf(model);
    server.forget();
    server.requests.length = 0;
    await document.refresh();
    expect(server.requests).toHaveLength(2);
    expect(server.requests[1].cells.every(({ text }) => text)).toBe(true);
    expect(document.state).toBe('ready');
  });

  it('drops an answer for a text that has changed since', async () => {
    const model = notebookOf(MAKE, 'y = 1');
    const { document, server } = await documentOf(model);
    let open = (): void => undefined;
    server.gate = new Promise(resolve => (open = resolve));
    model.sharedModel.cells[1].setSource('x[0] = 1');
    const asked = document.refresh();
    model.sharedModel.cells[1].setSource('x = 2');
    open();
    await asked;
    expect(document.all()).toEqual([]);
    await document.settled();
    expect(document.cell('b')?.text).toBe('x = 2');
  });

  it('keeps hints when a cell moves, and drops them with the cell', async () => {
    const model = notebookOf(MAKE, 'x[0] = 1', 'z = 1');
    const { document } = await documentOf(model);
    model.sharedModel.moveCell(1, 2);
    await document.settled();
    expect(document.all().map(({ cell }) => cell)).toEqual(['b']);
    expect(document.host.cells().map(({ id }) => id)).toEqual(['a', 'c', 'b']);
    model.sharedModel.cells[2].setSource('x[0] = 1\n');
    await document.settled();
    expect(document.cell('b')?.text).toBe('x[0] = 1\n');
    model.sharedModel.deleteCell(2);
    await document.settled();
    expect(document.cell('b')).toBeNull();
    expect(document.all()).toEqual([]);
  });

  it('says why the server does not answer, and recovers when asked', async () => {
    const server = new FakeServer();
    server.failures.push(new HintsError('not-installed', '', 404));
    const model = notebookOf(MAKE, 'x[0] = 1');
    const { document } = await documentOf(model, server);
    expect(document.state).toBe('failed');
    expect(document.failure?.isMissing).toBe(true);
    await document.refresh();
    expect(document.state).toBe('ready');
    expect(document.failure).toBeNull();
  });

  it('does not touch the notebook by looking at it', async () => {
    const model = notebookOf(MAKE, 'x[0] = 1');
    model.dirty = false;
    await documentOf(model);
    expect(model.dirty).toBe(false);
    expect(model.sharedModel.canUndo()).toBe(false);
  });

  it('falls silent when the notebook is closed', async () => {
    const model = notebookOf(MAKE, 'x[0] = 1');
    const { document, server } = await documentOf(model);
    model.dispose();
    expect(document.isDisposed).toBe(true);
    const before = server.requests.length;
    await document.settled();
    expect(server.requests).toHaveLength(before);
  });

  it('sends what a run cell failed with', async () => {
    const model = notebookOf(MAKE, 'y = 0\nx[0] = 1');
    const { document, server } = await documentOf(model);
    const cell = model.sharedModel.cells[1] as any;
    cell.setOutputs([
      {
        output_type: 'error',
        ename: 'TypeError',
        evalue: 'JAX arrays are immutable',
        traceback: ['\u001b[0;31mCell\u001b[0m In[3], line 2\n----> 2 x[0] = 1']
      }
    ]);
    cell.execution_count = 3;
    await document.settled();
    const failures = server.requests[server.requests.length - 1].failures;
    expect(failures).toEqual([
      {
        cell: 'b',
        line: 1,
        name: 'TypeError',
        message: 'JAX arrays are immutable'
      }
    ]);
    // A failure speaks of the text that ran.
    model.sharedModel.cells[1].setSource('x[0] = 1');
    await document.settled();
    expect(server.requests[server.requests.length - 1].failures).toEqual([]);
  });
});
