import type { ISharedNotebook } from '@jupyter/ydoc';
import { type ISignal, Signal } from '@lumino/signaling';

import type { IShapeSource } from '../editor/ghost';
import type { INameSource } from '../editor/names';
import type { LineShape, NameFact } from '../protocol';
import type { TraceManager } from './manager';
import type { TraceModel } from './model';

/** The shapes and names of a notebook's cells, for editors that are made before or after its trace. */
export class NotebookShapes implements IShapeSource, INameSource {
  constructor(
    private readonly _traces: TraceManager,
    private readonly _notebook: ISharedNotebook
  ) {
    const model = _traces.of(_notebook);
    if (model) {
      this._follow(model);
    } else {
      _traces.added.connect(this._onAdded, this);
    }
    _notebook.disposed.connect(() => {
      Signal.disconnectReceiver(this);
      Signal.clearData(this);
    });
  }

  get changed(): ISignal<this, readonly string[]> {
    return this._changed;
  }

  shapes(cell: string): readonly LineShape[] {
    return this._model?.shapes(cell) ?? [];
  }

  get factsOn(): boolean {
    return this._model?.factsOn ?? false;
  }

  async fact(name: string): Promise<NameFact | null> {
    return this._model?.fact(name) ?? null;
  }

  typed(cell: string): readonly LineShape[] {
    return this._model?.typed(cell) ?? [];
  }

  private _onAdded(_: TraceManager, model: TraceModel): void {
    if (this._traces.of(this._notebook) === model) {
      this._traces.added.disconnect(this._onAdded, this);
      this._follow(model);
    }
  }

  private _follow(model: TraceModel): void {
    this._model = model;
    model.changed.connect((_, { cells }) => {
      if (cells.length > 0) {
        this._changed.emit(cells);
      }
    });
  }

  private _model: TraceModel | null = null;
  private readonly _changed = new Signal<this, readonly string[]>(this);
}
