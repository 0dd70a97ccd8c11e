import { expect, type IJupyterLabPageFixture, test } from '@jupyterlab/galata';

import {
  cellTexts,
  editorOf,
  marksOf,
  openNotebook,
  openPanel,
  panel
} from './notebooks';
import { ghosts, restartKernel, runCell, section, traced } from './tracing';

const IMPORTS = 'import jax, jax.numpy as jnp';
const STEP =
  "@jax.jit\ndef step(x, w):\n    h = x @ w\n    print('Executing function')\n    return h.sum()";
const CALL = 'loss = step(jnp.ones((8, 3)), jnp.ones((3, 4)))';

test.use({ autoGoto: true });

// For the restarts.
test.use({ kernels: null });

const output = (page: IJupyterLabPageFixture) =>
  page.locator('.jp-Notebook .jp-OutputArea-output');

const prompt = (page: IJupyterLabPageFixture, index: number) =>
  page
    .locator(`.jp-Notebook .jp-Cell[data-windowed-list-index="${index}"]`)
    .locator('.jp-InputPrompt');

test('shapes appear, and tracing leaves the first call alone', async ({
  page,
  tmpPath
}) => {
  await traced(page, tmpPath, [IMPORTS, STEP, CALL, CALL]);
  await expect(ghosts(page, 1)).toHaveText([
    'x f32[8,3]  w f32[3,4]',
    'h f32[8,4]',
    'f32[]'
  ]);
  await expect(section(page)).toContainText(/JAX\s*\d+\.\d+\.\d+/);
  await runCell(page, 1);
  await expect(prompt(page, 1)).toHaveText('[2]:');
  await editorOf(page, 3).click();
  await page.keyboard.press('End');
  await page.keyboard.type('  # traced anew');
  await expect(ghosts(page, 3)).toHaveText(['loss f32[]']);
  await expect(section(page).locator('.jp-mod-stale')).toHaveCount(0);
  await expect(output(page)).toHaveCount(0);
  await runCell(page, 2);
  await expect(prompt(page, 2)).toHaveText('[3]:');
  await expect(output(page)).toHaveText(['Executing function']);
  await runCell(page, 3);
  await expect(prompt(page, 3)).toHaveText('[4]:');
  await expect(output(page)).toHaveText(['Executing function']);
  await section(page)
    .getByRole('switch', { name: 'Shapes in the code' })
    .click();
  await expect(ghosts(page, 1)).toHaveCount(0);
});

test('a wrong shape is marked before its cell runs', async ({
  page,
  tmpPath
}) => {
  await traced(page, tmpPath, [
    `${IMPORTS}\nn = 5`,
    'bad = jnp.ones((8, n)) @ jnp.ones((3, 4))'
  ]);
  await expect(marksOf(page, 1)).toHaveCount(1);
  await marksOf(page, 1).first().hover();
  await expect(page.locator('.jp-JaxHints-cards')).toContainText(
    '✓ seen in the kernel · JAX'
  );
});

test('an untrusted notebook is not traced', async ({ page, tmpPath }) => {
  await openNotebook(page, tmpPath, [IMPORTS, STEP]);
  await openPanel(page);
  const toggle = section(page).getByRole('switch', { name: 'Live trace' });
  await toggle.click();
  await expect(section(page)).toContainText('not trusted');
  await expect(ghosts(page, 1)).toHaveCount(0);
});

test('a busy kernel is not waited for', async ({ page, tmpPath }) => {
  await traced(page, tmpPath, [
    IMPORTS,
    STEP,
    CALL,
    'import time\ntime.sleep(20)'
  ]);
  await expect(ghosts(page, 1)).toHaveCount(3);
  await runCell(page, 3);
  await expect(prompt(page, 3)).toHaveText('[*]:');
  await editorOf(page, 2).click();
  await page.keyboard.press('End');
  await page.keyboard.type('  # while it runs');
  expect((await cellTexts(page))[2]).toBe(`${CALL}  # while it runs`);
  await expect(section(page)).toContainText('waits: the kernel is busy');
  await expect(section(page).locator('.jp-mod-stale')).toHaveCount(1);
  await expect(ghosts(page, 1)).toHaveCount(3);
  await expect(prompt(page, 3)).toHaveText('[*]:');
  await expect(prompt(page, 3)).toHaveText('[2]:', { timeout: 40_000 });
  await expect(section(page).locator('.jp-mod-stale')).toHaveCount(0);
});

test('a hint that the kernel disproves goes, and the panel says so', async ({
  page,
  tmpPath
}) => {
  await traced(page, tmpPath, [
    IMPORTS,
    'scale = jnp.arange(3)',
    '@jax.jit\ndef add(x):\n    return jax.lax.add(x, scale)\ny = add(jnp.ones(3))',
    'scale = scale.astype(jnp.float32)'
  ]);
  await expect(marksOf(page, 2)).toHaveCount(1);
  for (const [at, cell] of [1, 3, 2].entries()) {
    await runCell(page, cell);
    await expect(prompt(page, cell)).toHaveText(`[${at + 2}]:`);
  }
  await expect(marksOf(page, 2)).toHaveCount(0);
  await expect(panel(page).getByLabel('Notes')).toHaveText(
    'Cell [4] — 3: The trace disproves lax-dtype-mismatch on line 3: JAX runs through it'
  );
});

for (const isBusy of [false, true]) {
  const kernel = isBusy ? 'a busy kernel' : 'a kernel';
  test(`a restart of ${kernel} takes what was known, and it comes back`, async ({
    page,
    tmpPath
  }) => {
    test.setTimeout(150_000);
    await traced(page, tmpPath, [
      IMPORTS,
      STEP,
      'loss = step(jnp.ones((8, 5)), jnp.ones((3, 4)))',
      'import time\ntime.sleep(600)'
    ]);
    await expect(ghosts(page, 1)).not.toHaveCount(0);
    await expect(marksOf(page, 1)).toHaveCount(2);
    if (isBusy) {
      await runCell(page, 3);
      await expect(section(page)).toContainText('python3 · busy');
    }
    await restartKernel(page);
    await expect(section(page)).toContainText('the kernel was restarted');
    await expect(ghosts(page, 1)).toHaveCount(0);
    await expect(marksOf(page, 1)).toHaveCount(1);
    await expect(section(page)).toContainText('JAX is not imported yet', {
      timeout: 40_000
    });
    await runCell(page, 0);
    await expect(ghosts(page, 1)).not.toHaveCount(0, { timeout: 40_000 });
    await expect(marksOf(page, 1)).toHaveCount(2);
  });
}

test('a trace that is cancelled shows nothing, and the next one does', async ({
  page,
  tmpPath
}) => {
  const endless = '@jax.jit\ndef turn(x):\n    while True:\n        x = x + 1';
  await traced(page, tmpPath, [IMPORTS, STEP, CALL]);
  await expect(ghosts(page, 1)).toHaveCount(3);
  await editorOf(page, 2).click();
  await page.keyboard.press('End');
  await page.evaluate(text => {
    const { content } = (window as any).jupyterapp.shell.currentWidget;
    content.model.sharedModel.cells[2].setSource(text);
  }, `${endless}\nturn(1.0)\nstep(jnp.ones((8, 5)), jnp.ones((3, 4)))`);
  await section(page).getByRole('button', { name: 'Cancel' }).click();
  await expect(section(page)).toContainText('stopped');
  await expect(
    section(page).getByRole('button', { name: 'Cancel' })
  ).toHaveCount(0);
  await page.waitForTimeout(3_000);
  await expect(section(page)).toContainText('stopped');
  await page.evaluate(text => {
    const { content } = (window as any).jupyterapp.shell.currentWidget;
    content.model.sharedModel.cells[2].setSource(text);
  }, CALL);
  await expect(section(page)).toContainText('traced');
  await expect(ghosts(page, 1)).toHaveCount(3);
});
