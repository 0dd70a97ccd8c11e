import { expect, type IJupyterLabPageFixture, test } from '@jupyterlab/galata';
import type { Locator } from '@playwright/test';

import {
  card,
  editorOf,
  marksOf,
  openNotebook,
  openPanel,
  panel
} from './notebooks';
import { ghosts, runCell, section, started, traced } from './tracing';

const IMPORTS = 'import jax, jax.numpy as jnp, numpy as np';
const MAKE = `${IMPORTS}
from functools import partial
prices = jnp.ones((8, 3))
table = np.zeros(4)
params = {"w": prices, "b": table}
@partial(jax.jit, static_argnames="n")
def power(x, n):
    return x ** n
cubed = power(prices, 3)
gone = jnp.ones(5)
gone.delete()`;
const STEP =
  '@jax.jit\ndef step(x, w):\n    h = x @ w\n    x = h.sum()\n    return x\n\nloss = step(prices, prices.T)';

test.use({ autoGoto: true });

const fact = (page: IJupyterLabPageFixture): Locator =>
  page.locator('.jp-JaxHints-fact');

const toggle = (page: IJupyterLabPageFixture, name: string): Locator =>
  section(page).getByRole('switch', { name });

/** Rests the pointer on the n-th time that a name stands in a cell. */
async function rest(
  page: IJupyterLabPageFixture,
  cell: number,
  name: string,
  time = 0
): Promise<void> {
  await page.mouse.move(2, 2);
  await expect(fact(page)).toHaveCount(0);
  const place = await editorOf(page, cell).evaluate(
    (content, [word, nth]) => {
      const walker = document.createTreeWalker(
        content,
        NodeFilter.SHOW_TEXT,
        node =>
          node.parentElement?.closest('.jp-JaxHints-ghost')
            ? NodeFilter.FILTER_REJECT
            : NodeFilter.FILTER_ACCEPT
      );
      let left = nth as number;
      for (let node = walker.nextNode(); node; node = walker.nextNode()) {
        const words = new RegExp(`(?<!\\w)${word}(?!\\w)`, 'g');
        for (const { index } of (node.textContent ?? '').matchAll(words)) {
          if (left-- === 0) {
            const range = document.createRange();
            range.setStart(node, index);
            range.setEnd(node, index + (word as string).length);
            const {
              left: x,
              top: y,
              width,
              height
            } = range.getBoundingClientRect();
            return { x: x + width / 2, y: y + height / 2 };
          }
        }
      }
      return null;
    },
    [name, time]
  );
  expect(place).not.toBeNull();
  await page.mouse.move(place!.x - 1, place!.y);
  await page.mouse.move(place!.x, place!.y, { steps: 3 });
}

/** Opens a trusted notebook, runs its first cell, and switches the facts on. */
async function informed(
  page: IJupyterLabPageFixture,
  tmpPath: string,
  cells: string[]
): Promise<void> {
  await started(page, tmpPath, cells);
  await openPanel(page);
  await toggle(page, 'Facts from the kernel').click();
  await expect(section(page)).toContainText('facts only', { timeout: 30_000 });
}

test('the facts tell kernel and names without a trace', async ({
  page,
  tmpPath
}) => {
  await informed(page, tmpPath, [MAKE, STEP]);
  await expect(section(page)).toContainText(/JAX\s*\d+\.\d+\.\d+ · x64 off/);
  await expect(section(page)).toContainText(/Device\s*cpu/);
  await expect(ghosts(page, 1)).toHaveCount(0);
  const tells = async (name: string, ...words: string[]) => {
    await rest(page, 0, name);
    for (const word of words) {
      await expect(fact(page)).toContainText(word);
    }
  };
  await tells('prices', 'f32[8,3]', '(8, 3)', 'float32', '1 device', 'now');
  await tells('table', 'np f64[4]', 'float64');
  await tells('params', '{w: f32[8,3], b: np f64[4]}');
  await tells('power', 'jitted function', 'Static', 'n', 'Traces', '1');
  await tells('gone', 'donated or deleted: its buffer is gone');
  await rest(page, 0, 'np');
  await page.waitForTimeout(1_500);
  await expect(fact(page)).toHaveCount(0);
  const asked = await page.evaluate(
    () =>
      performance
        .getEntriesByType('resource')
        .filter(({ name }) => name.includes('/jaxhints/api/trace')).length
  );
  expect(asked).toBeLessThanOrEqual(3);
});

test('facts are those of now, after each cell that runs', async ({
  page,
  tmpPath
}) => {
  await informed(page, tmpPath, [MAKE, 'prices = prices.T.astype(jnp.int32)']);
  await rest(page, 1, 'prices');
  await expect(fact(page)).toContainText('f32[8,3]');
  await runCell(page, 1);
  await expect(page.locator('.jp-Notebook .jp-InputPrompt').nth(1)).toHaveText(
    '[2]:'
  );
  await rest(page, 1, 'prices');
  await expect(fact(page)).toContainText('i32[3,8]');
});

test('names of a function are told as traced, and the command tells too', async ({
  page,
  tmpPath
}) => {
  await traced(page, tmpPath, [MAKE, STEP]);
  await expect(ghosts(page, 1).first()).toBeVisible({ timeout: 30_000 });
  await rest(page, 1, 'h', 1);
  await expect(fact(page)).toContainText('f32[8,8]');
  await expect(fact(page)).toContainText('as traced');
  await rest(page, 1, 'x', 1);
  await expect(fact(page)).toContainText('f32[8,3]');
  await rest(page, 1, 'x', 3);
  await expect(fact(page)).toContainText('f32[]');
  await rest(page, 1, 'prices');
  await expect(fact(page)).toContainText('in the kernel now');
  await rest(page, 1, 'loss');
  await expect(fact(page)).toContainText('as traced');
  await page.mouse.move(2, 2);
  await editorOf(page, 1).click();
  await page.keyboard.press('Control+End');
  await page.keyboard.press('ArrowLeft');
  await page.keyboard.press('ArrowLeft');
  await page.keyboard.press('Control+ArrowLeft');
  await page.keyboard.press('Alt+F8');
  await expect(fact(page)).toContainText('f32[8,3]');
  await page.keyboard.press('Escape');
  await expect(fact(page)).toHaveCount(0);
});

test('a hint under the pointer shows its card, and no type beside it', async ({
  page,
  tmpPath
}) => {
  await informed(page, tmpPath, [MAKE, 'prices[0] = 1.0']);
  await expect(marksOf(page, 1)).toHaveCount(1);
  await marksOf(page, 1).first().hover();
  await expect(card(page)).toBeVisible();
  await page.waitForTimeout(1_000);
  await expect(fact(page)).toHaveCount(0);
});

test('an untrusted notebook tells no facts', async ({ page, tmpPath }) => {
  await openNotebook(page, tmpPath, [MAKE]);
  await openPanel(page);
  await toggle(page, 'Facts from the kernel').click();
  await expect(section(page)).toContainText('not trusted');
  await expect(toggle(page, 'Facts from the kernel')).toHaveAttribute(
    'aria-checked',
    'false'
  );
});

for (const theme of ['light', 'dark'] as const) {
  test(`the tooltip in the ${theme} theme`, async ({ page, tmpPath }) => {
    if (theme === 'dark') {
      await page.theme.setDarkTheme();
    }
    await informed(page, tmpPath, [MAKE, STEP]);
    await page.sidebar.close('left');
    await page.waitForTimeout(1_000);
    await rest(page, 1, 'prices');
    await expect(fact(page)).toBeVisible();
    const [background, ...borders] = await fact(page).evaluate(node => {
      const style = getComputedStyle(node);
      const around = getComputedStyle(node.closest('.cm-tooltip-hover')!);
      return [
        style.backgroundColor,
        style.borderTopWidth,
        around.borderTopWidth
      ];
    });
    const [red] = background.match(/\d+/g)!.map(Number);
    expect(theme === 'dark' ? red < 80 : red > 200).toBe(true);
    expect(borders).toEqual(['1px', '0px']);
    await expect(panel(page)).toBeVisible();
    await test.info().attach(`hover-${theme}`, {
      body: await page.screenshot(),
      contentType: 'image/png'
    });
  });
}
