import type { ISharedNotebook } from '@jupyter/ydoc';
import type { INotebookTracker, NotebookPanel } from '@jupyterlab/notebook';
import { type ISignal, Signal } from '@lumino/signaling';

import type { HintsClient } from '../client';
import { KernelLink } from '../kernel';
import { NotebookHost } from '../hosts/notebook';
import type { HintTracker } from '../model/tracker';
import type { HintSettings } from '../settings/model';
import type { IHintDocument } from '../tokens';
import { TraceModel } from './model';
import { TraceSwitches } from './switches';

/** The trace of each open notebook: one for a shared model, however many views it has. */
export class TraceManager {
  constructor(
    notebooks: INotebookTracker,
    private readonly _tracker: HintTracker,
    private readonly _client: HintsClient,
    private readonly _settings: HintSettings
  ) {
    notebooks.widgetAdded.connect(this._onAdded, this);
    notebooks.forEach(panel => this._onAdded(notebooks, panel));
  }

  /** A notebook's trace was made. */
  get added(): ISignal<this, TraceModel> {
    return this._added;
  }

  /** The trace of a notebook; null before its panel is ready. */
  of(notebook: ISharedNotebook): TraceModel | null {
    return this._models.get(notebook) ?? null;
  }

  /** The trace of a document; null where it is no notebook. */
  ofDocument({ host }: IHintDocument): TraceModel | null {
    return host instanceof NotebookHost ? this.of(host.notebook) : null;
  }

  private _onAdded(_: INotebookTracker, panel: NotebookPanel): void {
    void panel.context.ready.then(() => {
      const notebook = panel.content.model?.sharedModel;
      if (panel.isDisposed || !notebook || this._models.has(notebook)) {
        return;
      }
      const model = new TraceModel(
        this._tracker.documentFor(notebook),
        new KernelLink(panel.context),
        this._client,
        this._settings,
        this._switches
      );
      this._models.set(notebook, model);
      this._added.emit(model);
    });
  }

  private readonly _switches = new TraceSwitches();
  private readonly _models = new WeakMap<ISharedNotebook, TraceModel>();
  private readonly _added = new Signal<this, TraceModel>(this);
}
