import {
  type EditorState,
  Prec,
  RangeSet,
  StateEffect,
  StateField,
  type Text,
  type Transaction
} from '@codemirror/state';
import { Decoration, type DecorationSet, EditorView } from '@codemirror/view';

import { offsets } from '../model/text';
import type { Diagnostic } from '../protocol';

/** A hint at its present place in the editor. */
export interface IPlacedHint {
  readonly hint: Diagnostic;
  readonly from: number;
  readonly to: number;
}

/** Replaces the hints that the editor shows. */
export const setHints = StateEffect.define<readonly Diagnostic[]>();

/** The hints of an editor as marks that move along while the user types. */
export const hintField = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update: (marks, transaction) => {
    for (const effect of transaction.effects) {
      if (effect.is(setHints)) {
        return marksOf(effect.value, transaction.state.doc);
      }
    }
    return transaction.docChanged
      ? withoutTouched(marks, transaction).map(transaction.changes)
      : marks;
  },
  // Lowest is outermost: the mark goes around the syntax colours, and one line is drawn under all of a mistake.
  provide: field => Prec.lowest(EditorView.decorations.from(field))
});

/** All hints in the order of their places. */
export function placedHints(state: EditorState): IPlacedHint[] {
  const found: IPlacedHint[] = [];
  const marks = state.field(hintField, false) ?? Decoration.none;
  for (const cursor = marks.iter(); cursor.value; cursor.next()) {
    found.push({
      hint: cursor.value.spec.hint as Diagnostic,
      from: cursor.from,
      to: cursor.to
    });
  }
  return found;
}

/** The hints whose mark holds the position, the shortest mark first. */
export function hintsAt(state: EditorState, position: number): IPlacedHint[] {
  return placedHints(state)
    .filter(({ from, to }) => from <= position && position <= to)
    .sort((a, b) => a.to - a.from - (b.to - b.from));
}

/** The hints at the cursor; where there are none, those that begin on its line. */
export function hintsAtCursor(state: EditorState): IPlacedHint[] {
  const { head } = state.selection.main;
  const exact = hintsAt(state, head);
  if (exact.length > 0) {
    return exact;
  }
  const line = state.doc.lineAt(head);
  return placedHints(state).filter(
    ({ from }) => from >= line.from && from <= line.to
  );
}

function marksOf(hints: readonly Diagnostic[], doc: Text): DecorationSet {
  const text = doc.toString();
  const ranges = hints.flatMap(hint => {
    const { from, to } = visible(text, offsets(text, hint.range));
    return from < to ? [markOf(hint).range(from, to)] : [];
  });
  return RangeSet.of(ranges, true);
}

function markOf(hint: Diagnostic): Decoration {
  return Decoration.mark({
    class: `jp-JaxHints-mark jp-mod-${hint.severity}`,
    attributes: { 'data-rule': hint.rule },
    hint
  });
}

/** An empty range shows at one character beside it. */
function visible(
  text: string,
  { from, to }: { from: number; to: number }
): { from: number; to: number } {
  if (from < to) {
    return { from, to };
  }
  return text[from] !== undefined && text[from] !== '\n'
    ? { from, to: from + 1 }
    : { from: Math.max(0, from - 1), to: from };
}

/** A hint speaks of a text: once that is edited, the mark goes until the answer for the new text comes. */
function withoutTouched(
  marks: DecorationSet,
  transaction: Transaction
): DecorationSet {
  return marks.update({
    filter: (from, to) => {
      let touched = false;
      transaction.changes.iterChangedRanges((start, end) => {
        const inserts = start === end;
        touched ||= inserts
          ? start > from && start < to
          : start < to && end > from;
      });
      return !touched;
    }
  });
}
