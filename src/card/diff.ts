import {
  applied,
  byCell,
  type IOffsetEdit,
  lineStarts,
  offsetEdits
} from '../model/text';
import type { Fix } from '../protocol';

/** A line that a fix takes away or brings. */
export interface IDiffLine {
  readonly sign: '-' | '+';
  readonly text: string;
}

/** What a fix does to one cell, without the lines that stay. */
export interface ICellDiff {
  readonly cell: string;
  readonly lines: readonly IDiffLine[];
}

/** A fix as the lines that it changes, cell by cell. */
export function diffOf(
  fix: Fix,
  textOf: (cell: string) => string | null
): ICellDiff[] {
  const diffs: ICellDiff[] = [];
  for (const [cell, edits] of byCell(fix.edits)) {
    const text = textOf(cell) ?? '';
    const lines = groups(text, offsetEdits(text, edits)).flatMap(group =>
      changedLines(text, group)
    );
    diffs.push({ cell, lines });
  }
  return diffs;
}

interface IGroup {
  first: number;
  last: number;
  edits: IOffsetEdit[];
}

/** Edits on the same or neighbouring lines belong together. */
function groups(text: string, edits: readonly IOffsetEdit[]): IGroup[] {
  const starts = lineStarts(text);
  const lineOf = (offset: number) => {
    let line = starts.findIndex(start => start > offset);
    line = line === -1 ? starts.length : line;
    return line - 1;
  };
  const found: IGroup[] = [];
  for (const edit of edits) {
    const first = lineOf(edit.from);
    const last = lineOf(edit.to);
    const group = found[found.length - 1];
    if (group && first <= group.last + 1) {
      group.last = Math.max(group.last, last);
      group.edits.push(edit);
    } else {
      found.push({ first, last, edits: [edit] });
    }
  }
  return found;
}

function changedLines(text: string, group: IGroup): IDiffLine[] {
  const starts = lineStarts(text);
  const begin = starts[group.first];
  const end = (starts[group.last + 1] ?? text.length + 1) - 1;
  const shifted = group.edits.map(edit => ({
    ...edit,
    from: edit.from - begin,
    to: edit.to - begin
  }));
  const part = text.slice(begin, end);
  const before = part.split('\n');
  const after = applied(part, shifted).split('\n');
  let head = 0;
  while (
    head < Math.min(before.length, after.length) &&
    before[head] === after[head]
  ) {
    head += 1;
  }
  let tail = 0;
  while (
    tail < Math.min(before.length, after.length) - head &&
    before[before.length - 1 - tail] === after[after.length - 1 - tail]
  ) {
    tail += 1;
  }
  return [
    ...signed('-', before.slice(head, before.length - tail)),
    ...signed('+', after.slice(head, after.length - tail))
  ];
}

function signed(sign: '-' | '+', lines: readonly string[]): IDiffLine[] {
  return lines.map(text => ({ sign, text }));
}
