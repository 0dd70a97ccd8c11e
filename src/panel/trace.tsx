import type { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import { plainText } from '../card/message';
import type { TraceModel } from '../trace/model';
import { Devices } from './devices';
import { Row, Switch, SwitchRow } from './row';

/** What the section tells its owner. */
export interface ITraceCallbacks {
  readonly onTrace: (isOn: boolean) => void;
  readonly onFacts: (isOn: boolean) => void;
  readonly onShapes: (isOn: boolean) => void;
  readonly onCheck: (action: 'memory' | 'nan') => void;
  readonly onCancel: () => void;
}

interface ITraceProps extends ITraceCallbacks {
  readonly trace: TraceModel;
  /** Compares the fix at hand; null where there is none. */
  readonly compare: (() => void) | null;
  readonly trans: TranslationBundle;
}

/** The live trace of the notebook in front: its switches, and what kernel, what device, what came of it. */
export function TraceSection(props: ITraceProps): JSX.Element {
  const { trace, trans } = props;
  const [isAsked, setAsked] = React.useState(false);
  const [isRefused, setRefused] = React.useState(false);
  const onTrace = (isOn: boolean) => {
    const refuse = isOn && !trace.kernel.isTrusted;
    const explain = isOn && !refuse && !trace.isExplained;
    setRefused(refuse);
    setAsked(explain);
    if (!explain && !refuse) {
      props.onTrace(isOn);
    }
  };
  const onFacts = (isOn: boolean) => {
    const refuse = isOn && !trace.kernel.isTrusted;
    setRefused(refuse);
    if (!refuse) {
      props.onFacts(isOn);
    }
  };
  return (
    <section
      className="jp-JaxHints-trace"
      aria-label={trans.__('Live trace')}
      data-state={trace.standing}
    >
      <header>
        <h3>{trans.__('Live trace')}</h3>
        <Switch
          label={trans.__('Live trace')}
          isOn={trace.isOn}
          onSwitch={onTrace}
        />
      </header>
      {isAsked && !trace.isOn && (
        <Explanation
          trans={trans}
          onAnswer={isOn => {
            setAsked(false);
            if (isOn) {
              props.onTrace(true);
            }
          }}
        />
      )}
      {isRefused && !trace.isOn && (
        <p role="status">
          {trans.__('The notebook is not trusted: its kernel is not asked.')}
        </p>
      )}
      {trace.factsOn && <Facts {...props} />}
      <SwitchRow
        label={trans.__('Facts from the kernel')}
        caption={trans.__(
          'Versions, devices, and the types of names: runs no code of the notebook'
        )}
        isOn={trace.factsOn}
        onSwitch={onFacts}
      />
      {trace.isOn && <Shapes {...props} />}
    </section>
  );
}

/** What is run and what cannot be protected, before it is switched on for the first time. */
function Explanation({
  trans,
  onAnswer
}: {
  trans: TranslationBundle;
  onAnswer: (isOn: boolean) => void;
}): JSX.Element {
  const lines = [
    trans.__(
      'Runs your functions and simple statements in the kernel on shapes alone, also in cells not run yet.'
    ),
    trans.__(
      'Works in a copy of the namespace: your variables stay, and nothing is computed on the device.'
    ),
    trans.__(
      'Writes no file, opens no connection, starts no program through Python, and stops after a second.'
    ),
    trans.__(
      'Modules, threads, open files, native code and os._exit are not held back: it is no sandbox.'
    )
  ];
  return (
    <div className="jp-JaxHints-explain" role="group">
      {lines.map(line => (
        <p key={line}>{line}</p>
      ))}
      <button
        type="button"
        className="jp-JaxHints-button jp-mod-preferred"
        onClick={() => onAnswer(true)}
      >
        {trans.__('Turn on')}
      </button>
      <button
        type="button"
        className="jp-JaxHints-button"
        onClick={() => onAnswer(false)}
      >
        {trans.__('Not now')}
      </button>
    </div>
  );
}

function Facts(props: ITraceProps): JSX.Element {
  const { trace, trans } = props;
  const { kernel, results } = trace;
  const { facts, last } = results;
  const x64 = facts?.x64 ? trans.__('x64 on') : trans.__('x64 off');
  const words = {
    none: trans.__('none'),
    starting: trans.__('starting'),
    busy: trans.__('busy'),
    idle: trans.__('idle')
  };
  // The blink that a trace itself makes is no news.
  const word = words[trace.isAsking ? 'idle' : kernel.status];
  return (
    <>
      <Row label={trans.__('State')} value={stateText(trace, trans)} />
      <Row
        label={trans.__('Kernel')}
        value={kernel.name ? `${kernel.name} · ${word}` : word}
      />
      {facts && <Row label={trans.__('JAX')} value={`${facts.jax} · ${x64}`} />}
      {facts && facts.flags.length > 0 && (
        <Row label={trans.__('Flags on')} value={facts.flags.join(', ')} />
      )}
      {facts && <Devices devices={facts.devices} trans={trans} />}
      {last && (
        <Row
          label={trans.__('Last trace')}
          value={trans.__(
            '%1 of %2 cells · %3 ms',
            last.cells,
            last.of,
            Math.round(last.ms)
          )}
          isStale={trace.isStale}
        />
      )}
    </>
  );
}

/** What a trace adds: shapes in the code, and checks on the device. */
function Shapes(props: ITraceProps): JSX.Element {
  const { trace, trans } = props;
  const { remark } = trace.results;
  return (
    <>
      <SwitchRow
        label={trans.__('Shapes in the code')}
        caption={trans.__('Grey types at the ends of lines')}
        isOn={trace.shapesOn}
        onSwitch={props.onShapes}
      />
      {remark && <p role="status">{plainText(remark)}</p>}
      <div className="jp-JaxHints-checks">
        <Check {...props} action="memory">
          {trans.__('Memory of this cell')}
        </Check>
        <Check {...props} action="nan">
          {trans.__('Find NaN')}
        </Check>
        <button
          type="button"
          className="jp-JaxHints-button"
          disabled={!props.compare || isBlocked(trace)}
          title={trans.__(
            'Runs the code as it is and with the fix at hand on the real values'
          )}
          onClick={() => props.compare?.()}
        >
          {trans.__('Compare fix')}
        </button>
        {trace.standing === 'tracing' && (
          <button
            type="button"
            className="jp-JaxHints-button"
            title={trans.__('The kernel ends the trace at its limit')}
            onClick={props.onCancel}
          >
            {trans.__('Cancel')}
          </button>
        )}
      </div>
    </>
  );
}

function Check({
  action,
  children,
  trace,
  trans,
  onCheck
}: React.PropsWithChildren<
  ITraceProps & { action: 'memory' | 'nan' }
>): JSX.Element {
  return (
    <button
      type="button"
      className="jp-JaxHints-button"
      disabled={isBlocked(trace)}
      title={trans.__('Compiles or runs the cell on the device')}
      onClick={() => onCheck(action)}
    >
      {children}
    </button>
  );
}

/** Whether the kernel can't be asked now. */
function isBlocked({ kernel, isAsking }: TraceModel): boolean {
  return kernel.status !== 'idle' || isAsking;
}

function stateText(trace: TraceModel, trans: TranslationBundle): string {
  const words: Partial<Record<string, string>> = {
    untrusted: trans.__('off: the notebook is not trusted'),
    waiting: trans.__('waiting'),
    tracing: trans.__('tracing…'),
    traced: trace.isOn ? trans.__('traced') : trans.__('facts only'),
    'partly traced': trans.__('partly traced'),
    'kernel busy': trans.__('waits: the kernel is busy'),
    'kernel restarted': trans.__('waits: the kernel was restarted'),
    'JAX not imported': trans.__('JAX is not imported yet'),
    'no kernel': trans.__('no kernel'),
    interrupted: trans.__('stopped'),
    'server missing': trans.__('the server does not answer')
  };
  const word = words[trace.standing] ?? trace.standing;
  const isTold = /partly|refused|failed|supported|missing/.test(trace.standing);
  return trace.why && isTold ? `${word}: ${trace.why}` : word;
}
