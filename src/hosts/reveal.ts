import type { CodeEditor } from '@jupyterlab/codeeditor';
import type { NotebookPanel } from '@jupyterlab/notebook';

import type { Range } from '../protocol';

/** Scrolls to a place in a notebook and selects it, also where the cell has no editor yet. */
export async function revealInNotebook(
  panel: NotebookPanel,
  cell: string,
  range: Range
): Promise<void> {
  const notebook = panel.content;
  const index = notebook.widgets.findIndex(({ model }) => model.id === cell);
  const widget = notebook.widgets[index];
  if (!widget) {
    return;
  }
  notebook.activeCellIndex = index;
  notebook.deselectAll();
  widget.inputHidden = false;
  await notebook.scrollToItem(index, 'smart');
  await widget.ready;
  if (widget.isDisposed || !widget.editor) {
    return;
  }
  notebook.mode = 'edit';
  revealInFile(widget.editor, range);
}

/** Selects a place in an editor and scrolls to it. */
export function revealInFile(editor: CodeEditor.IEditor, range: Range): void {
  const place = ({ line, character }: Range['start']) => ({
    line: Math.min(line, editor.lineCount - 1),
    column: character
  });
  const selection = { start: place(range.start), end: place(range.end) };
  editor.focus();
  editor.setSelection(selection);
  editor.revealSelection(selection);
}
