import type { Extension } from '@codemirror/state';
import { EditorView, ViewPlugin, type ViewUpdate } from '@codemirror/view';

import type { IHintDocument, IHintsChange } from '../tokens';
import { cards } from './cards';
import { editorContext, type IEditorContext } from './context';
import { hintField, hintsAtCursor, setHints } from './state';

/** On the editor while a fix is at the cursor, so that the shortcut is bound only there. */
const FIX_CLASS = 'jp-mod-jaxHintsFix';

/** Shows a cell's hints in its editor, and tells the document where the user types. */
class HintView {
  constructor(private readonly _view: EditorView) {
    this._context = _view.state.facet(editorContext);
    this._context?.document.changed.connect(this._onHints, this);
    // An editor made late finds its hints there; nothing may be dispatched while the view is being made.
    queueMicrotask(() => this._show());
  }

  update(update: ViewUpdate): void {
    const moved =
      update.focusChanged || update.selectionSet || update.docChanged;
    if (moved && this._context && update.view.hasFocus) {
      const { doc, selection } = update.state;
      this._context.document.cursor = {
        cell: this._context.cell,
        line: doc.lineAt(selection.main.head).number - 1
      };
    }
  }

  destroy(): void {
    this._isDisposed = true;
    this._context?.document.changed.disconnect(this._onHints, this);
  }

  private _onHints(_: IHintDocument, change: IHintsChange): void {
    if (this._context && change.cells.includes(this._context.cell)) {
      // The signal may come from within an update of this very view.
      queueMicrotask(() => this._show());
    }
  }

  private _show(): void {
    if (this._isDisposed || !this._context) {
      return;
    }
    const { document, cell } = this._context;
    const known = document.cell(cell);
    const text = this._view.state.doc.toString();
    if (!known || known.text === text) {
      this._view.dispatch({ effects: setHints.of(known?.diagnostics ?? []) });
    }
  }

  private readonly _context: IEditorContext | null;
  private _isDisposed = false;
}

/** The extension of one cell's editor. */
export function hintExtension(context: IEditorContext): Extension {
  return [
    editorContext.of(context),
    hintField,
    cards(),
    ViewPlugin.fromClass(HintView),
    EditorView.editorAttributes.compute([hintField, 'selection'], state => {
      const fixable = hintsAtCursor(state).some(
        ({ hint }) => hint.fixes.length > 0
      );
      const attributes: Record<string, string> = fixable
        ? { class: FIX_CLASS }
        : {};
      return attributes;
    })
  ];
}
