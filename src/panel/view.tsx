import type { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import { spans } from '../card/message';
import { cellName, severityName } from '../model/words';
import type { Diagnostic, Note } from '../protocol';
import { iconOf } from '../style/icons';
import { Empty } from './empty';
import { Item } from './item';
import type { PanelModel } from './model';
import { type ITraceCallbacks, TraceSection } from './trace';

/** What the panel tells its owner. */
export interface IPanelCallbacks extends ITraceCallbacks {
  readonly onReveal: (hint: Diagnostic) => void;
  readonly onFix: (hint: Diagnostic) => void;
  readonly onFixAll: () => void;
  readonly onRule: (name: string) => void;
  readonly onRetry: () => void;
  readonly onEnable: () => void;
  readonly onTour: () => void;
}

export interface IPanelProps extends IPanelCallbacks {
  readonly model: PanelModel;
  readonly trans: TranslationBundle;
}

const SEVERITIES = ['error', 'warning', 'information', 'hint'] as const;

/** The panel: counts, filter, hints by cell, remarks of the server. */
export function PanelView(props: IPanelProps): JSX.Element {
  const { model, trans } = props;
  if (!model.isVisible) {
    return <></>;
  }
  const groups = model.groups();
  const notes = model.document?.notes ?? [];
  return (
    <>
      <Head {...props} />
      <Tools {...props} />
      <div
        className="jp-JaxHints-list"
        role="region"
        aria-label={trans.__('Hints by cell')}
        aria-busy={model.document?.state === 'checking'}
        onKeyDown={moveByArrows}
      >
        {groups.map(({ host, cell, broken, hints }) => (
          <section key={cell.id} aria-label={cellName(host, cell, trans)}>
            <h3 className="jp-JaxHints-group">
              {cellName(host, cell, trans)}
              {broken && <span> · {trans.__('has a syntax error')}</span>}
            </h3>
            <ul>
              {hints.map((hint, index) => (
                <Item key={`${hint.id} ${index}`} hint={hint} {...props} />
              ))}
            </ul>
          </section>
        ))}
        {groups.length === 0 && <Empty {...props} />}
      </div>
      {notes.length > 0 && (
        <ul className="jp-JaxHints-notes" aria-label={trans.__('Notes')}>
          {notes.map((note, index) => (
            <NoteItem key={index} note={note} {...props} />
          ))}
        </ul>
      )}
      {model.trace && (
        <TraceSection
          trace={model.trace}
          compare={model.compare()}
          {...props}
        />
      )}
    </>
  );
}

/** A remark, after the name of the cell that it is about. */
function NoteItem({
  note,
  model,
  trans
}: IPanelProps & { note: Note }): JSX.Element {
  const host = model.document?.host;
  const cell = host?.cells().find(({ id }) => id === note.cell);
  return (
    <li>
      {host && cell && `${cellName(host, cell, trans)}: `}
      {spans(note.message).map(({ text, code }, index) =>
        code ? <code key={index}>{text}</code> : text
      )}
    </li>
  );
}

function Head({ model, trans }: IPanelProps): JSX.Element {
  const counts = model.counts();
  return (
    <header className="jp-JaxHints-panelHead">
      <h2>{trans.__('JAX hints')}</h2>
      <span className="jp-JaxHints-counts">
        {SEVERITIES.filter(
          severity => severity !== 'hint' || counts.hint > 0
        ).map(severity => {
          const icon = iconOf(severity);
          const name = severityName(severity, trans);
          return (
            <button
              key={severity}
              type="button"
              className="jp-JaxHints-count"
              aria-pressed={!model.hidden.has(severity)}
              aria-label={`${name}: ${counts[severity]}`}
              title={trans.__('%1: show or hide', name)}
              onClick={() => model.toggle(severity)}
            >
              <icon.react tag="span" className="jp-JaxHints-severity" />
              {counts[severity]}
            </button>
          );
        })}
      </span>
    </header>
  );
}

function Tools({ model, trans, onFixAll }: IPanelProps): JSX.Element {
  const safe = model.safeCount();
  return (
    <div className="jp-JaxHints-tools">
      <input
        type="search"
        className="jp-JaxHints-filter"
        placeholder={trans.__('Filter by text or rule')}
        aria-label={trans.__('Filter by text or rule')}
        value={model.filter}
        onChange={event => {
          model.filter = event.target.value;
        }}
      />
      <button
        type="button"
        className="jp-JaxHints-button"
        disabled={safe === 0}
        title={trans.__('Apply the safe fixes of this notebook')}
        onClick={onFixAll}
      >
        {trans.__('Fix %1 safe', safe)}
      </button>
    </div>
  );
}

/** Up and down move from hint to hint. */
function moveByArrows(event: React.KeyboardEvent<HTMLElement>): void {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (!step) {
    return;
  }
  const items = [
    ...event.currentTarget.querySelectorAll<HTMLElement>(
      '.jp-JaxHints-itemMain'
    )
  ];
  const item = (event.target as HTMLElement).closest('.jp-JaxHints-item');
  const at = items.findIndex(main => item?.contains(main));
  items[at + step]?.focus();
  event.preventDefault();
}
