import type { IKernelLink } from '../kernel';
import type { AskedFix, TraceRequest } from '../protocol';
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

  /** The cell that ran last, by id. */
  executed: string | null = null;

  /** The notebook's code cells. */
  ids(): string[] {
    return this._host.cells().map(({ id }) => id);
  }

  /** Cells that have not run with the text they have. */
  pending(): string[] {
    const ran = new Set(this._kernel.ran());
    return this.ids().filter(id => !ran.has(id));
  }

  /** A trace or a check of cells. */
  cells(action: TraceRequest['action'], targets: string[]): TraceRequest {
    const ran = this._kernel.ran();
    return {
      ...this.facts(),
      action,
      cells: this._host.cells().map(({ id, text }) => ({ id, text })),
      targets,
      ran,
      executed: ran.find(id => id === this.executed) ?? null,
      settings: this._settings.merged(this._host.settings())
    };
  }

  /** A question about fixes: whether they trace, or what they give on the real values. */
  fixes(action: 'verify' | 'compare', fixes: AskedFix[]): TraceRequest {
    return { ...this.cells(action, []), names: [], fixes };
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
