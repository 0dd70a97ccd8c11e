import type { AskedFix, Diagnostic } from '../protocol';

/** How many fixes one request asks about. */
const MOST_FIXES = 12;

/** The fixes to verify after a trace of these cells: the preferred one of each hint first, each text once. */
export function fixesIn(
  hints: readonly Diagnostic[],
  cells: ReadonlySet<string>
): AskedFix[] {
  const mine = hints.filter(({ cell, fixes }) =>
    [cell, ...fixes.flatMap(fix => Object.keys(fix.digests))].some(id =>
      cells.has(id)
    )
  );
  const rounds = Math.max(0, ...mine.map(({ fixes }) => fixes.length));
  const found = new Map<string, AskedFix>();
  for (let round = 0; round < rounds; round++) {
    for (const { rule, fixes } of mine) {
      const fix = fixes[round];
      const key = fix ? JSON.stringify(fix.edits) : '';
      if (fix && !found.has(key)) {
        found.set(key, { rule, fix });
      }
    }
  }
  return [...found.values()].slice(0, MOST_FIXES);
}

/** The hint meant by a press in the panel: the one chosen in the list, else at the cursor, in the cell, or the first. */
export function hintAtHand(
  hints: readonly Diagnostic[],
  selected: string | null,
  cell: string | null,
  line: number | null
): Diagnostic {
  const here = hints.filter(hint => hint.cell === cell);
  const isAt = ({ range }: Diagnostic) =>
    line !== null && range.start.line <= line && line <= range.end.line;
  return (
    hints.find(({ id }) => id === selected) ??
    here.find(isAt) ??
    here[0] ??
    hints[0]
  );
}
