import { type ISignal, Signal } from '@lumino/signaling';

import type { IKernelLink } from '../kernel';
import type { TraceRequest, TraceResponse } from '../protocol';
import type { TraceCarrier } from './carrier';

/** Where the trace of a notebook stands. */
export type TraceStanding =
  | TraceResponse['state']
  | 'off'
  | 'untrusted'
  | 'waiting'
  | 'tracing'
  | 'server missing';

/** Actions that nobody pressed a button for: they do not show. */
const UNSEEN: readonly TraceRequest['action'][] = ['facts', 'verify'];

/** True for a request that does not show. */
export function isUnseen({ action }: TraceRequest): boolean {
  return UNSEEN.includes(action);
}

/** Asks the kernel, one request at a time, and tells where that stands. */
export class TraceAsker {
  constructor(
    private readonly _carrier: TraceCarrier,
    private readonly _kernel: IKernelLink
  ) {}

  /** The standing changed, or a request began or ended. */
  get changed(): ISignal<this, void> {
    return this._changed;
  }

  get standing(): TraceStanding {
    return this._standing;
  }

  /** The reason of the standing, in plain words. */
  get why(): string {
    return this._why;
  }

  get isAsking(): boolean {
    return this._abort !== null;
  }

  /** Whether the kernel may be asked now; else the standing says why not. */
  isReady(): boolean {
    if (!this._kernel.isTrusted) {
      this.stand('untrusted');
    } else if (this._kernel.status === 'none') {
      this.stand('no kernel');
    } else if (this._kernel.status === 'starting') {
      this.stand(
        this._standing === 'kernel restarted' ? this._standing : 'waiting'
      );
    } else if (this._kernel.status === 'busy') {
      this.stand('kernel busy');
    } else {
      return true;
    }
    return false;
  }

  /** Asks, and hands the answer over unless it was given up meanwhile. */
  ask(
    request: TraceRequest,
    take: (answer: TraceResponse) => Promise<void>
  ): Promise<void> {
    if (!isUnseen(request)) {
      this.stand('tracing');
    }
    const asked = this._carry(request, take);
    this._unseen = isUnseen(request) ? asked : null;
    return asked;
  }

  /** Asks for what the user pressed a button for: that waits for what is asked unseen. */
  async askAloud(
    request: TraceRequest,
    take: (answer: TraceResponse) => Promise<void>
  ): Promise<void> {
    await this._unseen;
    if (this.isReady() && !this.isAsking) {
      await this.ask(request, take);
    }
  }

  /** Gives up waiting for an answer, and is free at once; the kernel ends the trace at its limit. */
  giveUp(): void {
    this._abort?.abort();
    this._abort = null;
  }

  /** Gives up, and the server drops what it was told of a notebook. */
  async forget(notebook: string): Promise<void> {
    this.giveUp();
    await this._carrier.forget(notebook);
  }

  stand(standing: TraceStanding, why = ''): void {
    this._standing = standing;
    this._why = why;
    this._changed.emit();
  }

  private async _carry(
    request: TraceRequest,
    take: (answer: TraceResponse) => Promise<void>
  ): Promise<void> {
    const abort = new AbortController();
    this._abort = abort;
    try {
      const answer = await this._carrier.ask(request, abort.signal);
      if (!abort.signal.aborted && answer) {
        await take(answer);
      }
    } catch (error) {
      if (!abort.signal.aborted) {
        this.stand('server missing', String((error as Error).message));
      }
    } finally {
      if (this._abort === abort) {
        this._abort = null;
      }
      this._changed.emit();
    }
  }

  private _standing: TraceStanding = 'waiting';
  private _why = '';
  private _abort: AbortController | null = null;
  private _unseen: Promise<void> | null = null;
  private readonly _changed = new Signal<this, void>(this);
}
