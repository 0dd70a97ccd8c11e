import type { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import type { IHintDocument } from '../tokens';
import type { IPanelProps } from './view';

interface IRemark {
  readonly text: string;
  readonly detail?: string;
  readonly action?: { readonly label: string; readonly press: () => void };
}

/** What stands where no hint does: why there is none, and what can be done about it. */
export function Empty(props: IPanelProps): JSX.Element {
  const { text, detail, action } = remark(props);
  return (
    <div className="jp-JaxHints-empty" role="status">
      <p>{text}</p>
      {detail && <p className="jp-JaxHints-detail">{detail}</p>}
      {action && (
        <button
          type="button"
          className="jp-JaxHints-button"
          onClick={action.press}
        >
          {action.label}
        </button>
      )}
    </div>
  );
}

function remark(props: IPanelProps): IRemark {
  const { model, trans } = props;
  const { document } = model;
  if (!document) {
    return {
      text: trans.__('Open a notebook to see its hints.'),
      action: { label: trans.__('Open the tour'), press: props.onTour }
    };
  }
  switch (document.state) {
    case 'off':
      return {
        text: trans.__('JAX hints are off.'),
        action: { label: trans.__('Turn on'), press: props.onEnable }
      };
    case 'no-jax':
      return { text: trans.__('No cell of this notebook mentions JAX.') };
    case 'failed':
      return failed(document, props.onRetry, trans);
    case 'checking':
      return { text: trans.__('Looking at the notebook…') };
    default:
      return document.all().length > 0
        ? { text: trans.__('No hint fits the filter.') }
        : { text: trans.__('No hints: nothing here that JAX trips over.') };
  }
}

function failed(
  { failure }: IHintDocument,
  press: () => void,
  trans: TranslationBundle
): IRemark {
  const action = { label: trans.__('Try again'), press };
  if (failure?.isMissing) {
    return {
      text: trans.__('The server half of JAX hints is not there.'),
      detail: trans.__(
        'Install jupyterlab-jaxhints where the Jupyter server runs, then restart the server.'
      ),
      action
    };
  }
  if (failure?.status === 0) {
    return { text: trans.__('The Jupyter server does not answer.'), action };
  }
  return {
    text: trans.__('The hints could not be made.'),
    detail: failure?.message,
    action
  };
}
