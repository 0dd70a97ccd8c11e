import { expect, test } from '@jupyterlab/galata';

import { editorOf, marksOf, openNotebook, openPanel } from './notebooks';
import { ghosts, runCell, section, traced } from './tracing';

const IMPORTS = 'import jax, jax.numpy as jnp';
const STEP =
  "@jax.jit\ndef step(x, w):\n    h = x @ w\n    print('Executing function')\n    return h.sum()";
const CALL = 'loss = step(jnp.ones((8, 3)), jnp.ones((3, 4)))';

test.use({ autoGoto: true });

test('shapes appear, and tracing leaves the first call alone', async ({
  page,
  tmpPath
}) => {
  await traced(page, tmpPath, [IMPORTS, STEP, CALL]);
  await expect(ghosts(page, 1)).toHaveText([
    'x f32[8,3]  w f32[3,4]',
    'h f32[8,4]',
    'f32[]'
  ]);
  await expect(section(page)).toContainText(/JAX\s*\d+\.\d+\.\d+/);
  await runCell(page, 1);
  await runCell(page, 2);
  const output = page.locator('.jp-Notebook .jp-OutputArea-output');
  await expect(output).toHaveText('Executing function');
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
  await editorOf(page, 2).click();
  await page.keyboard.press('End');
  await page.keyboard.type('  # while it runs');
  await expect(section(page)).toContainText('waits: the kernel is busy');
  await expect(section(page).locator('.jp-mod-stale')).toHaveCount(1);
  await expect(ghosts(page, 1)).toHaveCount(3);
});
