import { PathExt } from '@jupyterlab/coreutils';
import type { TranslationBundle } from '@jupyterlab/translation';

import type { Diagnostic, Evidence, Fix } from '../protocol';
import type { IHost, IHostCell } from '../tokens';

/** A severity by name. */
export function severityName(
  severity: Diagnostic['severity'],
  trans: TranslationBundle
): string {
  return {
    error: trans.__('Error'),
    warning: trans.__('Warning'),
    information: trans.__('Information'),
    hint: trans.__('Hint')
  }[severity];
}

/** How sure a hint is, and where that is known from. */
export function certaintyText(
  diagnostic: Diagnostic,
  trans: TranslationBundle
): string {
  if (diagnostic.seen) {
    const { jax, device } = diagnostic.seen;
    // Without an array in the kernel its device is not known yet.
    return device
      ? trans.__('✓ seen in the kernel · JAX %1 · %2', jax, device)
      : trans.__('✓ seen in the kernel · JAX %1', jax);
  }
  return diagnostic.certainty === 'certain'
    ? trans.__('certain from the code')
    : trans.__('probable from the code');
}

/** What a person must know of a fix before taking it. */
export function fixRemark(fix: Fix, trans: TranslationBundle): string {
  if (fix.verification) {
    return fix.verification.message;
  }
  return fix.applicability === 'unsafe'
    ? trans.__('may change what the code does: look first')
    : '';
}

/** A cell's name in lists: its prompt, and its place where the prompt does not tell it. */
export function cellName(
  host: IHost,
  cell: IHostCell,
  trans: TranslationBundle
): string {
  if (host.isFile) {
    return PathExt.basename(host.name);
  }
  if (cell.executionCount === cell.place) {
    return trans.__('Cell [%1]', cell.executionCount);
  }
  const prompt = cell.executionCount ?? ' ';
  return trans.__('Cell [%1] — %2', prompt, cell.place);
}

/** The place of a step of evidence, as people count; empty where it has none. */
export function evidencePlace(
  host: IHost,
  evidence: Evidence,
  trans: TranslationBundle
): string {
  const cell = host.cells().find(({ id }) => id === evidence.cell);
  if (!cell) {
    return '';
  }
  if (host.isFile) {
    return evidence.range
      ? trans.__('line %1', evidence.range.start.line + 1)
      : '';
  }
  return evidence.range
    ? trans.__('cell %1:%2', cell.place, evidence.range.start.line + 1)
    : trans.__('cell %1', cell.place);
}
