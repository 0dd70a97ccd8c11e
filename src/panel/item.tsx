import * as React from 'react';

import { spans } from '../card/message';
import { severityName } from '../model/words';
import type { Diagnostic } from '../protocol';
import { iconOf } from '../style/icons';
import type { IPanelProps } from './view';

/** One hint of the list: a press goes to its place, the link at the right takes its preferred fix. */
export function Item(props: IPanelProps & { hint: Diagnostic }): JSX.Element {
  const { hint, model, trans } = props;
  const icon = iconOf(hint.severity);
  const fix = hint.fixes[0];
  const selected = model.selected === hint.id;
  return (
    <li
      className={`jp-JaxHints-item${selected ? ' jp-mod-selected' : ''}`}
      data-rule={hint.rule}
    >
      <icon.react
        tag="span"
        className="jp-JaxHints-severity"
        title={severityName(hint.severity, trans)}
      />
      <button
        type="button"
        className="jp-JaxHints-itemMain"
        aria-current={selected}
        onClick={() => props.onReveal(hint)}
      >
        <span className="jp-JaxHints-hidden">
          {severityName(hint.severity, trans)}:{' '}
        </span>
        {spans(hint.message).map(({ text, code }, index) =>
          code ? <code key={index}>{text}</code> : text
        )}
      </button>
      <div className="jp-JaxHints-itemRow">
        <button
          type="button"
          className="jp-JaxHints-itemRule"
          title={trans.__('Open the page of this rule')}
          onClick={() => props.onRule(hint.rule)}
        >
          {hint.rule}
        </button>
        {fix && (
          <button
            type="button"
            className="jp-JaxHints-itemFix"
            title={
              fix.applicability === 'safe'
                ? trans.__('Apply this fix')
                : trans.__('Apply this fix: it may change what the code does')
            }
            onClick={() => props.onFix(hint)}
          >
            {fix.title}
            {fix.applicability === 'unsafe' ? '…' : ''}
          </button>
        )}
      </div>
    </li>
  );
}
