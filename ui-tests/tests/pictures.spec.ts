import { expect, test } from '@jupyterlab/galata';
import * as path from 'path';

import {
  card,
  editorOf,
  marksOf,
  openNotebook,
  openPanel,
  panel
} from './notebooks';
import { openTour } from './tour';

const FOLDER =
  process.env.JAXHINTS_SCREENSHOTS ??
  path.resolve(__dirname, '..', 'screenshots');

for (const theme of ['light', 'dark'] as const) {
  test(`the tour in the ${theme} theme`, async ({ page, tmpPath }) => {
    if (theme === 'dark') {
      await page.theme.setDarkTheme();
    }
    await openTour(page, tmpPath);
    await page.sidebar.close('left');
    await openPanel(page);
    await expect(
      panel(page).locator('.jp-JaxHints-item').first()
    ).toBeVisible();
    await panel(page)
      .locator('.jp-JaxHints-item[data-rule="item-assignment"]')
      .locator('.jp-JaxHints-itemMain')
      .first()
      .click();
    const cell = page.locator('.jp-Notebook .jp-Cell.jp-mod-active');
    const mark = cell.locator('.jp-JaxHints-mark').first();
    await expect(mark).toBeVisible();
    await page.keyboard.press('End');
    // JupyterLab draws the cells one after the other, and moves them while it does.
    await page.waitForTimeout(2_000);
    await mark.evaluate(node => node.scrollIntoView({ block: 'center' }));
    await page.waitForTimeout(1_000);
    await mark.hover();
    await expect(card(page)).toBeVisible();
    await expect(card(page).locator('.jp-mod-preferred')).toBeVisible();
    const background = await card(page).evaluate(
      node => getComputedStyle(node).backgroundColor
    );
    const [red] = background.match(/\d+/g)!.map(Number);
    expect(theme === 'dark' ? red < 80 : red > 200).toBe(true);
    await page.screenshot({ path: path.join(FOLDER, `tour-${theme}.png`) });
  });
}

const TRACED = [
  'import jax, jax.numpy as jnp\n\nw = 0.1 * jnp.ones((64, 128))\nv = jnp.ones((128, 10))\nbatch = jnp.ones((32, 64))',
  '@jax.jit\ndef scores(w, v, x):\n    h = jax.nn.relu(x @ w)\n    logits = h @ v\n    return jax.nn.softmax(logits)\n\nbest = scores(w, v, batch).argmax(axis=-1)',
  '@jax.jit\ndef backwards(w, v, x):\n    h = x @ w\n    return v @ h\n\nbackwards(w, v, batch)'
];

test('the live trace of cells that have not run yet', async ({
  page,
  tmpPath
}) => {
  await openNotebook(page, tmpPath, TRACED, 'shapes.ipynb');
  await page.waitForFunction(
    () => {
      const widget = (window as any).jupyterapp.shell.currentWidget;
      return widget.sessionContext.session?.kernel?.status === 'idle';
    },
    null,
    { timeout: 60_000 }
  );
  await page.evaluate(() => {
    const { content } = (window as any).jupyterapp.shell.currentWidget;
    for (const cell of content.model.cells) {
      cell.trusted = true;
    }
  });
  await editorOf(page, 0).click();
  await page.keyboard.press('Control+Enter');
  await expect(page.locator('.jp-Notebook .jp-InputPrompt').first()).toHaveText(
    '[1]:',
    { timeout: 40_000 }
  );
  await page.sidebar.close('left');
  await openPanel(page);
  const section = panel(page).locator('.jp-JaxHints-trace');
  await section.getByRole('switch', { name: 'Live trace' }).click();
  await section.getByRole('button', { name: 'Turn on' }).click();
  await expect(
    editorOf(page, 1).locator('.jp-JaxHints-ghost').first()
  ).toBeVisible({ timeout: 30_000 });
  await expect(marksOf(page, 2).first()).toBeVisible({ timeout: 30_000 });
  await marksOf(page, 2).first().hover();
  await expect(card(page)).toBeVisible();
  await page.screenshot({ path: path.join(FOLDER, 'trace-light.png') });
});

test('the tour is reached from the launcher, the Help menu and the palette', async ({
  page
}) => {
  await expect(
    page.locator('.jp-LauncherCard[title*="JAX hints"]').first()
  ).toBeVisible();
  await page.menu.openLocator('Help');
  await expect(
    page.locator('.lm-Menu-itemLabel', { hasText: 'Tour of JAX Hints' })
  ).toBeVisible();
  await page.keyboard.press('Escape');
  await page.keyboard.press('Control+Shift+c');
  await page.keyboard.type('Tour of JAX');
  await expect(
    page.locator('.lm-CommandPalette-item', { hasText: 'Tour of JAX Hints' })
  ).toBeVisible();
  expect(await marksOf(page, 0).count()).toBe(0);
});
