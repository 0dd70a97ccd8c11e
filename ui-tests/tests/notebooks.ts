import type { IJupyterLabPageFixture } from '@jupyterlab/galata';
import type { Locator } from '@playwright/test';

/** A cell of a prepared notebook: code, or Markdown. */
export type Cell = string | { markdown: string };

/** A notebook file with these cells; the code cells are named c1, c2, … by their place. */
export function notebookFile(cells: Cell[]): string {
  return JSON.stringify({
    cells: cells.map((cell, index) =>
      typeof cell === 'string'
        ? {
            cell_type: 'code',
            id: `c${index + 1}`,
            source: cell,
            metadata: {},
            outputs: [],
            execution_count: null
          }
        : {
            cell_type: 'markdown',
            id: `c${index + 1}`,
            source: cell.markdown,
            metadata: {}
          }
    ),
    metadata: {
      kernelspec: {
        name: 'python3',
        display_name: 'Python 3',
        language: 'python'
      }
    },
    nbformat: 4,
    nbformat_minor: 5
  });
}

/** Puts a notebook on the server and opens it. */
export async function openNotebook(
  page: IJupyterLabPageFixture,
  tmpPath: string,
  cells: Cell[],
  name = 'story.ipynb'
): Promise<void> {
  const path = `${tmpPath}/${name}`;
  await page.contents.uploadContent(notebookFile(cells), 'text', path);
  await page.evaluate(async file => {
    const { commands } = (window as any).jupyterapp;
    const widget = await commands.execute('docmanager:open', { path: file });
    await widget.context.ready;
    await widget.revealed;
  }, path);
}

/** The texts of the open notebook's cells, read from its model: looking at them moves nothing. */
export function cellTexts(page: IJupyterLabPageFixture): Promise<string[]> {
  return page.evaluate(() => {
    const widget = (window as any).jupyterapp.shell.currentWidget;
    return widget.content.model.sharedModel.cells.map((cell: any) =>
      cell.getSource()
    );
  });
}

/** The editor of a cell, by its place from 0. */
export function editorOf(page: IJupyterLabPageFixture, index: number): Locator {
  return page
    .locator(`.jp-Notebook .jp-Cell[data-windowed-list-index="${index}"]`)
    .locator('.cm-content')
    .first();
}

/** The marks of a cell. */
export function marksOf(page: IJupyterLabPageFixture, index: number): Locator {
  return editorOf(page, index).locator('.jp-JaxHints-mark');
}

/** The panel's list of hints. */
export function panel(page: IJupyterLabPageFixture): Locator {
  return page.locator('#jaxhints-panel');
}

/** Opens the panel by its command. */
export async function openPanel(page: IJupyterLabPageFixture): Promise<void> {
  await page.evaluate(() =>
    (window as any).jupyterapp.commands.execute('jaxhints:open-panel')
  );
  await panel(page).waitFor();
}

/** The open card. */
export function card(page: IJupyterLabPageFixture): Locator {
  return page.locator('.jp-JaxHints-cards');
}
