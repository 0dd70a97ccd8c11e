import type { JupyterFrontEnd } from '@jupyterlab/application';
import { Clipboard, Notification } from '@jupyterlab/apputils';
import type { TranslationBundle } from '@jupyterlab/translation';

import { plainText } from '../card/message';
import { applyFix, fixAllSafe } from '../fixes/apply';
import type { HintTracker } from '../model/tracker';
import type { Diagnostic, Fix, Range } from '../protocol';
import type { FixOutcome, IHintActions, IHintDocument } from '../tokens';
import { CommandIDs } from './ids';

const MESSAGE_TIME = 4_000;

/** What a person can do with a hint, in the running application. */
export class HintActions implements IHintActions {
  constructor(
    private readonly _app: JupyterFrontEnd,
    private readonly _tracker: HintTracker,
    private readonly _trans: TranslationBundle
  ) {}

  async applyFix(document: IHintDocument, fix: Fix): Promise<FixOutcome> {
    const outcome = await applyFix(document, fix);
    if (outcome === 'stale') {
      Notification.info(
        this._trans.__('The code has changed since: the hints are asked anew'),
        { autoClose: MESSAGE_TIME }
      );
    }
    return outcome;
  }

  async fixAllSafe(document: IHintDocument): Promise<number> {
    const count = await fixAllSafe(document);
    Notification.info(
      count === 0
        ? this._trans.__('No safe fix to apply')
        : this._trans._n('%1 fix applied', '%1 fixes applied', count),
      { autoClose: MESSAGE_TIME }
    );
    return count;
  }

  async reveal(
    document: IHintDocument,
    cell: string,
    range: Range
  ): Promise<void> {
    await this._tracker.reveal(document, cell, range);
  }

  openRule(name: string): void {
    void this._app.commands.execute(CommandIDs.openRule, { name });
  }

  copy(diagnostic: Diagnostic): void {
    Clipboard.copyToSystem(
      `${plainText(diagnostic.message)} (${diagnostic.rule})`
    );
  }
}
