import { expect, type IJupyterLabPageFixture, test } from '@jupyterlab/galata';

import { card, cellTexts, editorOf, marksOf } from './notebooks';
import { section, traced } from './tracing';

const IMPORTS = 'import jax, jax.numpy as jnp';
const ABSOLUTE =
  '@jax.jit\ndef absolute(x):\n    if x > 0:\n        return x\n    return -x';
const CHOICE =
  '@jax.jit\ndef choose(t, p, q):\n    if t > 0:\n        return p\n    return q';

test.use({ autoGoto: true });

/** Opens the card of a cell's mark until it says what the trace knows of its first fix. */
async function openTold(
  page: IJupyterLabPageFixture,
  index: number,
  words: string
): Promise<void> {
  await expect(async () => {
    await page.mouse.move(0, 0);
    await expect(card(page)).toHaveCount(0, { timeout: 1_000 });
    await marksOf(page, index).first().hover();
    await expect(
      card(page).locator('.jp-JaxHints-remarks > .jp-mod-shown')
    ).toHaveText(words, { timeout: 2_000 });
  }).toPass({ timeout: 40_000 });
}

test('a fix is traced, and its values are compared on request', async ({
  page,
  tmpPath
}) => {
  await traced(page, tmpPath, [IMPORTS, ABSOLUTE, 'y = absolute(-2.0)']);
  await openTold(page, 1, 'traces cleanly');
  await expect(
    card(page).locator('.jp-JaxHints-remarks > .jp-mod-shown')
  ).toHaveClass(/jp-mod-good/);
  await card(page).getByRole('button', { name: 'Compare fix' }).click();
  await expect(
    card(page).locator('.jp-JaxHints-remarks > .jp-mod-shown')
  ).toHaveText('same values');
  await expect(section(page)).toContainText('same values');
  await page.mouse.move(0, 0);
  await editorOf(page, 2).click();
  await section(page).getByRole('button', { name: 'Compare fix' }).click();
  await expect(section(page)).toContainText('Use jnp.where: same values');
});

test('a fix that fails is not the preferred one', async ({ page, tmpPath }) => {
  const call = 'y = choose(1.0, (jnp.ones(3),), (jnp.zeros(3),))';
  await traced(page, tmpPath, [IMPORTS, CHOICE, call]);
  await openTold(page, 1, 'traces cleanly');
  const [first, last] = await card(page)
    .locator('.jp-JaxHints-button')
    .allTextContents();
  expect([first.startsWith('Use lax.cond'), last]).toEqual([
    true,
    'Use jnp.where'
  ]);
  await card(page).getByRole('button', { name: 'Use jnp.where' }).hover();
  await expect(
    card(page).locator('.jp-JaxHints-remarks > .jp-mod-shown')
  ).toContainText('still fails: ');
  await editorOf(page, 1).click();
  await marksOf(page, 1).first().click();
  await page.keyboard.press('Alt+Enter');
  await expect
    .poll(async () => (await cellTexts(page))[1])
    .toContain('lax.cond(t > 0, lambda: p, lambda: q)');
});
