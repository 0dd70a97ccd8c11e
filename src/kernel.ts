import type { ISharedNotebook } from '@jupyter/ydoc';
import { type Cell, isCodeCellModel } from '@jupyterlab/cells';
import type { DocumentRegistry } from '@jupyterlab/docregistry';
import {
  type INotebookModel,
  type Notebook,
  NotebookActions
} from '@jupyterlab/notebook';
import type { Kernel, KernelMessage } from '@jupyterlab/services';
import { type ISignal, Signal } from '@lumino/signaling';

/** Nothing is sent to a kernel that is not idle; one that starts is there soon by itself. */
export type KernelStatus = 'none' | 'starting' | 'busy' | 'idle';

const STARTING: readonly Kernel.Status[] = [
  'starting',
  'restarting',
  'autorestarting',
  'unknown'
];

/** What the trace must know of a notebook's kernel, and the browser's own way to ask it. */
export interface IKernelLink {
  readonly id: string | null;
  readonly name: string;
  readonly status: KernelStatus;
  /** False while the user has not trusted the notebook. */
  readonly isTrusted: boolean;
  /** Status, kernel or trust changed. */
  readonly changed: ISignal<IKernelLink, void>;
  /** The process is a new one: nothing that was known of it holds. */
  readonly restarted: ISignal<IKernelLink, void>;
  /** A cell has run; by id. */
  readonly executed: ISignal<IKernelLink, string>;
  /** Ids of the cells that ended well in this process with the text they have. */
  ran(): string[];
  /** Sends a request; the content of its reply, null where the kernel was restarted meanwhile. */
  send(content: object): Promise<Record<string, unknown> | null>;
}

/** How long the status may come after the reply, in milliseconds. */
const STATUS_DELAY = 200;

/** Waits for the status after a reply: it is told a moment later. */
function statusAfter(kernel: Kernel.IKernelConnection): Promise<void> {
  return new Promise(resolve => {
    const end = () => {
      window.clearTimeout(timer);
      kernel.statusChanged.disconnect(end);
      resolve();
    };
    const timer = window.setTimeout(end, STATUS_DELAY);
    kernel.statusChanged.connect(end);
    if (kernel.status === 'idle') {
      end();
    }
  });
}

/** What `NotebookActions.executed` tells. */
interface IExecuted {
  readonly notebook: Notebook;
  readonly cell: Cell;
  readonly success: boolean;
}

type Context = DocumentRegistry.IContext<INotebookModel>;

/** The kernel of a notebook. The only code that speaks to a kernel. */
export class KernelLink implements IKernelLink {
  /** The context outlives each single view of the notebook. */
  constructor(private readonly _context: Context) {
    const { sessionContext } = _context;
    sessionContext.statusChanged.connect(this._onStatus, this);
    sessionContext.connectionStatusChanged.connect(this._onChanged, this);
    sessionContext.kernelChanged.connect(this._onKernel, this);
    NotebookActions.executed.connect(this._onExecuted, this);
    _context.disposed.connect(() => {
      NotebookActions.executed.disconnect(this._onExecuted, this);
      Signal.clearData(this);
    });
  }

  get id(): string | null {
    return this._kernel?.id ?? null;
  }

  get name(): string {
    return this._kernel?.name ?? '';
  }

  get status(): KernelStatus {
    const { isRestarting, pendingInput } = this._context.sessionContext;
    const kernel = this._kernel;
    if (!kernel || kernel.status === 'dead') {
      return 'none';
    }
    // The process that ends says once more that it is idle.
    const isThere = kernel.connectionStatus === 'connected' && !isRestarting;
    if (!isThere || STARTING.includes(kernel.status)) {
      return 'starting';
    }
    return kernel.status === 'idle' && !pendingInput ? 'idle' : 'busy';
  }

  get isTrusted(): boolean {
    return [...this._context.model.cells].every(
      cell => !isCodeCellModel(cell) || cell.trusted
    );
  }

  get changed(): ISignal<this, void> {
    return this._changed;
  }

  get restarted(): ISignal<this, void> {
    return this._restarted;
  }

  get executed(): ISignal<this, string> {
    return this._executed;
  }

  ran(): string[] {
    return this._notebook.cells
      .filter(cell => this._ran.get(cell.getId()) === cell.getSource())
      .map(cell => cell.getId());
  }

  async send(content: object): Promise<Record<string, unknown> | null> {
    const kernel = this._kernel;
    if (!kernel || this.status !== 'idle') {
      return null;
    }
    try {
      const future = kernel.requestExecute(
        content as KernelMessage.IExecuteRequestMsg['content'],
        true
      );
      const reply = await future.done;
      await statusAfter(kernel);
      return reply.content as unknown as Record<string, unknown>;
    } catch {
      // A restart cancels what was sent.
      return null;
    }
  }

  private get _kernel(): Kernel.IKernelConnection | null {
    return this._context.sessionContext.session?.kernel ?? null;
  }

  private get _notebook(): ISharedNotebook {
    return this._context.model.sharedModel;
  }

  private _onStatus(_: unknown, status: Kernel.Status): void {
    if (/restarting|dead|terminating/.test(status)) {
      this._onKernel();
    } else {
      this._changed.emit();
    }
  }

  private _onKernel(): void {
    this._ran.clear();
    this._restarted.emit();
  }

  private _onChanged(): void {
    this._changed.emit();
  }

  private _onExecuted(
    _: unknown,
    { notebook, cell, success }: IExecuted
  ): void {
    // Another view of the same notebook may have run it.
    const mine = notebook.model?.sharedModel === this._notebook;
    if (!mine || cell.model.type !== 'code') {
      return;
    }
    const { id } = cell.model;
    if (success) {
      this._ran.set(id, cell.model.sharedModel.getSource());
    } else {
      this._ran.delete(id);
    }
    this._executed.emit(id);
  }

  private readonly _ran = new Map<string, string>();
  private readonly _changed = new Signal<this, void>(this);
  private readonly _restarted = new Signal<this, void>(this);
  private readonly _executed = new Signal<this, string>(this);
}
