import { URLExt } from '@jupyterlab/coreutils';
import { ServerConnection } from '@jupyterlab/services';

import type {
  AnalyzeRequest,
  AnalyzeResponse,
  ErrorResponse,
  RulePage,
  RulesResponse,
  TraceRequest,
  TraceResponse
} from './protocol';

const API = 'jaxhints/api';

/** Why the server gave no answer: its stable code, and its sentence for people. */
export class HintsError extends Error {
  constructor(
    readonly code: string,
    message: string,
    readonly status: number
  ) {
    super(message);
    this.name = 'HintsError';
  }

  /** True where the server half of the extension is not there. */
  get isMissing(): boolean {
    return this.code === 'not-installed';
  }

  /** True where asking again later may help. */
  get isPassing(): boolean {
    return this.status === 0 || this.status >= 500;
  }
}

/** The server's endpoints; the only code that speaks HTTP. */
export class HintsClient {
  constructor(
    private readonly _settings: ServerConnection.ISettings = ServerConnection.makeSettings()
  ) {}

  /** Hints of a notebook's cells. */
  analyze(
    request: AnalyzeRequest,
    signal?: AbortSignal
  ): Promise<AnalyzeResponse> {
    return this._ask('analyze', {
      method: 'POST',
      body: JSON.stringify(request),
      signal
    });
  }

  /** What the notebook's kernel says of its cells. */
  trace(request: TraceRequest, signal?: AbortSignal): Promise<TraceResponse> {
    return this._ask('trace', {
      method: 'POST',
      body: JSON.stringify(request),
      signal
    });
  }

  /** Every rule there is. */
  rules(): Promise<RulesResponse> {
    return this._ask('rules');
  }

  /** A rule's page as Markdown. */
  rulePage(name: string): Promise<RulePage> {
    return this._ask(`rules/${encodeURIComponent(name)}`);
  }

  /** The tour notebook, to be copied. */
  tour(): Promise<Record<string, unknown>> {
    return this._ask('tour');
  }

  private async _ask<T>(path: string, init: RequestInit = {}): Promise<T> {
    const url = URLExt.join(this._settings.baseUrl, API, path);
    let response: Response;
    try {
      response = await ServerConnection.makeRequest(url, init, this._settings);
    } catch (error) {
      if (init.signal?.aborted) {
        throw error;
      }
      throw new HintsError('unreachable', String(error), 0);
    }
    const text = await response.text();
    if (response.ok) {
      return Private.parse<T>(text, response.status);
    }
    throw Private.refusal(text, response.status);
  }
}

namespace Private {
  export function parse<T>(text: string, status: number): T {
    try {
      return JSON.parse(text) as T;
    } catch (error) {
      throw new HintsError('bad-answer', String(error), status);
    }
  }

  /** A 404 without our error body comes from a server that does not know us. */
  export function refusal(text: string, status: number): HintsError {
    let body: Partial<ErrorResponse> = {};
    try {
      body = JSON.parse(text);
    } catch {
      // Proxies answer with pages of their own.
    }
    if (typeof body.code === 'string') {
      return new HintsError(body.code, body.message ?? body.code, status);
    }
    if (status === 404) {
      return new HintsError('not-installed', text, status);
    }
    return new HintsError('refused', body.message ?? `HTTP ${status}`, status);
  }
}
