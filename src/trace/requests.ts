import type { IKernelLink } from '../kernel';
import type { TraceRequest } from '../protocol';
import type { HintSettings } from '../settings/model';
import type { IHost } from '../tokens';
import { wordsIn } from './names';

/** Writes what is asked about a notebook as it is now. */
export class TraceRequests {
  constructor(
    private readonly _host: IHost,
    private readonly _kernel: IKernelLink,
    private readonly _settings: HintSettings
  ) {}

  /** A trace or a check of cells. `executed` is the cell that ran last. */
  cells(
    action: TraceRequest['action'],
    targets: string[],
    executed: string | null
  ): TraceRequest {
    const ran = this._kernel.ran();
    return {
      ...this.facts(),
      action,
      cells: this._host.cells().map(({ id, text }) => ({ id, text })),
      targets,
      ran,
      executed: ran.find(id => id === executed) ?? null,
      settings: this._settings.merged(this._host.settings())
    };
  }

  /** What the kernel holds under the notebook's names: of very many the first, and `name` in any case. */
  facts(name = ''): TraceRequest {
    const texts = this._host.cells().map(({ text }) => text);
    return {
      notebook: this._host.name,
      action: 'facts',
      kernel: this._kernel.id,
      names: wordsIn([name, ...texts])
    };
  }
}
