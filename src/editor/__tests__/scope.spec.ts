import { python } from '@codemirror/lang-python';
import { ensureSyntaxTree } from '@codemirror/language';
import { EditorState } from '@codemirror/state';

import { nameAt, typeAt } from '../scope';

/**
 * Where the name before `|` gets its value: `module`, a type, or null.
 *
 * A comment `# x: f32[3]` at a line's end is what a trace saw there.
 */
function told(marked: string): string | null {
  const position = marked.indexOf('|');
  const doc = marked.replace('|', '');
  const state = EditorState.create({ doc, extensions: [python()] });
  const tree = ensureSyntaxTree(state, doc.length, 5_000)!;
  const name = nameAt(tree, doc, position, -1);
  const lines = doc.split('\n').map((text, line) => {
    const seen = text.split('# ')[1]?.split('; ') ?? [];
    const names = Object.fromEntries(seen.map(pair => pair.split(': ')));
    return { line, text: '', names };
  });
  const type = name && typeAt(name, doc, lines);
  return name?.origin?.isModule ? `module ${type ?? name.name}` : type;
}

describe('a name of the module', () => {
  it.each([
    ['x| = 3', 'x'],
    ['f(x|)', 'x'],
    ['@jax|.jit\ndef f(x): return x', 'jax'],
    ['def f|(x): return x', 'f'],
    ['def f(x=x|): return x', 'x'],
    ['def f(x: x|): return x', 'x'],
    ['def f(x):\n    return x * rate|', 'rate'],
    ['def f(x):\n    global n\n    n| = 3', 'n'],
    ['class C:\n    n = 1\n    def f(self): return n|', 'n'],
    ['y = [x| for z in x]', 'x'],
    ['f"{x|}"', 'x'],
    ['async def f(x): return f|', 'f']
  ])('%j', (code, name) => expect(told(code)).toBe(`module ${name}`));

  it.each([
    ['loss = f(x)  # loss: f32[]\nprint(loss|)', 'f32[]'],
    ['loss| = f(x)  # loss: f32[]', 'f32[]'],
    ['x = f(x|)  # x: f32[3]\nx = g(x)  # x: f32[2]', 'x'],
    ['x = f(x)  # x: f32[3]\nx = g(x|)  # x: f32[2]', 'f32[3]'],
    ['x = f(x)  # x: f32[3]\ndef h(): return x|\nx = g(x)  # x: f32[2]', 'x'],
    ['x = f(x)  # x: f32[3]\ndef h():\n    global x\n    x| = 2', 'x']
  ])('bound in the cell: %j', (code, type) =>
    expect(told(code)).toBe(`module ${type}`)
  );
});

describe('no name that is told of', () => {
  it.each([
    'x.shape|',
    'f(axis|=0)',
    '"x|"',
    'y = 1  # x|',
    'return|',
    '[x| for x in xs]',
    '{k: v| for k, v in xs}',
    'class C:\n    n = 1\n    m = n|',
    'def f():\n    import jax\n    return jax|',
    'def f(x):\n    with open(x) as h:\n        return h|',
    'def f(x):\n    def h(): pass\n    return h|'
  ])('%j', code => expect(told(code)).toBeNull());
});

describe('a local name has the type of its binding', () => {
  it.each([
    ['def f(x|, n):  # x: f32[3]; n: 2\n    return x', 'f32[3]'],
    ['def f(x, *n):  # x: f32[3]; n: 2\n    return n|', '2'],
    ['def f(\n    x,\n    n,  # x: f32[3]\n):\n    return x|', 'f32[3]'],
    ['async def f(x):  # x: f32[3]\n    return x|', 'f32[3]'],
    [
      'def f(x):  # x: f32[3]\n    x| = x.sum()  # x: f32[]\n    return x',
      'f32[]'
    ],
    [
      'def f(x):  # x: f32[3]\n    x = x|.sum()  # x: f32[]\n    return x',
      'f32[3]'
    ],
    [
      'def f(x):  # x: f32[3]\n    x = x.sum()  # x: f32[]\n    return x|',
      'f32[]'
    ],
    ['def f(x):\n    a, (b, c) = x  # b: f32[2]\n    return b|', 'f32[2]'],
    [
      'def f(x):\n    y = (x @\n         x)  # y: f32[]\n    return y|',
      'f32[]'
    ],
    ['def f(x):\n    if (n := g(x)):  # n: 3\n        return n|', '3'],
    [
      'def f(x):  # x: f32[3]\n    def g(y):  # y: f32[2]\n        return x| * y\n    return g',
      'f32[3]'
    ],
    ['g = lambda u: u| * 2  # u: f32[3]', 'f32[3]'],
    [
      'def f(x):\n    for i in range(3):\n        z = x @ x  # z: f32[3]\n        y = z|\n    z = 0  # z: 0',
      'f32[3]'
    ],
    [
      'def f(x):  # x: f32[2]\n    for i in range(3):\n        x = x| + 1  # x: f32[2]\n    return x',
      'f32[2]'
    ],
    [
      'def f(x):\n    if a:\n        h = 1  # h: f32[2]\n    else:\n        h = 2  # h: f32[2]\n    return h|',
      'f32[2]'
    ],
    ['def f(x):\n    return [x| * y for y in x]  # x: f32[9]', null],
    ['def f(x):  # x: f32[3]\n    return [x| * y for y in x]', 'f32[3]']
  ])('%j', (code, type) => expect(told(code)).toBe(type));
});

describe('a local name of more than one type is not told of', () => {
  it.each([
    'def f(x):\n    if a:\n        h = 1  # h: f32[2]\n    else:\n        h = 2  # h: f32[3]\n    return h|',
    'def f(x):\n    if a:\n        h = 1  # h: f32[2]\n    else:\n        h = 2\n    return h|',
    'def f(x):  # x: f32[3]\n    for i in range(3):\n        y = x|\n        x = g(x)  # x: f32[2]\n    return x',
    'def f(x):  # x: f32[3]\n    while x|.any():\n        x = g(x)  # x: f32[2]\n    return x',
    'def f(x):  # x: f32[3]\n    x = g(x)  # x: f32[2]\n    def h(): return x|\n    return h',
    'def f(x):  # x: f32[3]\n    x = unknown(x)\n    return x|',
    'def f(x):  # x: f32[3]\n    del x\n    return x|',
    'def f(x):  # x: f32[3]\n    try:\n        x = g(x)  # x: f32[2]\n    except E: pass\n    return x|'
  ])('%j', code => expect(told(code)).toBeNull());
});
