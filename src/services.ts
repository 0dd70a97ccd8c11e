import type {
  JupyterFrontEnd,
  JupyterFrontEndPlugin
} from '@jupyterlab/application';
import {
  EditorExtensionRegistry,
  IEditorExtensionRegistry
} from '@jupyterlab/codemirror';
import type { ICodeCellModel } from '@jupyterlab/cells';
import type { CodeEditor } from '@jupyterlab/codeeditor';
import { IEditorTracker } from '@jupyterlab/fileeditor';
import { INotebookTracker } from '@jupyterlab/notebook';
import { ISettingRegistry } from '@jupyterlab/settingregistry';
import { ITranslator, nullTranslator } from '@jupyterlab/translation';
import { CommandRegistry } from '@lumino/commands';

import { HintsClient } from './client';
import { HintActions } from './commands/actions';
import { CommandIDs } from './commands/ids';
import type { IEditorContext } from './editor/context';
import { hintExtension } from './editor/extension';
import { ghostExtension } from './editor/ghost';
import { nameExtension } from './editor/names';
import { FILE_CELL } from './hosts/file';
import { HintSettings } from './settings/model';
import { IJaxHints } from './tokens';
import type { HintDocument } from './model/document';
import { HintTracker } from './model/tracker';
import { TraceManager } from './trace/manager';
import { NotebookShapes } from './trace/shapes';

const PLUGIN_ID = 'jupyterlab-jaxhints:plugin';

/** The heart: client, settings, hints of each notebook, and their marks in the editors. */
export const hintsPlugin: JupyterFrontEndPlugin<IJaxHints> = {
  id: PLUGIN_ID,
  description: 'Hints and quick fixes for JAX code in notebooks.',
  autoStart: true,
  provides: IJaxHints,
  requires: [INotebookTracker, IEditorExtensionRegistry],
  optional: [ISettingRegistry, ITranslator, IEditorTracker],
  activate: (
    app: JupyterFrontEnd,
    notebooks: INotebookTracker,
    editors: IEditorExtensionRegistry,
    registry: ISettingRegistry | null,
    translator: ITranslator | null,
    files: IEditorTracker | null
  ): IJaxHints => {
    const trans = (translator ?? nullTranslator).load('jupyterlab_jaxhints');
    const client = new HintsClient(app.serviceManager.serverSettings);
    const settings = new HintSettings();
    registry
      ?.load(PLUGIN_ID)
      .then(loaded => settings.follow(loaded))
      .catch(reason => console.error('jaxhints: no settings', reason));
    const tracker = new HintTracker(
      app.shell,
      notebooks,
      files,
      client,
      settings
    );
    const actions = new HintActions(app, tracker, trans);
    const traces = new TraceManager(notebooks, tracker, client, settings);
    addMarks(editors, tracker, document => ({
      actions,
      trans,
      fixKey: () => fixKey(app.commands),
      comparer: hint => traces.ofDocument(document)?.comparer(hint) ?? null
    }));
    addShapes(editors, traces, trans);
    return { client, settings, tracker, actions, traces };
  }
};

/** Gives each editor of a code cell or a file its hints. */
function addMarks(
  editors: IEditorExtensionRegistry,
  tracker: HintTracker,
  contextOf: (
    document: HintDocument
  ) => Omit<IEditorContext, 'cell' | 'document'>
): void {
  editors.addExtension({
    name: 'jaxhints',
    factory: ({ model }) => {
      const place = placeOf(model, tracker);
      return place
        ? EditorExtensionRegistry.createImmutableExtension(
            hintExtension({ ...place, ...contextOf(place.document) })
          )
        : null;
    }
  });
}

/** Gives each editor of a code cell the shapes and the names that the kernel told. */
function addShapes(
  editors: IEditorExtensionRegistry,
  traces: TraceManager,
  trans: IEditorContext['trans']
): void {
  const sources = new WeakMap<object, NotebookShapes>();
  editors.addExtension({
    name: 'jaxhints-shapes',
    factory: ({ model }) => {
      const cell = model as Partial<ICodeCellModel>;
      const notebook = cell.type === 'code' ? cell.sharedModel?.notebook : null;
      if (!notebook || !cell.id) {
        return null;
      }
      const source =
        sources.get(notebook) ?? new NotebookShapes(traces, notebook);
      sources.set(notebook, source);
      return EditorExtensionRegistry.createImmutableExtension([
        ghostExtension(cell.id, source),
        nameExtension(cell.id, source, trans)
      ]);
    }
  });
}

/** Whose text an editor shows. The model of a cell's editor is the cell's; a file's shared model has no cell type. */
function placeOf(
  model: CodeEditor.IModel,
  tracker: HintTracker
): { cell: string; document: HintDocument } | null {
  const cell = model as Partial<ICodeCellModel>;
  if (cell.type !== undefined) {
    const notebook = cell.type === 'code' ? cell.sharedModel?.notebook : null;
    return notebook && cell.id
      ? { cell: cell.id, document: tracker.documentFor(notebook) }
      : null;
  }
  const isFile = 'version' in model.sharedModel;
  return isFile
    ? { cell: FILE_CELL, document: tracker.documentForFile(model) }
    : null;
}

/** The key bound to the preferred fix, as JupyterLab writes keys. */
function fixKey(commands: CommandRegistry): string {
  const binding = commands.keyBindings.find(
    ({ command }) => command === CommandIDs.fixAtCursor
  );
  return binding ? CommandRegistry.formatKeystroke(binding.keys) : '';
}
