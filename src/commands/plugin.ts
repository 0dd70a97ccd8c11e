import type {
  JupyterFrontEnd,
  JupyterFrontEndPlugin
} from '@jupyterlab/application';
import { ICommandPalette } from '@jupyterlab/apputils';
import {
  ITranslator,
  nullTranslator,
  type TranslationBundle
} from '@jupyterlab/translation';
import type { CommandRegistry } from '@lumino/commands';

import { hideCards, openCard, showCard } from '../editor/cards';
import { editorContext } from '../editor/context';
import { showName } from '../editor/names';
import { hintsAtCursor, type IPlacedHint } from '../editor/state';
import type { HintSettings } from '../settings/model';
import { type IHintActions, type IHintDocument, IJaxHints } from '../tokens';
import { logoIcon } from '../style/icons';
import { CommandIDs, NO_ARGUMENTS } from './ids';
import { activePlace, activeView, neighbour } from './navigate';

/** What the commands work on. */
interface ICommandContext {
  readonly hints: IJaxHints;
  readonly settings: HintSettings;
  readonly trans: TranslationBundle;
}

/** Commands at the cursor, through the notebook, and for all hints. */
export const commandsPlugin: JupyterFrontEndPlugin<void> = {
  id: 'jupyterlab-jaxhints:commands',
  description: 'Commands and shortcuts for JAX hints.',
  autoStart: true,
  requires: [IJaxHints],
  optional: [ITranslator, ICommandPalette],
  activate: (
    app: JupyterFrontEnd,
    hints: IJaxHints,
    translator: ITranslator | null,
    palette: ICommandPalette | null
  ) => {
    const trans = (translator ?? nullTranslator).load('jupyterlab_jaxhints');
    const context: ICommandContext = {
      hints,
      settings: hints.settings,
      trans
    };
    addCursorCommands(app.commands, context);
    addCardCommands(app.commands, context);
    addNotebookCommands(app.commands, context);
    const category = trans.__('JAX Hints');
    const inPalette = Object.values(CommandIDs).filter(
      id => id !== CommandIDs.closeCard && id !== CommandIDs.openRule
    );
    inPalette.forEach(command => palette?.addItem({ command, category }));
  }
};

/** The hint meant by "here": of the open card, else at the cursor. */
async function here(
  { hints }: ICommandContext,
  wanted: (placed: IPlacedHint) => boolean
): Promise<{ document: IHintDocument; placed: IPlacedHint } | null> {
  const card = openCard();
  const document =
    card?.view.state.facet(editorContext)?.document ?? hints.tracker.current;
  if (!document) {
    return null;
  }
  if (!card) {
    await document.settled();
    // The editors get the new hints in a microtask of their own.
    await Promise.resolve();
  }
  const view = card?.view ?? activeView(hints.tracker.front);
  const placed = card?.placed ?? (view ? hintsAtCursor(view.state) : []);
  const found = placed.find(wanted);
  if (card) {
    hideCards(card.view);
  }
  return found ? { document, placed: found } : null;
}

function addCursorCommands(
  commands: CommandRegistry,
  context: ICommandContext
): void {
  const { trans, hints } = context;
  const { actions } = hints;
  const take = async (
    fixOf: (
      placed: IPlacedHint
    ) => Parameters<IHintActions['applyFix']>[1] | null
  ) => {
    const found = await here(context, placed => fixOf(placed) !== null);
    const fix = found ? fixOf(found.placed) : null;
    return found && fix
      ? actions.applyFix(found.document, fix)
      : ('nothing' as const);
  };
  commands.addCommand(CommandIDs.fixAtCursor, {
    label: trans.__('Apply the Preferred Fix at the Cursor'),
    caption: trans.__('Takes the first fix of the JAX hint at the cursor'),
    describedBy: NO_ARGUMENTS,
    isEnabled: () => hints.tracker.current !== null,
    execute: () => take(({ hint }) => hint.fixes[0] ?? null)
  });
  commands.addCommand(CommandIDs.ignoreAtCursor, {
    label: trans.__('Ignore the Hint at the Cursor'),
    caption: trans.__('Writes the comment that silences this JAX hint'),
    describedBy: NO_ARGUMENTS,
    isEnabled: () => hints.tracker.current !== null,
    execute: () => take(({ hint }) => hint.ignore)
  });
  const go = async (step: 1 | -1) => {
    const document = hints.tracker.current;
    const open = openCard();
    if (open) {
      hideCards(open.view);
    }
    const hint = document
      ? neighbour(document, activePlace(hints.tracker.front), step)
      : null;
    if (!document || !hint) {
      return;
    }
    await actions.reveal(document, hint.cell, hint.range);
    const view = activeView(hints.tracker.front);
    if (view) {
      const placed = hintsAtCursor(view.state);
      showCard(
        view,
        placed.filter(other => other.hint.id === hint.id),
        false
      );
    }
  };
  commands.addCommand(CommandIDs.next, {
    label: trans.__('Go to the Next Hint'),
    describedBy: NO_ARGUMENTS,
    isEnabled: () => hints.tracker.current !== null,
    execute: () => go(1)
  });
  commands.addCommand(CommandIDs.previous, {
    label: trans.__('Go to the Previous Hint'),
    describedBy: NO_ARGUMENTS,
    isEnabled: () => hints.tracker.current !== null,
    execute: () => go(-1)
  });
}

function addCardCommands(
  commands: CommandRegistry,
  context: ICommandContext
): void {
  const { trans, hints } = context;
  commands.addCommand(CommandIDs.showCard, {
    label: trans.__('Show the Card of the Hint at the Cursor'),
    describedBy: NO_ARGUMENTS,
    isEnabled: () => hints.tracker.current !== null,
    execute: () => {
      const view = activeView(hints.tracker.front);
      if (view) {
        showCard(view, hintsAtCursor(view.state), true);
      }
    }
  });
  commands.addCommand(CommandIDs.showName, {
    label: trans.__('Show the Type of the Name at the Cursor'),
    caption: trans.__('What the kernel holds under the name, or the trace saw'),
    describedBy: NO_ARGUMENTS,
    isEnabled: () => hints.tracker.current !== null,
    execute: async () => {
      const view = activeView(hints.tracker.front);
      if (view) {
        await showName(view);
      }
    }
  });
  commands.addCommand(CommandIDs.closeCard, {
    label: trans.__('Close the Card'),
    describedBy: NO_ARGUMENTS,
    execute: () => {
      const card = openCard();
      if (card) {
        hideCards(card.view);
      }
    }
  });
}

function addNotebookCommands(
  commands: CommandRegistry,
  { trans, hints, settings }: ICommandContext
): void {
  commands.addCommand(CommandIDs.fixAll, {
    label: trans.__('Apply All Safe Fixes in the Notebook'),
    describedBy: NO_ARGUMENTS,
    isEnabled: () => hints.tracker.current !== null,
    execute: () =>
      hints.tracker.current
        ? hints.actions.fixAllSafe(hints.tracker.current)
        : 0
  });
  commands.addCommand(CommandIDs.toggle, {
    label: trans.__('Show JAX Hints'),
    icon: logoIcon,
    describedBy: NO_ARGUMENTS,
    isToggled: () => settings.enabled,
    execute: () => settings.setEnabled(!settings.enabled)
  });
  settings.changed.connect(() =>
    commands.notifyCommandChanged(CommandIDs.toggle)
  );
}
