import type { ISharedFile, ISharedText } from '@jupyter/ydoc';
import type { CodeEditor } from '@jupyterlab/codeeditor';
import { UUID } from '@lumino/coreutils';
import { type ISignal, Signal } from '@lumino/signaling';

import type { CellFailure, Settings } from '../protocol';
import type { IHost, IHostCell, IHostChange } from '../tokens';

/** The id of the only cell of a file. */
export const FILE_CELL = 'file';

/** A Python file as a document of one cell. */
export class FileHost implements IHost {
  /** `pathOf` gives the path while a file editor shows the file. */
  constructor(
    readonly model: CodeEditor.IModel,
    private readonly _pathOf: () => string | null
  ) {
    this.file = model.sharedModel as ISharedFile;
    this.file.changed.connect(this._onText, this);
    model.mimeTypeChanged.connect(this._onLanguage, this);
    this.file.disposed.connect(this.dispose, this);
  }

  readonly file: ISharedFile;
  readonly isFile = true;

  get name(): string {
    return this._pathOf() ?? this._id;
  }

  /** An editor without a path is a view of something else, as the debugger's sources are. */
  get isPython(): boolean {
    return this._pathOf() !== null && /python/.test(this.model.mimeType);
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
    const text = this.file.getSource();
    return [{ id: FILE_CELL, text, place: 1, executionCount: null }];
  }

  text(id: string): string | null {
    return id === FILE_CELL ? this.file.getSource() : null;
  }

  source(id: string): ISharedText | null {
    return id === FILE_CELL ? this.file : null;
  }

  transactAll(): boolean {
    return false;
  }

  failures(): CellFailure[] {
    return [];
  }

  settings(): Settings {
    return {};
  }

  dispose(): void {
    if (this._isDisposed) {
      return;
    }
    this._isDisposed = true;
    this.model.mimeTypeChanged.disconnect(this._onLanguage, this);
    this._disposed.emit();
    Signal.clearData(this);
  }

  private _onText(): void {
    this._changed.emit({ kind: 'text', cell: FILE_CELL });
  }

  private _onLanguage(): void {
    this._changed.emit({ kind: 'settings' });
  }

  private readonly _id = UUID.uuid4();
  private _isDisposed = false;
  private readonly _changed = new Signal<this, IHostChange>(this);
  private readonly _disposed = new Signal<this, void>(this);
}
