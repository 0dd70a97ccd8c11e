import { forceParsing } from '@codemirror/language';
import type { EditorView } from '@codemirror/view';
import {
  CodeMirrorEditor,
  EditorExtensionRegistry,
  ybinding
} from '@jupyterlab/codemirror';
import type { NotebookModel } from '@jupyterlab/notebook';
import { nullTranslator } from '@jupyterlab/translation';

import { documentOf, notebookOf } from '../../__tests__/fakes';
import type { HintDocument } from '../../model/document';
import type { IHintActions } from '../../tokens';
import { hideCards, openCard, showCard } from '../cards';
import { hintExtension } from '../extension';
import { hintsAtCursor, placedHints } from '../state';

const MAKE = 'import jax.numpy as jnp\nx = jnp.zeros(3)';

const actions = {
  applyFix: jest.fn(),
  fixAllSafe: jest.fn(),
  reveal: jest.fn(),
  openRule: jest.fn(),
  copy: jest.fn()
} as unknown as jest.Mocked<IHintActions>;

const editors: CodeMirrorEditor[] = [];

/** An editor of a cell, as a notebook makes it. */
function editorOf(
  model: NotebookModel,
  document: HintDocument,
  index: number
): EditorView {
  const cell = model.cells.get(index);
  const registry = new EditorExtensionRegistry();
  registry.addExtension({
    name: 'jaxhints',
    factory: () =>
      EditorExtensionRegistry.createImmutableExtension(
        hintExtension({
          cell: cell.id,
          document,
          actions,
          trans: nullTranslator.load('jupyterlab_jaxhints'),
          fixKey: () => 'Alt+Enter'
        })
      )
  });
  const host = window.document.createElement('div');
  window.document.body.appendChild(host);
  const editor = new CodeMirrorEditor({
    host,
    model: cell,
    extensionsRegistry: registry,
    extensions: [ybinding({ ytext: (cell.sharedModel as any).ysource })]
  });
  editors.push(editor);
  return editor.editor;
}

function marked(view: EditorView): string[] {
  return placedHints(view.state).map(({ from, to }) =>
    view.state.sliceDoc(from, to)
  );
}

const tick = () => new Promise(resolve => setTimeout(resolve, 0));

afterEach(() => {
  editors.splice(0).forEach(editor => editor.dispose());
  window.document.body.replaceChildren();
  jest.clearAllMocks();
});

describe('marks', () => {
  it('are there in an editor made after the hints came', async () => {
    const model = notebookOf(MAKE, 'y = 0\nx[0] = 1  # é');
    const { document } = await documentOf(model);
    const view = editorOf(model, document, 1);
    await tick();
    forceParsing(view, view.state.doc.length);
    expect(marked(view)).toEqual(['x[0] = 1']);
    const mark = view.contentDOM.querySelector('.jp-JaxHints-mark');
    expect(mark?.textContent).toBe('x[0] = 1');
    expect(mark?.classList).toContain('jp-mod-error');
  });

  it('show in both views of a notebook', async () => {
    const model = notebookOf(MAKE, 'y = 0');
    const { document } = await documentOf(model);
    const views = [editorOf(model, document, 1), editorOf(model, document, 1)];
    model.sharedModel.cells[1].setSource('x[0] = 1');
    await document.settled();
    await tick();
    expect(views.map(marked)).toEqual([['x[0] = 1'], ['x[0] = 1']]);
  });

  it('move along with text before them, and go when their text is edited', async () => {
    const model = notebookOf(MAKE, 'x[0] = 1');
    const { document } = await documentOf(model);
    const view = editorOf(model, document, 1);
    await tick();
    view.dispatch({ changes: { from: 0, insert: 'y = 0\n' } });
    expect(marked(view)).toEqual(['x[0] = 1']);
    view.dispatch({ changes: { from: 8, to: 9, insert: '2' } });
    expect(marked(view)).toEqual([]);
  });

  it('follow the text when it is typed, fixed and undone', async () => {
    const model = notebookOf(MAKE, '');
    const { document } = await documentOf(model);
    const view = editorOf(model, document, 1);
    await tick();
    view.dispatch({ changes: { from: 0, insert: 'x[0] = 1' } });
    await document.settled();
    await tick();
    expect(marked(view)).toEqual(['x[0] = 1']);
    model.sharedModel.cells[1].setSource('x = x.at[0].set(1)');
    await document.settled();
    await tick();
    expect(marked(view)).toEqual([]);
  });

  it('tell the shortcut whether a fix is at the cursor', async () => {
    const model = notebookOf(MAKE, 'y = 0\nx[0] = 1');
    const { document } = await documentOf(model);
    const view = editorOf(model, document, 1);
    await tick();
    view.dispatch({ selection: { anchor: 0 } });
    expect(view.dom.classList).not.toContain('jp-mod-jaxHintsFix');
    view.dispatch({ selection: { anchor: 10 } });
    expect(view.dom.classList).toContain('jp-mod-jaxHintsFix');
    expect(hintsAtCursor(view.state)).toHaveLength(1);
  });
});

describe('the card opened by a command', () => {
  async function shown(): Promise<EditorView> {
    const model = notebookOf(MAKE, 'x[0] = 1');
    const { document } = await documentOf(model);
    const view = editorOf(model, document, 1);
    await tick();
    showCard(view, placedHints(view.state), false);
    return view;
  }

  it('shows the hint, and tells the page that it is open', async () => {
    const view = await shown();
    const card = window.document.querySelector('[role="dialog"]');
    expect(card?.textContent).toContain('item assignment raises');
    expect(openCard()?.view).toBe(view);
    expect(window.document.body.className).toContain('jp-mod-jaxHintsCardFix');
  });

  it('closes on Escape', async () => {
    await shown();
    const card = window.document.querySelector('[role="dialog"]')!;
    card.dispatchEvent(
      new KeyboardEvent('keydown', { key: 'Escape', bubbles: true })
    );
    expect(openCard()).toBeNull();
    expect(window.document.querySelector('[role="dialog"]')).toBeNull();
    expect(window.document.body.className).not.toContain('jaxHintsCard');
  });

  it('takes the fix that is pressed and closes', async () => {
    await shown();
    const button =
      window.document.querySelector<HTMLElement>('.jp-mod-preferred');
    expect(button?.textContent).toBe('Use .at[0].setAlt+Enter');
    button?.click();
    expect(actions.applyFix).toHaveBeenCalledTimes(1);
    expect(openCard()).toBeNull();
  });

  it('goes when the text changes', async () => {
    const view = await shown();
    view.dispatch({ changes: { from: 0, insert: ' ' } });
    expect(openCard()).toBeNull();
    hideCards(view);
  });
});
