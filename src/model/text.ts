import type { Position, Range, TextEdit } from '../protocol';

/** A stretch of text by offset, and what replaces it. Offsets count UTF-16 units, as the editor does. */
export interface IOffsetEdit {
  readonly from: number;
  readonly to: number;
  readonly text: string;
}

/** Offset of each line's start. */
export function lineStarts(text: string): number[] {
  const starts = [0];
  for (
    let at = text.indexOf('\n');
    at !== -1;
    at = text.indexOf('\n', at + 1)
  ) {
    starts.push(at + 1);
  }
  return starts;
}

/** The offset of a position; places past the end of a line or of the text give that end. */
export function offsetAt(
  text: string,
  position: Position,
  starts: number[] = lineStarts(text)
): number {
  if (position.line >= starts.length) {
    return text.length;
  }
  const start = starts[position.line];
  const next = starts[position.line + 1];
  const end = next === undefined ? text.length : next - 1;
  return Math.min(start + position.character, end);
}

/** A range as offsets, in order. */
export function offsets(
  text: string,
  range: Range
): { from: number; to: number } {
  const starts = lineStarts(text);
  const from = offsetAt(text, range.start, starts);
  return { from, to: Math.max(from, offsetAt(text, range.end, starts)) };
}

/** The edits of one cell as offsets in its text, first to last. */
export function offsetEdits(text: string, edits: TextEdit[]): IOffsetEdit[] {
  return edits
    .map(edit => ({ ...offsets(text, edit.range), text: edit.new_text }))
    .sort((a, b) => a.from - b.from || a.to - b.to);
}

/** The text after the edits, which must be in order. */
export function applied(text: string, edits: readonly IOffsetEdit[]): string {
  let out = '';
  let at = 0;
  for (const edit of edits) {
    out += text.slice(at, edit.from) + edit.text;
    at = edit.to;
  }
  return out + text.slice(at);
}

/** Edits grouped by the cell that they touch. */
export function byCell(edits: readonly TextEdit[]): Map<string, TextEdit[]> {
  const groups = new Map<string, TextEdit[]>();
  for (const edit of edits) {
    const group = groups.get(edit.cell);
    if (group) {
      group.push(edit);
    } else {
      groups.set(edit.cell, [edit]);
    }
  }
  return groups;
}
