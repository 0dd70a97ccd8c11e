import { nullTranslator } from '@jupyterlab/translation';

import { fixOf, hintOf, notebookOf, rangeOf } from '../../__tests__/fakes';
import { NotebookHost } from '../../hosts/notebook';
import type { Diagnostic, Fix } from '../../protocol';
import { diffOf } from '../diff';
import { plainText, spans } from '../message';
import { createCard } from '../view';

const MAKE = 'import jax.numpy as jnp\nx = jnp.zeros(3)';
const BAD = 'y = 0\nx[0] = 1\nz = 2';

function cardOf(
  hint: Diagnostic,
  onCompare: ((fix: Fix) => Promise<string>) | null = null
): {
  card: HTMLElement;
  calls: Record<string, unknown[][]>;
} {
  const calls: Record<string, unknown[][]> = {};
  const note =
    (name: string) =>
    (...args: unknown[]) =>
      void (calls[name] ??= []).push(args);
  const card = createCard({
    hint,
    host: new NotebookHost(notebookOf(MAKE, BAD).sharedModel),
    trans: nullTranslator.load(''),
    fixKey: 'Alt+Enter',
    onFix: note('fix'),
    onReveal: note('reveal'),
    onRule: note('rule'),
    onCopy: note('copy'),
    onCompare
  });
  return { card, calls };
}

function press(card: HTMLElement, text: string): void {
  const button = [...card.querySelectorAll('button')].find(item =>
    item.textContent?.startsWith(text)
  );
  expect(button).toBeDefined();
  button?.click();
}

describe('createCard', () => {
  const fixes = [
    fixOf({ b: BAD }, [['b', 'x[0] = 1', 'x = x.at[0].set(1)']]),
    fixOf({ b: BAD }, [['b', 'x[0] = 1', 'x = x.at[0].add(1)']], {
      title: 'Use .at[0].add',
      applicability: 'unsafe'
    })
  ];
  const ignore = fixOf({ b: BAD }, [['b', '1\n', '1  # jaxhints: ignore\n']]);
  const hint = hintOf('b', BAD, 'x[0] = 1', {
    fixes,
    ignore,
    evidence: [
      {
        message: 'made by `jnp.zeros`',
        cell: 'a',
        range: rangeOf(MAKE, 'jnp.zeros(3)')
      },
      { message: 'in a cell that is gone', cell: 'q', range: null }
    ]
  });

  it('reads from rule to fix', () => {
    const { card } = cardOf(hint);
    expect(card.querySelector('.jp-JaxHints-head')?.textContent).toBe(
      'item-assignmentcertain from the code'
    );
    expect(card.querySelector('[role="img"]')?.getAttribute('aria-label')).toBe(
      'Error'
    );
    const message = card.querySelector('.jp-JaxHints-message');
    expect(message?.innerHTML).toBe(
      '<code class="">x</code> is a JAX array: item assignment raises'
    );
    expect(card.querySelector('.jp-JaxHints-why')?.textContent).toBe(
      'Whymade by jnp.zeros cell 1:2→in a cell that is gone'
    );
    const diff = [...card.querySelectorAll('.jp-mod-shown > div')];
    expect(diff.map(line => line.textContent)).toEqual([
      '- x[0] = 1',
      '+ x = x.at[0].set(1)'
    ]);
  });

  it('leads to places, pages and fixes', () => {
    const { card, calls } = cardOf(hint);
    press(card, 'made by jnp.zeros');
    expect(calls.reveal).toEqual([['a', rangeOf(MAKE, 'jnp.zeros(3)')]]);
    press(card, 'item-assignment');
    press(card, 'Rule page');
    expect(calls.rule).toEqual([['item-assignment'], ['item-assignment']]);
    press(card, 'Use .at[0].add');
    press(card, 'Ignore here');
    expect(calls.fix).toEqual([[fixes[1]], [ignore]]);
    press(card, 'Copy');
    expect(calls.copy).toEqual([[hint]]);
  });

  it('shows the diff of the fix that has the focus, and what to know of it', () => {
    const { card } = cardOf(hint);
    const [, second] = card.querySelectorAll('.jp-JaxHints-button');
    second.dispatchEvent(new FocusEvent('focus'));
    const shown = [...card.querySelectorAll('.jp-mod-shown')];
    expect(shown.map(item => item.lastChild?.textContent)).toEqual([
      '+ x = x.at[0].add(1)',
      'may change what the code does: look first'
    ]);
  });

  it('says what the trace knows of a fix', () => {
    const [one, two] = fixes;
    const told = (good: boolean, message: string) => ({
      verification: { good, message, worse: false }
    });
    const { card } = cardOf({
      ...hint,
      fixes: [
        { ...one, ...told(true, 'traces cleanly') },
        { ...two, ...told(false, 'still fails: `x`') }
      ]
    });
    const remarks = [...card.querySelectorAll('.jp-JaxHints-remarks > *')];
    expect(remarks.map(remark => remark.textContent)).toEqual([
      'traces cleanly',
      'still fails: x'
    ]);
    expect(remarks[0].matches('.jp-mod-good')).toBe(true);
    expect(remarks[1].matches('.jp-mod-bad')).toBe(true);
  });

  it('compares the fix that is shown, where the cell was traced', async () => {
    expect(cardOf(hint).card.textContent).not.toContain('Compare fix');
    const asked: Fix[] = [];
    const { card } = cardOf(hint, async fix => {
      asked.push(fix);
      return 'same values';
    });
    const [, second] = card.querySelectorAll('.jp-JaxHints-button');
    second.dispatchEvent(new FocusEvent('focus'));
    press(card, 'Compare fix');
    const remark = card.querySelector('.jp-JaxHints-remarks > .jp-mod-shown');
    expect(remark?.textContent).toBe('comparing…');
    await Promise.resolve();
    expect(asked).toEqual([fixes[1]]);
    expect(remark?.textContent).toBe('same values');
    expect(remark?.matches('.jp-mod-good')).toBe(true);
  });

  it('shows code of the notebook as text, whatever it says', () => {
    const message = 'a `<img src=x onerror=alert(1)>` b';
    const { card } = cardOf({ ...hint, message, fixes: [] });
    expect(card.querySelector('img')).toBeNull();
    expect(card.querySelector('code')?.textContent).toContain('<img');
  });

  it('says what the kernel showed', () => {
    const seen = { kernel: 'python3', jax: '0.10.2', device: 'cpu' };
    const { card } = cardOf({ ...hint, seen });
    expect(card.querySelector('.jp-mod-seen')?.textContent).toBe(
      '✓ seen in the kernel · JAX 0.10.2 · cpu'
    );
    const unknown = cardOf({ ...hint, seen: { ...seen, device: '' } }).card;
    expect(unknown.querySelector('.jp-mod-seen')?.textContent).toBe(
      '✓ seen in the kernel · JAX 0.10.2'
    );
  });
});

describe('diffOf', () => {
  const textOf = () => BAD;

  it('leaves out the lines that stay', () => {
    const text = 'if a:\n    b = 1\nc = 2';
    const fix = fixOf({ b: text }, [['b', text, 'if a:\n    b = 3\nc = 2']]);
    expect(diffOf(fix, () => text)).toEqual([
      {
        cell: 'b',
        lines: [
          { sign: '-', text: '    b = 1' },
          { sign: '+', text: '    b = 3' }
        ]
      }
    ]);
  });

  it('keeps edits far apart, and cells, apart', () => {
    const fix = fixOf({ a: BAD, b: BAD }, [
      ['a', 'y', 'import jax\ny'],
      ['a', 'z', 'q'],
      ['b', 'y', 'w']
    ]);
    expect(diffOf(fix, textOf)).toEqual([
      {
        cell: 'a',
        lines: [
          { sign: '+', text: 'import jax' },
          { sign: '-', text: 'z = 2' },
          { sign: '+', text: 'q = 2' }
        ]
      },
      {
        cell: 'b',
        lines: [
          { sign: '-', text: 'y = 0' },
          { sign: '+', text: 'w = 0' }
        ]
      }
    ]);
  });
});

describe('spans', () => {
  it('cuts at backticks, and keeps an odd one', () => {
    expect(spans('`x` is `y')).toEqual([
      { text: 'x', code: true },
      { text: ' is `y', code: false }
    ]);
    expect(plainText('`x` raises')).toBe('x raises');
  });
});
