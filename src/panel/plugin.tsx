import {
  ILayoutRestorer,
  type JupyterFrontEnd,
  type JupyterFrontEndPlugin
} from '@jupyterlab/application';
import {
  ITranslator,
  nullTranslator,
  type TranslationBundle
} from '@jupyterlab/translation';
import { ReactWidget, UseSignal } from '@jupyterlab/ui-components';
import * as React from 'react';

import { CommandIDs, NO_ARGUMENTS } from '../commands/ids';
import { logoIcon } from '../style/icons';
import { IJaxHints } from '../tokens';
import { PanelModel } from './model';
import { type IPanelCallbacks, PanelView } from './view';

/** The panel in the right sidebar. While it is hidden it does no work. */
class HintPanel extends ReactWidget {
  constructor(
    private readonly _model: PanelModel,
    private readonly _callbacks: IPanelCallbacks,
    private readonly _trans: TranslationBundle
  ) {
    super();
    this.id = 'jaxhints-panel';
    this.addClass('jp-JaxHints-panel');
    this.title.icon = logoIcon;
    this.title.caption = _trans.__('JAX hints');
    this.node.setAttribute('role', 'region');
    this.node.setAttribute('aria-label', _trans.__('JAX hints'));
    _model.isVisible = false;
  }

  protected onAfterShow(): void {
    this._model.isVisible = true;
  }

  protected onAfterHide(): void {
    this._model.isVisible = false;
  }

  protected render(): JSX.Element {
    return (
      <UseSignal signal={this._model.changed}>
        {() => (
          <PanelView
            model={this._model}
            trans={this._trans}
            {...this._callbacks}
          />
        )}
      </UseSignal>
    );
  }
}

/** The list of hints to work through. */
export const panelPlugin: JupyterFrontEndPlugin<void> = {
  id: 'jupyterlab-jaxhints:panel',
  description: 'Lists the JAX hints of the notebook in front.',
  autoStart: true,
  requires: [IJaxHints],
  optional: [ITranslator, ILayoutRestorer],
  activate: (
    app: JupyterFrontEnd,
    hints: IJaxHints,
    translator: ITranslator | null,
    restorer: ILayoutRestorer | null
  ) => {
    const trans = (translator ?? nullTranslator).load('jupyterlab_jaxhints');
    const { traces } = hints;
    const model = new PanelModel(hints.tracker, document =>
      traces.ofDocument(document)
    );
    traces.added.connect(() => model.follow());
    const panel = new HintPanel(model, callbacks(app, hints, model), trans);
    app.shell.add(panel, 'right', { rank: 600 });
    restorer?.add(panel, panel.id);
    app.commands.addCommand(CommandIDs.openPanel, {
      label: trans.__('Open the Panel of JAX Hints'),
      describedBy: NO_ARGUMENTS,
      execute: () => app.shell.activateById(panel.id)
    });
  }
};

function callbacks(
  app: JupyterFrontEnd,
  { actions, settings, tracker }: IJaxHints,
  model: PanelModel
): IPanelCallbacks {
  return {
    onReveal: hint => {
      model.selected = hint.id;
      if (model.document) {
        void actions.reveal(model.document, hint.cell, hint.range);
      }
    },
    onFix: hint => {
      if (model.document && hint.fixes.length > 0) {
        void actions.applyFix(model.document, hint.fixes[0]);
      }
    },
    onFixAll: () => {
      if (model.document) {
        void actions.fixAllSafe(model.document);
      }
    },
    onRule: name => actions.openRule(name),
    onRetry: () => void model.document?.refresh(),
    onEnable: () => void settings.setEnabled(true),
    onTour: () => void app.commands.execute(CommandIDs.openTour),
    onTrace: isOn => model.trace?.setOn(isOn),
    onFacts: isOn => model.trace?.setFacts(isOn),
    onShapes: isOn => model.trace?.setShapes(isOn),
    onCancel: () => model.trace?.cancel(),
    onCheck: action => {
      if (tracker.front) {
        void model.trace?.check(action, tracker.front.cell);
      }
    }
  };
}
