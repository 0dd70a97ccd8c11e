import type { IError, IOutput } from '@jupyterlab/nbformat';

import type { CellFailure } from '../protocol';

const ANSI = /\u001b\[[0-9;]*[A-Za-z]/g;
/** Heads of traceback frames: IPython 8.7 and later, 8.0 to 8.6, 7 and earlier. */
const FRAME =
  /^(?:Cell In\s*\[(\d+)\], line (\d+)|Input In\s*\[(\d+)\](?:, in .*)?|<ipython-input-(\d+)-\S+> in .*|File .*|\S+\.py in .*)/;
/** Files whose frames stand between the cell and what JAX raises: JAX, other libraries, Python's own. */
const LIBRARY =
  /[\\/](?:site-packages|dist-packages|jax|[Ll]ib[\\/]python[\d.]*|[Ll]ib)[\\/]|<frozen|<string>/;
const ARROW = /^-+> ?(\d+)/;
const MESSAGE_LIMIT = 10_000;
const NAME_LIMIT = 256;

/** What a run cell failed with, read from its error output; null where it did not fail or the place is elsewhere. */
export function failureOf(
  cell: string,
  executionCount: number | null,
  outputs: readonly IOutput[]
): CellFailure | null {
  const error = outputs.find(output => output.output_type === 'error') as
    IError | undefined;
  if (!error || executionCount === null) {
    return null;
  }
  const line = failingLine(error.traceback ?? [], executionCount);
  if (line === null) {
    return null;
  }
  return {
    cell,
    line,
    name: plain(error.ename).slice(0, NAME_LIMIT),
    message: plain(error.evalue).slice(0, MESSAGE_LIMIT)
  };
}

/**
 * The zero-based line of the innermost frame that lies in the cell run as `count`; null where other code of the user,
 * in another cell or file, was called from there: the error arose in that.
 */
export function failingLine(
  traceback: readonly string[],
  count: number
): number | null {
  let line: number | null = null;
  let inCell = false;
  for (const raw of plain(traceback.join('\n')).split('\n')) {
    const text = raw.trimEnd();
    const head = FRAME.exec(text);
    if (head) {
      const cell = head[1] ?? head[3] ?? head[4];
      inCell = Number(cell) === count;
      if (!inCell && (cell || !LIBRARY.test(text))) {
        line = null;
      }
      if (inCell && head[2]) {
        line = Number(head[2]) - 1;
        inCell = false;
      }
      continue;
    }
    const arrow = inCell ? ARROW.exec(text) : null;
    if (arrow) {
      line = Number(arrow[1]) - 1;
      inCell = false;
    }
  }
  return line !== null && line >= 0 ? line : null;
}

function plain(text: string): string {
  return String(text ?? '').replace(ANSI, '');
}
