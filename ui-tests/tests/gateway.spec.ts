import { expect, test } from '@jupyterlab/galata';

import { freePort, LabWithGateway } from './gateway';
import { card, marksOf } from './notebooks';
import { ghosts, runCell, section, traced } from './tracing';

const IMPORTS = 'import jax, jax.numpy as jnp';
const STEP =
  "@jax.jit\ndef step(x, w):\n    h = x @ w\n    print('Executing function')\n    return h.sum()";
const CALL = 'loss = step(jnp.ones((8, 3)), jnp.ones((3, 4)))';
const WRONG = 'bad = jnp.ones((8, 5)) @ jnp.ones((3, 4))';

const port = freePort();
const lab = new LabWithGateway(port);

test.use({
  autoGoto: true,
  baseURL: `http://127.0.0.1:${port}`,
  kernels: null
});

test.beforeAll(async () => {
  test.setTimeout(200_000);
  await lab.start();
});

test.afterAll(() => lab.stop());

test('a kernel behind a gateway is traced through the browser', async ({
  page,
  tmpPath
}) => {
  test.setTimeout(180_000);
  const carried: string[] = [];
  page.on('request', request => {
    if (request.url().includes('/jaxhints/api/trace')) {
      carried.push(request.postDataJSON().carrier);
    }
  });
  await traced(page, tmpPath, [IMPORTS, STEP, CALL, WRONG]);
  await expect(ghosts(page, 1)).toHaveText([
    'x f32[8,3]  w f32[3,4]',
    'h f32[8,4]',
    'f32[]'
  ]);
  await expect(section(page)).toContainText(/JAX\s*\d+\.\d+\.\d+/);
  await expect(marksOf(page, 3)).toHaveCount(1);
  await marksOf(page, 3).first().hover();
  await expect(card(page)).toContainText('✓ seen in the kernel · JAX');
  expect(carried[0]).toBe('server');
  expect(carried[carried.length - 1]).toBe('browser');
  await runCell(page, 1);
  await runCell(page, 2);
  const output = page.locator('.jp-Notebook .jp-OutputArea-output');
  await expect(output).toHaveText('Executing function');
});
