import { python } from '@codemirror/lang-python';
import { EditorState } from '@codemirror/state';
import { EditorView } from '@codemirror/view';
import { nullTranslator } from '@jupyterlab/translation';

import type { LineShape, NameFact } from '../../protocol';
import { type INameSource, nameExtension, showName } from '../names';

const CODE = 'x = jnp.ones(3)\ndef f(h):\n    return h * x';
const FACT: NameFact = {
  type: 'f32[3]',
  library: 'jax',
  shape: [3],
  dtype: 'float32',
  weak: false,
  sharding: null,
  devices: null,
  deleted: false,
  tracer: false,
  jitted: null
};

class FakeSource implements INameSource {
  factsOn = true;
  asked: string[] = [];
  lines: LineShape[] = [
    { line: 1, text: '', names: { h: 'f32[8]', f: 'f32[9]' } }
  ];

  async fact(name: string): Promise<NameFact | null> {
    this.asked.push(name);
    return name === 'x' ? FACT : null;
  }

  typed(): readonly LineShape[] {
    return this.lines;
  }
}

const views: EditorView[] = [];

function editor(source: INameSource): EditorView {
  const trans = nullTranslator.load('');
  const view = new EditorView({
    state: EditorState.create({
      doc: CODE,
      extensions: [python(), nameExtension('a', source, trans)]
    }),
    parent: document.body
  });
  views.push(view);
  return view;
}

/** What the tooltip at a place says. */
async function shown(
  view: EditorView,
  position: number
): Promise<string | null> {
  view.dispatch({ selection: { anchor: position } });
  await showName(view);
  return document.querySelector('[role="tooltip"]')?.textContent ?? null;
}

afterEach(() => views.splice(0).forEach(view => view.destroy()));

describe('the name at the cursor', () => {
  it('is asked of the kernel where it is the module’s', async () => {
    const source = new FakeSource();
    const view = editor(source);
    expect(await shown(view, 0)).toBe(
      'xf32[3]in the kernel nowShape(3,)Dtypefloat32'
    );
    expect(await shown(view, CODE.length)).toContain('in the kernel now');
    expect(source.asked).toEqual(['x', 'x']);
  });

  it('is taken from the trace where it is a function’s own', async () => {
    const source = new FakeSource();
    const view = editor(source);
    expect(await shown(view, CODE.indexOf('h *'))).toContain('f32[8]as traced');
    expect(source.asked).toEqual([]);
  });

  it('is said to be unknown, and why', async () => {
    const source = new FakeSource();
    const view = editor(source);
    const jnp = CODE.indexOf('jnp');
    expect(await shown(view, jnp)).toContain('nothing is known of it');
    expect(await shown(view, CODE.indexOf('f('))).toContain('as traced');
    source.factsOn = false;
    expect(await shown(view, jnp)).toContain('off in the panel');
    expect(await shown(view, CODE.indexOf('return') + 1)).toBeNull();
  });

  it('goes when the cursor or the text moves, and with the focus', async () => {
    const view = editor(new FakeSource());
    const tooltip = () => document.querySelector('[role="tooltip"]');
    await shown(view, 0);
    view.dispatch({ selection: { anchor: 3 } });
    expect(tooltip()).toBeNull();
    await shown(view, 0);
    view.dispatch({ changes: { from: 0, insert: '#' } });
    expect(tooltip()).toBeNull();
    await shown(view, 1);
    view.contentDOM.dispatchEvent(new FocusEvent('blur'));
    expect(tooltip()).toBeNull();
  });

  it('is not shown for a text that has changed meanwhile', async () => {
    const view = editor(new FakeSource());
    view.dispatch({ selection: { anchor: 0 } });
    const showing = showName(view);
    view.dispatch({ changes: { from: 0, insert: 'y = 1\n' } });
    await showing;
    expect(document.querySelector('[role="tooltip"]')).toBeNull();
  });
});
