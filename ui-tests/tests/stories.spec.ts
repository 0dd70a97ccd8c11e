import { expect, test } from '@jupyterlab/galata';

import {
  card,
  cellTexts,
  editorOf,
  marksOf,
  openNotebook,
  openPanel,
  panel
} from './notebooks';

const MAKE = 'import jax.numpy as jnp\nx = jnp.zeros(3)';
const FIXED = 'x = x.at[0].set(1)';

test.use({ autoGoto: true });

test('the squiggle appears while typing, under the mistake alone', async ({
  page,
  tmpPath
}) => {
  await openNotebook(page, tmpPath, [MAKE, '']);
  await editorOf(page, 1).click();
  await page.keyboard.type('x[0] = 1');
  await expect(marksOf(page, 1)).toHaveText(['x[0] = 1']);
  await expect(marksOf(page, 1)).toHaveClass(/jp-mod-error/);
});

test('the card opens by mouse; one undo takes its fix back', async ({
  page,
  tmpPath
}) => {
  await openNotebook(page, tmpPath, [MAKE, 'x[0] = 1']);
  await marksOf(page, 1).first().hover();
  await expect(card(page)).toContainText('is a JAX array');
  await expect(card(page)).toContainText('item-assignment');
  await card(page).locator('.jp-mod-preferred').click();
  await expect.poll(() => cellTexts(page)).toEqual([MAKE, FIXED]);
  await expect(card(page)).toHaveCount(0);
  await expect(marksOf(page, 1)).toHaveCount(0);
  await editorOf(page, 1).click();
  await page.keyboard.press('Control+z');
  await expect.poll(() => cellTexts(page)).toEqual([MAKE, 'x[0] = 1']);
  await expect(marksOf(page, 1)).toHaveCount(1);
});

test('a hint in cell 7 speaks of an array made in cell 2', async ({
  page,
  tmpPath
}) => {
  const others = ['a = 1', { markdown: '# between' }, 'b = 2', 'c = 3'];
  await openNotebook(page, tmpPath, [
    'import jax.numpy as jnp',
    'grid = jnp.zeros((3, 3))',
    ...others,
    'grid[1, :] = 5.0'
  ]);
  await marksOf(page, 6).first().hover();
  const step = card(page).locator('.jp-JaxHints-why button').first();
  await expect(step).toContainText('cell 2:1');
  await step.click();
  await expect
    .poll(() => page.evaluate(() => window.getSelection()?.toString()))
    .toContain('jnp.zeros');
});

test('the fix at the cursor has a key, which elsewhere runs the cell', async ({
  page,
  tmpPath
}) => {
  await openNotebook(page, tmpPath, [MAKE, 'x[0] = 1']);
  await expect(marksOf(page, 1)).toHaveCount(1);
  await editorOf(page, 1).click();
  await page.keyboard.press('Alt+Enter');
  await expect.poll(() => cellTexts(page)).toEqual([MAKE, FIXED]);
  await expect(marksOf(page, 1)).toHaveCount(0);
  await page.keyboard.press('Alt+Enter');
  await expect.poll(() => cellTexts(page)).toEqual([MAKE, FIXED, '']);
});

test('the card opens, moves and closes by keyboard', async ({
  page,
  tmpPath
}) => {
  await openNotebook(page, tmpPath, [MAKE, 'y = 0\nx[0] = 1', 'x[1] = 2']);
  await expect(marksOf(page, 2)).toHaveCount(1);
  await editorOf(page, 0).click();
  await page.keyboard.press('F8');
  await expect(card(page)).toContainText('.at[0].set');
  await page.keyboard.press('F8');
  await expect(card(page)).toContainText('.at[1].set');
  await page.keyboard.press('Shift+F8');
  await expect(card(page)).toContainText('.at[0].set');
  await page.keyboard.press('Escape');
  await expect(card(page)).toHaveCount(0);
  await page.keyboard.press('Control+F8');
  const preferred = card(page).locator('.jp-mod-preferred');
  await expect(preferred).toBeFocused();
  await page.keyboard.press('Escape');
  await expect(card(page)).toHaveCount(0);
  await expect(editorOf(page, 1)).toBeFocused();
  await page.keyboard.press('Control+F8');
  await expect(preferred).toBeFocused();
  await page.keyboard.press('Enter');
  await expect
    .poll(async () => (await cellTexts(page))[1])
    .toBe(`y = 0\n${FIXED}`);
});

test('a press in the panel shows a cell far down a long notebook', async ({
  page,
  tmpPath
}) => {
  const cells = Array.from({ length: 120 }, (_, index) => `v${index} = 1`);
  cells[0] = MAKE;
  cells[110] = 'x[0] = 1';
  await openNotebook(page, tmpPath, cells);
  await openPanel(page);
  const item = panel(page).locator('.jp-JaxHints-itemMain');
  await expect(item).toHaveCount(1);
  await item.click();
  await expect(editorOf(page, 110)).toBeFocused();
  await expect(editorOf(page, 110)).toBeInViewport();
  await expect(marksOf(page, 110)).toHaveText(['x[0] = 1']);
  await panel(page).locator('.jp-JaxHints-itemFix').click();
  await expect.poll(async () => (await cellTexts(page))[110]).toBe(FIXED);
  await expect(panel(page)).toContainText('No hints');
});

test('ignoring here writes the comment, and the hint goes', async ({
  page,
  tmpPath
}) => {
  await openNotebook(page, tmpPath, [MAKE, 'x[0] = 1']);
  await marksOf(page, 1).first().hover();
  await card(page).getByRole('button', { name: 'Ignore here' }).click();
  await expect
    .poll(async () => (await cellTexts(page))[1])
    .toContain('# jaxhints: ignore[item-assignment]');
  await expect(marksOf(page, 1)).toHaveCount(0);
});

test('magics and a broken cell do not disturb the others', async ({
  page,
  tmpPath
}) => {
  await openNotebook(page, tmpPath, [
    '%matplotlib inline\n!ls\nimport jax.numpy as jnp\nx = jnp.zeros(3)',
    'def broken((:\n  x[0] =',
    '%%bash\nx[0] = 1',
    '%time y = 1\nx[0] = 1'
  ]);
  await expect(marksOf(page, 3)).toHaveText(['x[0] = 1']);
  await expect(marksOf(page, 1)).toHaveCount(0);
  await expect(marksOf(page, 2)).toHaveCount(0);
});

test('moved, added and deleted cells keep their hints', async ({
  page,
  tmpPath
}) => {
  await openNotebook(page, tmpPath, [MAKE, 'x[0] = 1', 'y = 2']);
  await expect(marksOf(page, 1)).toHaveCount(1);
  await editorOf(page, 1).click();
  await page.keyboard.press('Escape');
  await page.keyboard.press('Control+Shift+ArrowDown');
  await expect.poll(() => cellTexts(page)).toEqual([MAKE, 'y = 2', 'x[0] = 1']);
  await expect(marksOf(page, 2)).toHaveText(['x[0] = 1']);
  await page.keyboard.press('a');
  await expect(marksOf(page, 3)).toHaveText(['x[0] = 1']);
  await page.keyboard.press('d');
  await page.keyboard.press('d');
  await expect(marksOf(page, 2)).toHaveText(['x[0] = 1']);
});

test('all safe fixes of a notebook go in at once', async ({
  page,
  tmpPath
}) => {
  await openNotebook(page, tmpPath, [MAKE, 'x[0] = 1', 'x[1] = 2']);
  await openPanel(page);
  await panel(page).getByRole('button', { name: 'Fix 2 safe' }).click();
  await expect
    .poll(() => cellTexts(page))
    .toEqual([MAKE, FIXED, 'x = x.at[1].set(2)']);
});

test('the page of a rule opens beside the notebook', async ({
  page,
  tmpPath
}) => {
  await openNotebook(page, tmpPath, [MAKE, 'x[0] = 1']);
  await marksOf(page, 1).first().hover();
  await card(page).getByRole('button', { name: 'Rule page' }).click();
  const text = page.locator('.jp-JaxHints-page .jp-RenderedMarkdown');
  await expect(text).toContainText('What JAX does');
  await expect(text.locator('pre, code').first()).toBeVisible();
});

test('a notebook without a kernel has hints, and stays as it was', async ({
  page,
  tmpPath
}) => {
  await openNotebook(page, tmpPath, [MAKE, 'x[0] = 1']);
  await page.evaluate(() => {
    const widget = (window as any).jupyterapp.shell.currentWidget;
    return widget.sessionContext.shutdown();
  });
  await expect(marksOf(page, 1)).toHaveCount(1);
  const canUndo = await page.evaluate(() =>
    (
      window as any
    ).jupyterapp.shell.currentWidget.content.model.sharedModel.canUndo()
  );
  expect(canUndo).toBe(false);
});

test('hints can be turned off and on', async ({ page, tmpPath }) => {
  await openNotebook(page, tmpPath, [MAKE, 'x[0] = 1']);
  await expect(marksOf(page, 1)).toHaveCount(1);
  const toggle = () =>
    page.evaluate(() =>
      (window as any).jupyterapp.commands.execute('jaxhints:toggle')
    );
  await toggle();
  await expect(marksOf(page, 1)).toHaveCount(0);
  await openPanel(page);
  await expect(panel(page)).toContainText('JAX hints are off.');
  await toggle();
  await expect(marksOf(page, 1)).toHaveCount(1);
});

test('without its server half the extension says so', async ({
  page,
  tmpPath
}) => {
  await page.route('**/jaxhints/api/**', route =>
    route.fulfill({ status: 404, json: { message: 'Not Found' } })
  );
  await openNotebook(page, tmpPath, [MAKE, 'x[0] = 1']);
  await openPanel(page);
  await expect(panel(page)).toContainText('The server half of JAX hints');
  await page.unroute('**/jaxhints/api/**');
  await panel(page).getByRole('button', { name: 'Try again' }).click();
  await expect(marksOf(page, 1)).toHaveCount(1);
});

test('both views of a notebook show its hints', async ({ page, tmpPath }) => {
  await openNotebook(page, tmpPath, [MAKE, 'x[0] = 1']);
  await page.evaluate(async () => {
    const { commands } = (window as any).jupyterapp;
    await commands.execute('docmanager:clone');
  });
  const marks = page.locator('.jp-NotebookPanel .jp-JaxHints-mark');
  await expect(marks).toHaveText(['x[0] = 1', 'x[0] = 1']);
});

test('a Python file has hints as a cell has', async ({ page, tmpPath }) => {
  const path = `${tmpPath}/story.py`;
  await page.contents.uploadContent(`${MAKE}\nx[0] = 1\n`, 'text', path);
  await page.evaluate(async file => {
    const { commands } = (window as any).jupyterapp;
    await commands.execute('docmanager:open', { path: file });
  }, path);
  const mark = page.locator('.jp-FileEditor .jp-JaxHints-mark');
  await expect(mark).toHaveText(['x[0] = 1']);
  await openPanel(page);
  await expect(panel(page)).toContainText('story.py');
  await mark.click();
  await page.keyboard.press('Alt+Enter');
  await expect(page.locator('.jp-FileEditor .cm-content')).toContainText(FIXED);
});
