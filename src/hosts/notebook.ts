import type {
  CellChange,
  ISharedCodeCell,
  ISharedNotebook,
  ISharedText,
  NotebookChange
} from '@jupyter/ydoc';
import { UUID } from '@lumino/coreutils';
import { type ISignal, Signal } from '@lumino/signaling';

import { failureOf } from '../model/failures';
import type { CellFailure, Settings } from '../protocol';
import type { IHost, IHostCell, IHostChange } from '../tokens';

const METADATA_KEY = 'jaxhints';

/** A notebook's code cells, read from the shared model: no view of it need be there. */
export class NotebookHost implements IHost {
  /** `pathOf` gives the notebook's path where one is known. */
  constructor(
    readonly notebook: ISharedNotebook,
    private readonly _pathOf: () => string | null = () => null
  ) {
    this._listen();
    notebook.changed.connect(this._onNotebookChanged, this);
    notebook.disposed.connect(this.dispose, this);
  }

  readonly isFile = false;

  get name(): string {
    return this._pathOf() ?? this._id;
  }

  get isPython(): boolean {
    const metadata = this.notebook.getMetadata();
    const name =
      metadata.language_info?.name || metadata.kernelspec?.language || 'python';
    return /^i?python/i.test(String(name));
  }

  get changed(): ISignal<this, IHostChange> {
    return this._changed;
  }

  get disposed(): ISignal<this, void> {
    return this._disposed;
  }

  get isDisposed(): boolean {
    return this._isDisposed;
  }

  cells(): IHostCell[] {
    const found: IHostCell[] = [];
    this.notebook.cells.forEach((cell, index) => {
      if (cell.cell_type === 'code') {
        found.push({
          id: cell.getId(),
          text: cell.getSource(),
          place: index + 1,
          executionCount: (cell as ISharedCodeCell).execution_count
        });
      }
    });
    return found;
  }

  text(id: string): string | null {
    return this._cells.get(id)?.getSource() ?? null;
  }

  source(id: string): ISharedText | null {
    return (this._cells.get(id) as ISharedText | undefined) ?? null;
  }

  transactAll(edit: () => void): boolean {
    if (this.notebook.disableDocumentWideUndoRedo !== false) {
      return false;
    }
    const manager = (this.notebook as unknown as IUndoable).undoManager;
    manager?.stopCapturing();
    this.notebook.transact(edit);
    manager?.stopCapturing();
    return true;
  }

  failures(): CellFailure[] {
    const found: CellFailure[] = [];
    for (const [id, { text, failure }] of this._failures) {
      if (this.text(id) === text) {
        found.push(failure);
      }
    }
    return found;
  }

  settings(): Settings {
    const value = this.notebook.getMetadata(METADATA_KEY);
    return value && typeof value === 'object' ? (value as Settings) : {};
  }

  dispose(): void {
    if (this._isDisposed) {
      return;
    }
    this._isDisposed = true;
    this._cells.clear();
    this._disposed.emit();
    Signal.clearData(this);
  }

  /** A moved cell is a new shared object with the old id: listen to those that are there now. */
  private _listen(): void {
    const now = new Map<string, ISharedCodeCell>();
    for (const cell of this.notebook.cells) {
      if (cell.cell_type === 'code') {
        now.set(cell.getId(), cell as ISharedCodeCell);
      }
    }
    for (const [id, cell] of this._cells) {
      if (now.get(id) !== cell) {
        cell.changed.disconnect(this._onCellChanged, this);
      }
      if (!now.has(id)) {
        this._failures.delete(id);
      }
    }
    for (const [id, cell] of now) {
      if (this._cells.get(id) !== cell) {
        cell.changed.connect(this._onCellChanged, this);
        this._readFailure(cell);
      }
    }
    this._cells = now;
  }

  private _onNotebookChanged(_: ISharedNotebook, change: NotebookChange): void {
    if (change.cellsChange) {
      this._listen();
      this._changed.emit({ kind: 'cells' });
    }
    if (change.metadataChange) {
      this._changed.emit({ kind: 'settings' });
    }
  }

  private _onCellChanged(cell: unknown, change: CellChange): void {
    const code = cell as ISharedCodeCell;
    const id = code.getId();
    if (change.sourceChange) {
      this._changed.emit({ kind: 'text', cell: id });
    } else if (change.outputsChange) {
      // Streams fire this at every chunk: read the outputs only where an error comes or one was there.
      const concerns = this._failures.has(id) || bringsError(change);
      if (concerns && this._readFailure(code)) {
        this._changed.emit({ kind: 'outputs', cell: id });
      }
    } else if (change.executionCountChange) {
      this._readFailure(code);
      this._changed.emit({ kind: 'outputs', cell: id });
    }
  }

  /** Remembers the failure with the text that failed; true where it differs from what was remembered. */
  private _readFailure(cell: ISharedCodeCell): boolean {
    const id = cell.getId();
    const failure = failureOf(id, cell.execution_count, cell.getOutputs());
    const before = this._failures.get(id);
    if (!failure) {
      return this._failures.delete(id);
    }
    if (JSON.stringify(before?.failure) === JSON.stringify(failure)) {
      return false;
    }
    this._failures.set(id, { text: cell.getSource(), failure });
    return true;
  }

  private readonly _id = UUID.uuid4();
  private _cells = new Map<string, ISharedCodeCell>();
  private _failures = new Map<string, { text: string; failure: CellFailure }>();
  private _isDisposed = false;
  private readonly _changed = new Signal<this, IHostChange>(this);
  private readonly _disposed = new Signal<this, void>(this);
}

function bringsError(change: CellChange): boolean {
  return (change.outputsChange ?? []).some(delta =>
    (Array.isArray(delta.insert) ? delta.insert : []).some(output => {
      const item = output as unknown as Partial<Map<string, unknown>> & {
        output_type?: string;
      };
      return (item.get?.('output_type') ?? item.output_type) === 'error';
    })
  );
}

/** What the shared models have beyond their interfaces. */
interface IUndoable {
  readonly undoManager: { stopCapturing(): void } | null;
}
