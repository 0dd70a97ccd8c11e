import { Token } from '@lumino/coreutils';
import type { IObservableDisposable } from '@lumino/disposable';
import type { ISignal } from '@lumino/signaling';
import type { ISharedText } from '@jupyter/ydoc';
import type { CodeEditor } from '@jupyterlab/codeeditor';

import type { HintsClient, HintsError } from './client';
import type {
  CellFailure,
  Diagnostic,
  Fix,
  Note,
  Range,
  Settings
} from './protocol';
import type { HintSettings } from './settings/model';
import type { TraceManager } from './trace/manager';

/** A code cell as the rest of the extension sees it. */
export interface IHostCell {
  readonly id: string;
  readonly text: string;
  /** One-based place among all cells of the document. */
  readonly place: number;
  readonly executionCount: number | null;
}

/** What changed in a document, and in which cell where it is one. */
export interface IHostChange {
  readonly kind: 'text' | 'cells' | 'outputs' | 'settings';
  readonly cell?: string;
}

/** A document made of code cells: a notebook, or a file as a single cell. */
export interface IHost extends IObservableDisposable {
  /** Names the document on the wire. */
  readonly name: string;
  /** True where the document is a file: its only cell has no number. */
  readonly isFile: boolean;
  /** False where the document's language is known not to be Python. */
  readonly isPython: boolean;
  readonly changed: ISignal<IHost, IHostChange>;
  cells(): IHostCell[];
  text(cell: string): string | null;
  /** The shared text of a cell, for `fixes/` alone. */
  source(cell: string): ISharedText | null;
  /** Runs edits of several cells as one undo step where undo spans the document. */
  transactAll(edit: () => void): boolean;
  failures(): CellFailure[];
  settings(): Settings;
}

/** What is known of one cell: its hints, and the text that they belong to. */
export interface ICellHints {
  readonly text: string;
  readonly digest: string;
  readonly diagnostics: readonly Diagnostic[];
  readonly broken: boolean;
}

/** Where the analysis of a document stands. */
export type HintState = 'off' | 'no-jax' | 'checking' | 'ready' | 'failed';

/** Which cells' hints changed; none: only the state did. */
export interface IHintsChange {
  readonly cells: readonly string[];
}

/** The hints of one document, by cell id. */
export interface IHintDocument extends IObservableDisposable {
  readonly host: IHost;
  readonly changed: ISignal<IHintDocument, IHintsChange>;
  readonly state: HintState;
  readonly failure: HintsError | null;
  readonly notes: readonly Note[];
  /** Where the user types, told by the editor that has the focus. */
  cursor: { readonly cell: string; readonly line: number } | null;
  /** The kernel's JAX, where it is known: what it lacks is marked, what it still has is not. */
  jaxVersion: string | null;
  cell(id: string): ICellHints | null;
  /** Every hint in document order. */
  all(): Diagnostic[];
  /** True while the cell's text is the one with this digest. */
  holds(cell: string, digest: string): boolean;
  /** Asks anew without the pause for typing. */
  refresh(): Promise<void>;
  /** Resolves when the hints belong to the texts as they are now. */
  settled(): Promise<void>;
}

/** The cell that has the cursor, and its editor where it is on the page. */
export interface IFront {
  readonly cell: string;
  readonly editor: CodeEditor.IEditor | null;
}

/** Which document is in front, and the hints of each open one. */
export interface IHintTracker {
  readonly front: IFront | null;
  /** Scrolls to a place and selects it. */
  reveal(document: IHintDocument, cell: string, range: Range): Promise<void>;
  readonly current: IHintDocument | null;
  readonly currentChanged: ISignal<IHintTracker, void>;
}

/** How a fix ended. */
export type FixOutcome = 'applied' | 'stale' | 'nothing';

/** What a person can do with a hint; the views get these as callbacks. */
export interface IHintActions {
  applyFix(document: IHintDocument, fix: Fix): Promise<FixOutcome>;
  /** Applies every safe fix that does not overlap another; says how many. */
  fixAllSafe(document: IHintDocument): Promise<number>;
  reveal(document: IHintDocument, cell: string, range: Range): Promise<void>;
  openRule(name: string): void;
  copy(diagnostic: Diagnostic): void;
}

/** The extension's services. */
export interface IJaxHints {
  readonly client: HintsClient;
  readonly settings: HintSettings;
  readonly tracker: IHintTracker;
  readonly actions: IHintActions;
  readonly traces: TraceManager;
}

export const IJaxHints = new Token<IJaxHints>(
  'jupyterlab-jaxhints:IJaxHints',
  'Hints for JAX code by document and cell, and what can be done with them.'
);
