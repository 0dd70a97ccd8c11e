import type { HintsClient } from '../client';
import type { IKernelLink } from '../kernel';
import type { TraceRequest, TraceResponse } from '../protocol';

type Reply = Record<string, unknown>;

/** Brings requests to a kernel: through the server, or over the browser's connection where the server has none. */
export class TraceCarrier {
  constructor(
    private readonly _client: Pick<HintsClient, 'trace'>,
    private readonly _kernel: IKernelLink
  ) {}

  /** The answer; null where nobody waits for it any more. */
  async ask(
    request: TraceRequest,
    signal: AbortSignal
  ): Promise<TraceResponse | null> {
    const first = { ...request, carrier: this._carrier };
    const answer = await this._client.trace(first, signal);
    if (answer.state === 'not reachable') {
      this._carrier = 'browser';
      return this.ask(request, signal);
    }
    if (!answer.ask) {
      return answer;
    }
    const replies: Reply[] = [];
    for (const question of answer.ask.questions) {
      const reply = await this._send(question, answer.ask.injection);
      if (signal.aborted) {
        return null;
      }
      if (!reply) {
        break;
      }
      replies.push(reply);
    }
    return replies.length > 0
      ? this._client.trace({ ...first, replies }, signal)
      : { ...answer, state: 'kernel busy', ask: null };
  }

  /** The server drops what it was told. */
  async forget(notebook: string): Promise<void> {
    const kernel = this._kernel.id;
    await this._client.trace({ notebook, action: 'forget', kernel });
  }

  /** A kernel without the probe gets it, and the question again. */
  private async _send(
    question: Reply,
    injection: Reply
  ): Promise<Reply | null> {
    const reply = await this._kernel.send(question);
    if (!reply || !isCold(reply)) {
      return reply;
    }
    return (await this._kernel.send(injection))
      ? this._kernel.send(question)
      : null;
  }

  private _carrier: 'server' | 'browser' = 'server';
}

function isCold(reply: Reply): boolean {
  return JSON.stringify(reply.user_expressions ?? '').includes('"\'cold\'"');
}
