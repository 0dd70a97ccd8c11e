import { expect, type IJupyterLabPageFixture, test } from '@jupyterlab/galata';

import { card, editorOf, marksOf } from './notebooks';
import { openTour, tourCell } from './tour';
import { ghosts, kernelIdle, runCell, section, switchOn } from './tracing';

/** Brings a cell of the tour into view; its place among all cells. */
async function show(page: IJupyterLabPageFixture, id: string): Promise<number> {
  const place = tourCell(id);
  await page.evaluate(async index => {
    const { content } = (window as any).jupyterapp.shell.currentWidget;
    await content.scrollToItem(index, 'center');
  }, place);
  await editorOf(page, place).waitFor();
  return place;
}

test('the tour shows what the kernel adds to cells that have not run', async ({
  page,
  tmpPath
}) => {
  await openTour(page, tmpPath);
  await kernelIdle(page);
  await runCell(page, await show(page, 'imports'));
  await kernelIdle(page);
  await switchOn(page);

  const shown = await show(page, 'shapes-shown');
  await expect(ghosts(page, shown)).toHaveText(
    [
      'point f32[2]  centre f32[2]',
      'offset f32[2]',
      'f32[]',
      'points f32[100,2]  centres f32[2,2]',
      'point f32[2]',
      'f32[2]',
      'distances f32[100,2]',
      'i32[100]'
    ],
    { timeout: 40_000 }
  );

  const unfit = await show(page, 'shapes-unfit');
  await expect(marksOf(page, unfit)).toHaveText('queries @ keys');
  await marksOf(page, unfit).hover();
  await expect(card(page)).toContainText(
    'queries @ keys gets f32[6,8] and f32[6,8]: the shapes do not fit'
  );
  await expect(card(page)).toContainText('✓ seen in the kernel · JAX');
  await page.keyboard.press('Escape');
  const again = await show(page, 'traced-twice');
  await expect(marksOf(page, again)).toHaveText('smoothed(mean, value)');
  const baked = await show(page, 'array-baked-in');
  await expect(marksOf(page, baked)).toHaveText('table');

  const nan = await show(page, 'nan-made');
  await expect(marksOf(page, nan)).toHaveCount(0);
  await editorOf(page, nan).click();
  await section(page).getByRole('button', { name: 'Find NaN' }).click();
  await expect(section(page)).toContainText('1 place makes a NaN', {
    timeout: 40_000
  });
  await expect(marksOf(page, nan)).toHaveText(
    'centred / jnp.sqrt((centred ** 2).mean())'
  );
});
