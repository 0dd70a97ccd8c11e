import type {
  JupyterFrontEnd,
  JupyterFrontEndPlugin
} from '@jupyterlab/application';
import {
  EditorExtensionRegistry,
  IEditorExtensionRegistry
} from '@jupyterlab/codemirror';
import type { ICodeCellModel } from '@jupyterlab/cells';
import { INotebookTracker } from '@jupyterlab/notebook';
import { ISettingRegistry } from '@jupyterlab/settingregistry';
import {
  ITranslator,
  nullTranslator,
  type TranslationBundle
} from '@jupyterlab/translation';
import { CommandRegistry } from '@lumino/commands';

import { HintsClient } from './client';
import { HintActions } from './commands/actions';
import { CommandIDs } from './commands/ids';
import { hintExtension } from './editor/extension';
import { HintSettings } from './settings/model';
import { type IHintActions, IJaxHints } from './tokens';
import { HintTracker } from './model/tracker';

const PLUGIN_ID = 'jupyterlab-jaxhints:plugin';

/** The heart: client, settings, hints of each notebook, and their marks in the editors. */
export const hintsPlugin: JupyterFrontEndPlugin<IJaxHints> = {
  id: PLUGIN_ID,
  description: 'Hints and quick fixes for JAX code in notebooks.',
  autoStart: true,
  provides: IJaxHints,
  requires: [INotebookTracker, IEditorExtensionRegistry],
  optional: [ISettingRegistry, ITranslator],
  activate: (
    app: JupyterFrontEnd,
    notebooks: INotebookTracker,
    editors: IEditorExtensionRegistry,
    registry: ISettingRegistry | null,
    translator: ITranslator | null
  ): IJaxHints => {
    const trans = (translator ?? nullTranslator).load('jupyterlab_jaxhints');
    const client = new HintsClient(app.serviceManager.serverSettings);
    const settings = new HintSettings();
    registry
      ?.load(PLUGIN_ID)
      .then(loaded => settings.follow(loaded))
      .catch(reason => console.error('jaxhints: no settings', reason));
    const tracker = new HintTracker(notebooks, client, settings);
    const actions = new HintActions(app, tracker, trans);
    addMarks(editors, tracker, actions, trans, () => fixKey(app.commands));
    return { client, settings, tracker, actions };
  }
};

/** Gives each editor of a notebook's code cell its hints. The model of such an editor is the cell's. */
function addMarks(
  editors: IEditorExtensionRegistry,
  tracker: HintTracker,
  actions: IHintActions,
  trans: TranslationBundle,
  key: () => string
): void {
  editors.addExtension({
    name: 'jaxhints',
    factory: ({ model }) => {
      const cell = model as Partial<ICodeCellModel>;
      const notebook = cell.type === 'code' ? cell.sharedModel?.notebook : null;
      if (!notebook || !cell.id) {
        return null;
      }
      return EditorExtensionRegistry.createImmutableExtension(
        hintExtension({
          cell: cell.id,
          document: tracker.documentFor(notebook),
          actions,
          trans,
          fixKey: key
        })
      );
    }
  });
}

/** The key bound to the preferred fix, as JupyterLab writes keys. */
function fixKey(commands: CommandRegistry): string {
  const binding = commands.keyBindings.find(
    ({ command }) => command === CommandIDs.fixAtCursor
  );
  return binding ? CommandRegistry.formatKeystroke(binding.keys) : '';
}
