import type { ISharedNotebook } from '@jupyter/ydoc';
import type { JupyterFrontEnd } from '@jupyterlab/application';
import type { CodeEditor } from '@jupyterlab/codeeditor';
import type { IDocumentWidget } from '@jupyterlab/docregistry';
import type { FileEditor, IEditorTracker } from '@jupyterlab/fileeditor';
import type { INotebookTracker, NotebookPanel } from '@jupyterlab/notebook';
import { type ISignal, Signal } from '@lumino/signaling';

import type { HintsClient } from '../client';
import { FILE_CELL, FileHost } from '../hosts/file';
import { NotebookHost } from '../hosts/notebook';
import { revealInFile, revealInNotebook } from '../hosts/reveal';
import type { Range } from '../protocol';
import type { HintSettings } from '../settings/model';
import type { IFront, IHintDocument, IHintTracker, IHost } from '../tokens';
import { HintDocument } from './document';

type FileWidget = IDocumentWidget<FileEditor>;

/** The hints of each open document: one object for a shared model, however many views it has. */
export class HintTracker implements IHintTracker {
  constructor(
    private readonly _shell: JupyterFrontEnd.IShell,
    private readonly _notebooks: INotebookTracker,
    private readonly _files: IEditorTracker | null,
    private readonly _client: HintsClient,
    private readonly _settings: HintSettings
  ) {
    _notebooks.widgetAdded.connect(this._onAdded, this);
    _notebooks.forEach(panel => this._onAdded(_notebooks, panel));
    _notebooks.currentChanged.connect(this._onCurrent, this);
    _files?.widgetAdded.connect(this._onFileAdded, this);
    _files?.currentChanged.connect(this._onCurrent, this);
    _shell.currentChanged?.connect(this._onCurrent, this);
  }

  get current(): IHintDocument | null {
    const panel = this._panel();
    if (panel) {
      const model = panel.content.model;
      return model ? this.documentFor(model.sharedModel) : null;
    }
    const file = this._file();
    return file ? this.documentForFile(file.content.model) : null;
  }

  get currentChanged(): ISignal<this, void> {
    return this._currentChanged;
  }

  get front(): IFront | null {
    const panel = this._panel();
    if (panel) {
      const cell = panel.content.activeCell;
      return cell ? { cell: cell.model.id, editor: cell.editor } : null;
    }
    const file = this._file();
    return file ? { cell: FILE_CELL, editor: file.content.editor } : null;
  }

  /** The hints of a shared notebook, made at the first call. */
  documentFor(notebook: ISharedNotebook): HintDocument {
    return this._documentOf(
      notebook,
      () =>
        new NotebookHost(
          notebook,
          () => this._panelOf(notebook)?.context.path ?? null
        )
    );
  }

  /** The hints of a file, made at the first call. */
  documentForFile(model: CodeEditor.IModel): HintDocument {
    return this._documentOf(
      model.sharedModel,
      () => new FileHost(model, () => this._fileOf(model)?.context.path ?? null)
    );
  }

  async reveal(
    { host }: IHintDocument,
    cell: string,
    range: Range
  ): Promise<void> {
    if (host instanceof NotebookHost) {
      const panel = this._panelOf(host.notebook);
      if (panel) {
        this._shell.activateById(panel.id);
        await revealInNotebook(panel, cell, range);
      }
    } else if (host instanceof FileHost) {
      const file = this._fileOf(host.model);
      if (file) {
        this._shell.activateById(file.id);
        revealInFile(file.content.editor, range);
      }
    }
  }

  private _documentOf(key: object, makeHost: () => IHost): HintDocument {
    let document = this._documents.get(key);
    if (!document) {
      document = new HintDocument(makeHost(), this._client, this._settings);
      this._documents.set(key, document);
    }
    return document;
  }

  /** The notebook in front, unless a file is. */
  private _panel(): NotebookPanel | null {
    return this._isFileInFront ? null : this._notebooks.currentWidget;
  }

  private _file(): FileWidget | null {
    return this._isFileInFront ? (this._files?.currentWidget ?? null) : null;
  }

  /** A view of the notebook, the one in front where it has several. */
  private _panelOf(notebook: ISharedNotebook): NotebookPanel | null {
    const shows = (panel: NotebookPanel | null) =>
      panel?.content.model?.sharedModel === notebook;
    const current = this._notebooks.currentWidget;
    return shows(current)
      ? current
      : (this._notebooks.find(panel => shows(panel)) ?? null);
  }

  private _fileOf(model: CodeEditor.IModel): FileWidget | null {
    return (
      this._files?.find(
        ({ content }) => content.model.sharedModel === model.sharedModel
      ) ?? null
    );
  }

  private _onAdded(_: INotebookTracker, panel: NotebookPanel): void {
    void panel.context.ready.then(() => {
      const notebook = panel.content.model?.sharedModel;
      if (!panel.isDisposed && notebook) {
        this.documentFor(notebook);
        this._currentChanged.emit();
      }
    });
  }

  private _onFileAdded(_: IEditorTracker, widget: FileWidget): void {
    void widget.context.ready.then(() => {
      if (!widget.isDisposed) {
        void this.documentForFile(widget.content.model).refresh();
      }
    });
  }

  /** Panels and pages that come to the front leave the document as it is. */
  private _onCurrent(): void {
    const { currentWidget } = this._shell;
    if (currentWidget && this._files?.has(currentWidget)) {
      this._isFileInFront = true;
    } else if (currentWidget && this._notebooks.has(currentWidget)) {
      this._isFileInFront = false;
    } else if (!this._files?.currentWidget) {
      this._isFileInFront = false;
    }
    this._currentChanged.emit();
  }

  private readonly _documents = new WeakMap<object, HintDocument>();
  private _isFileInFront = false;
  private readonly _currentChanged = new Signal<this, void>(this);
}
