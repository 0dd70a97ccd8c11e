import { type ISignal, Signal } from '@lumino/signaling';

import { plainText } from '../card/message';
import { isCurrent, safeFix } from '../fixes/apply';
import type { Diagnostic } from '../protocol';
import type {
  IHintDocument,
  IHintsChange,
  IHintTracker,
  IHost,
  IHostCell
} from '../tokens';
import { hintAtHand } from '../trace/fixes';
import type { TraceModel } from '../trace/model';

type Severity = Diagnostic['severity'];

/** The hints of one cell, in the order of their places. */
export interface IGroup {
  readonly host: IHost;
  readonly cell: IHostCell;
  readonly broken: boolean;
  readonly hints: readonly Diagnostic[];
}

/** How many hints there are of each severity. */
export type Counts = Record<Severity, number>;

/** What the panel shows: the hints of the document in front, filtered. */
export class PanelModel {
  /** `traceOf` gives the trace of a document that has one. */
  constructor(
    private readonly _tracker: IHintTracker,
    private readonly _traceOf: (
      document: IHintDocument
    ) => TraceModel | null = () => null
  ) {
    _tracker.currentChanged.connect(this._follow, this);
    this._follow();
  }

  get changed(): ISignal<this, void> {
    return this._changed;
  }

  get document(): IHintDocument | null {
    return this._document;
  }

  /** The trace of the notebook in front. */
  get trace(): TraceModel | null {
    return this._trace;
  }

  /** Looks again for the trace, which may come after the notebook. */
  follow(): void {
    this._follow();
  }

  /** Text that message or rule must hold. */
  get filter(): string {
    return this._filter;
  }

  set filter(filter: string) {
    this._filter = filter;
    this._changed.emit();
  }

  /** Severities that are hidden. */
  get hidden(): ReadonlySet<Severity> {
    return this._hidden;
  }

  /** Shows or hides the hints of a severity. */
  toggle(severity: Severity): void {
    if (!this._hidden.delete(severity)) {
      this._hidden.add(severity);
    }
    this._changed.emit();
  }

  /** The hint chosen last, by id. */
  get selected(): string | null {
    return this._selected;
  }

  set selected(id: string | null) {
    this._selected = id;
    this._changed.emit();
  }

  /** Without a view nothing is computed. */
  set isVisible(visible: boolean) {
    if (this._isVisible !== visible) {
      this._isVisible = visible;
      this._changed.emit();
    }
  }

  get isVisible(): boolean {
    return this._isVisible;
  }

  counts(): Counts {
    return countsOf(this._document?.all() ?? []);
  }

  /** How many hints fix-all would answer. */
  safeCount(): number {
    const document = this._document;
    return (document?.all() ?? []).filter(hint => {
      const fix = safeFix(hint);
      return document && fix && isCurrent(document, fix);
    }).length;
  }

  /** Compares the values of the fix at hand with the old ones; null where no traced cell has a fix. */
  compare(): (() => void) | null {
    const document = this._document;
    const hints = (document?.all() ?? []).filter(
      hint => hint.fixes.length > 0 && this._trace?.comparer(hint)
    );
    if (!document || hints.length === 0) {
      return null;
    }
    return () => {
      const cell = this._tracker.front?.cell ?? null;
      const line =
        document.cursor?.cell === cell ? document.cursor?.line : null;
      const hint = hintAtHand(hints, this._selected, cell, line ?? null);
      void this._trace?.comparer(hint)?.(hint.fixes[0]);
    };
  }

  groups(): IGroup[] {
    const document = this._document;
    if (!document) {
      return [];
    }
    return document.host.cells().flatMap(cell => {
      const known = document.cell(cell.id);
      const hints = (known?.diagnostics ?? []).filter(hint =>
        this._passes(hint)
      );
      const sorted = [...hints].sort(byPlace);
      return sorted.length > 0
        ? [
            {
              host: document.host,
              cell,
              broken: known?.broken ?? false,
              hints: sorted
            }
          ]
        : [];
    });
  }

  private _passes(hint: Diagnostic): boolean {
    const wanted = this._filter.trim().toLowerCase();
    return (
      !this._hidden.has(hint.severity) &&
      (wanted === '' ||
        hint.rule.includes(wanted) ||
        plainText(hint.message).toLowerCase().includes(wanted))
    );
  }

  private _follow(): void {
    const current = this._tracker.current;
    if (current !== this._document) {
      this._document?.changed.disconnect(this._onHints, this);
      this._document = current;
      current?.changed.connect(this._onHints, this);
    }
    const trace = current ? this._traceOf(current) : null;
    if (trace !== this._trace) {
      this._trace?.changed.disconnect(this._onHints, this);
      this._trace?.kernel.changed.disconnect(this._onKernel, this);
      this._trace = trace;
      trace?.changed.connect(this._onHints, this);
      trace?.kernel.changed.connect(this._onKernel, this);
    }
    this._changed.emit();
  }

  private _onHints(_: unknown, __: IHintsChange): void {
    this._changed.emit();
  }

  private _onKernel(): void {
    this._changed.emit();
  }

  private _document: IHintDocument | null = null;
  private _trace: TraceModel | null = null;
  private _filter = '';
  private readonly _hidden = new Set<Severity>();
  private _selected: string | null = null;
  private _isVisible = true;
  private readonly _changed = new Signal<this, void>(this);
}

/** Hints counted by severity. */
export function countsOf(hints: readonly Diagnostic[]): Counts {
  const counts: Counts = { error: 0, warning: 0, information: 0, hint: 0 };
  hints.forEach(hint => (counts[hint.severity] += 1));
  return counts;
}

function byPlace(a: Diagnostic, b: Diagnostic): number {
  const first = a.range.start;
  const second = b.range.start;
  return first.line - second.line || first.character - second.character;
}
