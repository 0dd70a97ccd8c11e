import {
  type Extension,
  RangeSet,
  StateEffect,
  StateField
} from '@codemirror/state';
import {
  Decoration,
  type DecorationSet,
  EditorView,
  ViewPlugin,
  WidgetType
} from '@codemirror/view';
import type { ISignal } from '@lumino/signaling';

import type { LineShape } from '../protocol';

/** Where an editor's ghost text comes from. */
export interface IShapeSource {
  /** Something about the shapes of these cells changed. */
  readonly changed: ISignal<unknown, readonly string[]>;
  shapes(cell: string): readonly LineShape[];
}

const setShapes = StateEffect.define<readonly LineShape[]>();

/** Grey text behind a line: no part of the document, and the caret never gets into it. */
class GhostWidget extends WidgetType {
  constructor(private readonly _text: string) {
    super();
  }

  eq(other: GhostWidget): boolean {
    return other._text === this._text;
  }

  toDOM(): HTMLElement {
    const ghost = document.createElement('span');
    ghost.className = 'jp-JaxHints-ghost';
    ghost.textContent = this._text;
    ghost.setAttribute('aria-hidden', 'true');
    return ghost;
  }

  ignoreEvent(): boolean {
    return false;
  }
}

/** The shapes of an editor; an edited line loses its own. */
const ghostField = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update: (ghosts, transaction) => {
    for (const effect of transaction.effects) {
      if (effect.is(setShapes)) {
        const { doc } = transaction.state;
        const ranges = effect.value
          .filter(({ line }) => line < doc.lines)
          .map(({ line, text }) => ghostOf(text).range(doc.line(line + 1).to));
        return RangeSet.of(ranges, true);
      }
    }
    if (!transaction.docChanged) {
      return ghosts;
    }
    const edited = new Set<number>();
    transaction.changes.iterChangedRanges((from, to) => {
      const { doc } = transaction.startState;
      for (let at = doc.lineAt(from); ; at = doc.line(at.number + 1)) {
        edited.add(at.number);
        if (at.to >= to || at.number === doc.lines) {
          break;
        }
      }
    });
    const { doc } = transaction.startState;
    return ghosts
      .update({ filter: from => !edited.has(doc.lineAt(from).number) })
      .map(transaction.changes);
  },
  provide: field => EditorView.decorations.from(field)
});

function ghostOf(text: string): Decoration {
  return Decoration.widget({ widget: new GhostWidget(text), side: 2 });
}

/** Ghost text in the editor of a cell. */
export function ghostExtension(cell: string, source: IShapeSource): Extension {
  return [
    ghostField,
    ViewPlugin.define(view => {
      let isGone = false;
      const show = () => {
        if (!isGone) {
          view.dispatch({ effects: setShapes.of(source.shapes(cell)) });
        }
      };
      // Nothing may be dispatched while the view is being made or updated.
      const later = (_: unknown, cells: readonly string[]) => {
        if (cells.includes(cell)) {
          queueMicrotask(show);
        }
      };
      source.changed.connect(later);
      queueMicrotask(show);
      return {
        destroy: () => {
          isGone = true;
          source.changed.disconnect(later);
        }
      };
    })
  ];
}
