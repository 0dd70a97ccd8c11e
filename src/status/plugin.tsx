import type {
  JupyterFrontEnd,
  JupyterFrontEndPlugin
} from '@jupyterlab/application';
import { IStatusBar } from '@jupyterlab/statusbar';
import {
  ITranslator,
  nullTranslator,
  type TranslationBundle
} from '@jupyterlab/translation';
import { ReactWidget, UseSignal } from '@jupyterlab/ui-components';
import * as React from 'react';

import { CommandIDs } from '../commands/ids';
import { countsOf, PanelModel } from '../panel/model';
import { errorIcon, warningIcon } from '../style/icons';
import { IJaxHints, type IHintDocument } from '../tokens';

/** Errors and the rest by number; a press opens the panel. */
export function StatusView(props: {
  document: IHintDocument | null;
  trans: TranslationBundle;
  onPress: () => void;
}): JSX.Element {
  const { document, trans, onPress } = props;
  if (!document || document.state === 'off' || document.state === 'no-jax') {
    return <></>;
  }
  if (document.state === 'failed') {
    return (
      <button type="button" onClick={onPress}>
        {trans.__('JAX hints: no answer')}
      </button>
    );
  }
  const { error, ...others } = countsOf(document.all());
  const rest = others.warning + others.information + others.hint;
  const text = trans.__('JAX hints: %1 errors, %2 others', error, rest);
  return (
    <button type="button" title={text} aria-label={text} onClick={onPress}>
      {trans.__('JAX')}
      <errorIcon.react tag="span" className="jp-JaxHints-severity" />
      {error}
      <warningIcon.react tag="span" className="jp-JaxHints-severity" />
      {rest}
    </button>
  );
}

/** A small item in the status bar. */
export const statusPlugin: JupyterFrontEndPlugin<void> = {
  id: 'jupyterlab-jaxhints:status',
  description: 'Counts the JAX hints in the status bar.',
  autoStart: true,
  requires: [IJaxHints, IStatusBar],
  optional: [ITranslator],
  activate: (
    app: JupyterFrontEnd,
    { tracker }: IJaxHints,
    statusBar: IStatusBar,
    translator: ITranslator | null
  ) => {
    const trans = (translator ?? nullTranslator).load('jupyterlab_jaxhints');
    const model = new PanelModel(tracker);
    const item = ReactWidget.create(
      <UseSignal signal={model.changed}>
        {() => (
          <StatusView
            document={model.document}
            trans={trans}
            onPress={() => void app.commands.execute(CommandIDs.openPanel)}
          />
        )}
      </UseSignal>
    );
    item.addClass('jp-JaxHints-status');
    statusBar.registerStatusItem('jupyterlab-jaxhints:status', {
      item,
      align: 'left',
      rank: 90
    });
  }
};
