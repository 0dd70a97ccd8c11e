import type { EditorView } from '@codemirror/view';
import type { CodeMirrorEditor } from '@jupyterlab/codemirror';

import type { Diagnostic } from '../protocol';
import type { IFront, IHintDocument } from '../tokens';

/** Where the next search for a hint begins. */
export interface IPlace {
  readonly cell: string;
  readonly line: number;
  readonly character: number;
}

/** The hint after or before a place, round the end of the document. */
export function neighbour(
  document: IHintDocument,
  place: IPlace | null,
  step: 1 | -1
): Diagnostic | null {
  const order = new Map(
    document.host.cells().map((cell, index) => [cell.id, index])
  );
  const key = (cell: string, line: number, character: number) =>
    [order.get(cell) ?? -1, line, character] as const;
  const hints = document
    .all()
    .map(hint => {
      const { line, character } = hint.range.start;
      return { hint, key: key(hint.cell, line, character) };
    })
    .sort((a, b) => compare(a.key, b.key));
  if (hints.length === 0) {
    return null;
  }
  if (!place) {
    return hints[step === 1 ? 0 : hints.length - 1].hint;
  }
  const here = key(place.cell, place.line, place.character);
  const found =
    step === 1
      ? (hints.find(other => compare(other.key, here) > 0) ?? hints[0])
      : (hints.filter(other => compare(other.key, here) < 0).pop() ??
        hints[hints.length - 1]);
  return found.hint;
}

function compare(a: readonly number[], b: readonly number[]): number {
  for (let index = 0; index < a.length; index++) {
    if (a[index] !== b[index]) {
      return a[index] - b[index];
    }
  }
  return 0;
}

/** The CodeMirror view of the cell in front; null where the cell is not on the page. */
export function activeView(front: IFront | null): EditorView | null {
  const editor = front?.editor as CodeMirrorEditor | null | undefined;
  return editor?.editor ?? null;
}

/** Where the cursor is. */
export function activePlace(front: IFront | null): IPlace | null {
  if (!front) {
    return null;
  }
  // After a reveal the hint is selected: the search goes on from its beginning.
  const start = front.editor?.getSelection().start;
  return {
    cell: front.cell,
    line: start?.line ?? 0,
    character: start?.column ?? -1
  };
}
