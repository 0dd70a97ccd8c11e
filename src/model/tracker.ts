import type { ISharedNotebook } from '@jupyter/ydoc';
import type { INotebookTracker, NotebookPanel } from '@jupyterlab/notebook';
import { type ISignal, Signal } from '@lumino/signaling';

import type { HintsClient } from '../client';
import { NotebookHost } from '../hosts/notebook';
import type { HintSettings } from '../settings/model';
import type { IHintTracker } from '../tokens';
import { HintDocument } from './document';

/** The hints of each open notebook: one object for a shared model, however many views it has. */
export class HintTracker implements IHintTracker {
  constructor(
    private readonly _notebooks: INotebookTracker,
    private readonly _client: HintsClient,
    private readonly _settings: HintSettings
  ) {
    _notebooks.widgetAdded.connect((_, panel) => this._add(panel));
    _notebooks.forEach(panel => this._add(panel));
    _notebooks.currentChanged.connect(() => this._currentChanged.emit());
  }

  get current(): HintDocument | null {
    const model = this._notebooks.currentWidget?.content.model;
    return model ? this.documentFor(model.sharedModel) : null;
  }

  get currentChanged(): ISignal<this, void> {
    return this._currentChanged;
  }

  /** The hints of a shared notebook, made at the first call. */
  documentFor(notebook: ISharedNotebook): HintDocument {
    let document = this._documents.get(notebook);
    if (!document) {
      const host = new NotebookHost(
        notebook,
        () => this.panelOf(notebook)?.context.path ?? null
      );
      document = new HintDocument(host, this._client, this._settings);
      this._documents.set(notebook, document);
    }
    return document;
  }

  /** A view of the notebook, the one in front where it has several. */
  panelOf(notebook: ISharedNotebook): NotebookPanel | null {
    const shows = (panel: NotebookPanel | null) =>
      panel?.content.model?.sharedModel === notebook;
    const current = this._notebooks.currentWidget;
    return shows(current)
      ? current
      : (this._notebooks.find(panel => shows(panel)) ?? null);
  }

  private _add(panel: NotebookPanel): void {
    void panel.context.ready.then(() => {
      const notebook = panel.content.model?.sharedModel;
      if (!panel.isDisposed && notebook) {
        this.documentFor(notebook);
        this._currentChanged.emit();
      }
    });
  }

  private readonly _documents = new WeakMap<ISharedNotebook, HintDocument>();
  private readonly _currentChanged = new Signal<this, void>(this);
}
