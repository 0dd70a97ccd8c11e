import type { HintsClient } from '../client';
import { HintsError } from '../client';
import type {
  AnalyzeRequest,
  AnalyzeResponse,
  CellText,
  Settings
} from '../protocol';
import type { IHost } from '../tokens';

/** An answer, with the texts that it was given for. */
export interface IAnswer {
  readonly response: AnalyzeResponse;
  readonly texts: ReadonlyMap<string, string>;
}

/**
 * Asks the server for a document's hints.
 *
 * A text goes over the wire once: where the server gave a digest for it, the digest alone is sent. What the server no
 * longer holds it names, and gets.
 */
export class Analysis {
  constructor(
    private readonly _host: IHost,
    private readonly _client: Pick<HintsClient, 'analyze'>,
    private readonly _settings: (notebook: Settings) => Settings,
    private readonly _jaxVersion: () => string | null
  ) {}

  /** Asks for the edited cell, or for all. */
  async ask(
    scope: 'edited' | 'all',
    edited: string | null,
    cursorLine: number | null,
    signal: AbortSignal
  ): Promise<IAnswer> {
    const texts = new Map(this._host.cells().map(cell => [cell.id, cell.text]));
    const request: AnalyzeRequest = {
      notebook: this._host.name,
      cells: this._cells(texts),
      edited,
      cursor_line: cursorLine,
      scope,
      settings: this._settings(this._host.settings()),
      failures: this._host.failures(),
      jax_version: this._jaxVersion()
    };
    let response = await this._client.analyze(request, signal);
    if (response.missing.length > 0) {
      response.missing.forEach(id => this._digests.delete(id));
      response = await this._client.analyze(
        { ...request, cells: this._cells(texts) },
        signal
      );
    }
    if (response.missing.length > 0) {
      throw new HintsError('bad-answer', 'The server lost the cells.', 500);
    }
    for (const { id, digest } of response.cells) {
      const text = texts.get(id);
      if (text !== undefined) {
        this._digests.set(id, { text, digest });
      }
    }
    for (const id of this._digests.keys()) {
      if (!texts.has(id)) {
        this._digests.delete(id);
      }
    }
    return { response, texts };
  }

  private _cells(texts: ReadonlyMap<string, string>): CellText[] {
    return [...texts].map(([id, text]) => {
      const held = this._digests.get(id);
      return held && held.text === text
        ? { id, digest: held.digest }
        : { id, text };
    });
  }

  private readonly _digests = new Map<
    string,
    { text: string; digest: string }
  >();
}
