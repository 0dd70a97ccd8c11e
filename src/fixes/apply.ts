import type { Diagnostic, Fix, TextEdit } from '../protocol';
import type { FixOutcome, IHintDocument, IHost } from '../tokens';
import { byCell, type IOffsetEdit, offsetEdits } from '../model/text';

/** What the shared models have beyond their interfaces. */
interface IUndoable {
  readonly undoManager: { stopCapturing(): void } | null;
}

/**
 * Applies a fix as one undo step, in the notebook or in each cell that it touches.
 *
 * A fix made for texts that have changed since is refused, and the hints are asked anew.
 */
export async function applyFix(
  document: IHintDocument,
  fix: Fix
): Promise<FixOutcome> {
  if (fix.edits.length === 0) {
    return 'nothing';
  }
  if (!isCurrent(document, fix)) {
    await document.refresh();
    return 'stale';
  }
  write(document.host, fix.edits);
  await document.refresh();
  return 'applied';
}

/** True while each text that the fix was made for is still there. */
export function isCurrent(document: IHintDocument, fix: Fix): boolean {
  return (
    Object.entries(fix.digests).every(([cell, digest]) =>
      document.holds(cell, digest)
    ) && fix.edits.every(edit => edit.cell in fix.digests)
  );
}

/** The fix that fix-all takes for a hint: the first safe one that the trace does not know to make things worse. */
export function safeFix(diagnostic: Diagnostic): Fix | null {
  const isSafe = ({ applicability, verification }: Fix) =>
    applicability === 'safe' && verification?.worse !== true;
  return diagnostic.fixes.find(isSafe) ?? null;
}

/** Applies the safe fixes that do not touch each other, as one undo step; says how many. */
export async function fixAllSafe(document: IHintDocument): Promise<number> {
  await document.settled();
  const fixes = document
    .all()
    .map(safeFix)
    .filter((fix): fix is Fix => fix !== null && isCurrent(document, fix));
  const { edits, count } = together(document.host, fixes);
  if (count > 0) {
    write(document.host, edits);
    await document.refresh();
  }
  return count;
}

/** The edits of as many fixes as fit together; a line that several want to insert at one place goes in once. */
export function together(
  host: IHost,
  fixes: readonly Fix[]
): { edits: TextEdit[]; count: number } {
  const taken: TextEdit[] = [];
  let count = 0;
  for (const fix of fixes) {
    const fresh = fix.edits.filter(
      edit => !taken.some(other => isSameInsertion(edit, other))
    );
    const collides = fresh.some(edit =>
      taken.some(other => overlap(host, edit, other))
    );
    if (!collides) {
      taken.push(...fresh);
      count += 1;
    }
  }
  return { edits: taken, count };
}

function isSameInsertion(a: TextEdit, b: TextEdit): boolean {
  return (
    a.new_text.endsWith('\n') &&
    isEmpty(a) &&
    JSON.stringify(a) === JSON.stringify(b)
  );
}

function isEmpty({ range }: TextEdit): boolean {
  return (
    range.start.line === range.end.line &&
    range.start.character === range.end.character
  );
}

/** Two edits overlap where they share text, or replace and insert at one place. */
function overlap(host: IHost, a: TextEdit, b: TextEdit): boolean {
  if (a.cell !== b.cell) {
    return false;
  }
  const text = host.text(a.cell) ?? '';
  const [first, second] = offsetEdits(text, [a, b]);
  const touching = first.to === second.from;
  return (
    first.to > second.from ||
    (touching && !(isEmpty(a) && isEmpty(b)) && first.from === second.from)
  );
}

/** Writes edits to the cells' shared texts: works for cells that have no editor. */
function write(host: IHost, edits: readonly TextEdit[]): void {
  const groups = [...byCell(edits)].map(([cell, group]) => ({
    source: host.source(cell),
    edits: offsetEdits(host.text(cell) ?? '', group)
  }));
  const writeAll = () =>
    groups.forEach(group => {
      if (group.source) {
        writeCell(group.source, group.edits);
      }
    });
  if (!host.transactAll(writeAll)) {
    writeAll();
  }
}

/** Last edit first, so that the offsets before it stay true. Typing before and after stays an undo step of its own. */
function writeCell(
  source: NonNullable<ReturnType<IHost['source']>>,
  edits: readonly IOffsetEdit[]
): void {
  const undo = (source as unknown as IUndoable).undoManager;
  undo?.stopCapturing();
  source.transact(() => {
    for (const { from, to, text } of [...edits].reverse()) {
      source.updateSource(from, to, text);
    }
  });
  undo?.stopCapturing();
}
