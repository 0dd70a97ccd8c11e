import { expect, type IJupyterLabPageFixture } from '@jupyterlab/galata';

import { editorOf, openNotebook, openPanel, panel } from './notebooks';

/** The panel's section of the live trace. */
export const section = (page: IJupyterLabPageFixture) =>
  panel(page).locator('.jp-JaxHints-trace');

/** Shapes at the ends of a cell's lines. */
export const ghosts = (page: IJupyterLabPageFixture, index: number) =>
  editorOf(page, index).locator('.jp-JaxHints-ghost');

/** Runs the cell at a place, as its shortcut does. */
export async function runCell(
  page: IJupyterLabPageFixture,
  index: number
): Promise<void> {
  await editorOf(page, index).click();
  await page.keyboard.press('Control+Enter');
}

/** Makes the open notebook a trusted one, as running all its cells does. */
export async function trust(page: IJupyterLabPageFixture): Promise<void> {
  await page.evaluate(() => {
    const { content } = (window as any).jupyterapp.shell.currentWidget;
    for (const cell of content.model.cells) {
      cell.trusted = true;
    }
  });
}

/** Waits until the notebook's kernel is there and does nothing. */
export async function kernelIdle(page: IJupyterLabPageFixture): Promise<void> {
  await page.waitForFunction(
    () => {
      const widget = (window as any).jupyterapp.shell.currentWidget;
      return widget.sessionContext.session?.kernel?.status === 'idle';
    },
    null,
    { timeout: 60_000 }
  );
}

/** Switches the trace on, for the first time. */
export async function switchOn(page: IJupyterLabPageFixture): Promise<void> {
  await openPanel(page);
  await section(page).getByRole('switch', { name: 'Live trace' }).click();
  await expect(section(page)).toContainText('it is no sandbox');
  await section(page).getByRole('button', { name: 'Turn on' }).click();
}

/** Opens a trusted notebook and runs its first cell. */
export async function started(
  page: IJupyterLabPageFixture,
  tmpPath: string,
  cells: string[]
): Promise<void> {
  await openNotebook(page, tmpPath, cells);
  await trust(page);
  await kernelIdle(page);
  await runCell(page, 0);
  await expect(page.locator('.jp-Notebook .jp-InputPrompt').first()).toHaveText(
    '[1]:',
    { timeout: 40_000 }
  );
}

/** Opens a trusted notebook, runs its first cell, and switches the trace on. */
export async function traced(
  page: IJupyterLabPageFixture,
  tmpPath: string,
  cells: string[]
): Promise<void> {
  await started(page, tmpPath, cells);
  await switchOn(page);
}

/**
 * Restarts the kernel, as the menu does. The test needs `kernels: null`: Galata's stand-in for the kernels' addresses
 * gives no answer to a restart that JupyterLab takes.
 */
export async function restartKernel(
  page: IJupyterLabPageFixture
): Promise<void> {
  await page.evaluate(() => {
    void (window as any).jupyterapp.commands.execute('kernelmenu:restart');
  });
  await page
    .locator('.jp-Dialog')
    .getByRole('button', { name: 'Confirm Kernel Restart' })
    .click();
}
