import { expect, type IJupyterLabPageFixture } from '@jupyterlab/galata';
import type { Request } from '@playwright/test';
import * as fs from 'fs';
import * as path from 'path';

const ROOT = path.resolve(__dirname, '..', '..');

/** A code cell of the tour, with the section that it stands in. */
export interface ITourCell {
  id: string;
  text: string;
  section: string;
}

/** A row of the guide: the cell that shows it, and the rule that speaks there; null where nothing is to be said. */
export interface ITourRow {
  row: number;
  cell: string;
  rule: string | null;
  count?: number;
}

function read(...parts: string[]): any {
  return JSON.parse(fs.readFileSync(path.join(ROOT, ...parts), 'utf8'));
}

/** The rows of the guide, as the Python tests have them. */
export const ROWS: ITourRow[] = read('tests', 'tour', 'rows.json');

const cellsOfTour = (): any[] =>
  read('jupyterlab_jaxhints', 'tour', 'tour.ipynb').cells;

/** The place of a cell of the tour among all its cells, from 0. */
export function tourCell(id: string): number {
  return cellsOfTour().findIndex(cell => cell.id === id);
}

/** Opens a copy of the tour by its command and waits for its hints. */
export async function openTour(
  page: IJupyterLabPageFixture,
  cwd: string
): Promise<void> {
  await page.evaluate(async folder => {
    const { commands } = (window as any).jupyterapp;
    await commands.execute('jaxhints:open-tour', { cwd: folder });
  }, cwd);
  await expect(page.locator('.jp-JaxHints-mark').first()).toBeVisible();
}

/** The code cells of the tour, in order. */
export function tourCells(): ITourCell[] {
  const cells: ITourCell[] = [];
  let section = '';
  for (const cell of cellsOfTour()) {
    const text = [cell.source].flat().join('');
    if (cell.cell_type === 'code') {
      cells.push({ id: cell.id, text, section });
    } else {
      section = /^## (.+)$/m.exec(text)?.[1] ?? section;
    }
  }
  return cells;
}

/** Notes for which text of which cell the server has given an answer. */
export function answersOf(page: IJupyterLabPageFixture): Map<string, string> {
  const answered = new Map<string, string>();
  page.on('requestfinished', (request: Request) => {
    if (request.url().includes('/jaxhints/api/analyze')) {
      for (const { id, text } of JSON.parse(request.postData()!).cells) {
        if (text !== undefined) {
          answered.set(id, text);
        }
      }
    }
  });
  return answered;
}

/** Puts an empty cell at the end of the open notebook, with the cursor in it. */
export async function addCell(
  page: IJupyterLabPageFixture,
  id: string
): Promise<void> {
  await page.evaluate(async cellId => {
    const notebook = (window as any).jupyterapp.shell.currentWidget.content;
    const cells = notebook.model.sharedModel;
    const place = cells.cells.length;
    cells.insertCell(place, { cell_type: 'code', id: cellId, source: '' });
    notebook.activeCellIndex = place;
    await notebook.scrollToItem(place, 'smart');
    notebook.mode = 'edit';
    await notebook.activeCell.ready;
    notebook.activeCell.editor.focus();
  }, id);
}

/** Types a text by the keyboard: what the editor indents and closes by itself is typed over. */
export async function typeCode(
  page: IJupyterLabPageFixture,
  text: string
): Promise<void> {
  for (const [number, line] of text.split('\n').entries()) {
    if (number > 0) {
      await page.keyboard.press('Enter');
      await page.keyboard.press('Shift+Home');
      await page.keyboard.press('Delete');
    }
    await page.keyboard.type(line);
  }
}

/** Sets the text of the active cell at once. */
export async function setCode(
  page: IJupyterLabPageFixture,
  text: string
): Promise<void> {
  await page.evaluate(source => {
    const notebook = (window as any).jupyterapp.shell.currentWidget.content;
    notebook.activeCell.model.sharedModel.setSource(source);
  }, text);
}

/** The rules whose marks a cell's editor shows, one for each mark; the cell is brought into view. */
export async function rulesShown(
  page: IJupyterLabPageFixture,
  index: number
): Promise<string[]> {
  await page.evaluate(async place => {
    const notebook = (window as any).jupyterapp.shell.currentWidget.content;
    await notebook.scrollToItem(place, 'center');
  }, index);
  return page
    .locator(`.jp-Notebook .jp-Cell[data-windowed-list-index="${index}"]`)
    .locator('.jp-JaxHints-mark')
    .evaluateAll(marks => marks.map(mark => (mark as any).dataset.rule));
}
