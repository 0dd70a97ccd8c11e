import type { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import type { Device } from '../protocol';
import type { TraceModel } from '../trace/model';

/** What the section tells its owner. */
export interface ITraceCallbacks {
  readonly onTrace: (isOn: boolean) => void;
  readonly onShapes: (isOn: boolean) => void;
  readonly onCheck: (action: 'memory' | 'nan') => void;
  readonly onCancel: () => void;
}

interface ITraceProps extends ITraceCallbacks {
  readonly trace: TraceModel;
  readonly trans: TranslationBundle;
}

/** The live trace of the notebook in front: its switch, and what kernel, what device, what came of it. */
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
          {trans.__('The notebook is not trusted: no code of it is run.')}
        </p>
      )}
      {trace.isOn && <Facts {...props} />}
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
      'Modules, threads, open files and native code are not protected: it is no sandbox.'
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
  const { facts, last, remark } = results;
  const device = facts?.devices[0];
  const x64 = facts?.x64 ? trans.__('x64 on') : trans.__('x64 off');
  const words = {
    none: trans.__('none'),
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
      {device && <Row label={trans.__('Device')} value={device.kind} />}
      {device && <Memory device={device} trans={trans} />}
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
      <div className="jp-JaxHints-row">
        <span>{trans.__('Shapes in the code')}</span>
        <Switch
          label={trans.__('Shapes in the code')}
          isOn={trace.shapesOn}
          onSwitch={props.onShapes}
        />
      </div>
      {remark && <p role="status">{remark}</p>}
      <div className="jp-JaxHints-checks">
        <Check {...props} action="memory">
          {trans.__('Memory of this cell')}
        </Check>
        <Check {...props} action="nan">
          {trans.__('Find NaN')}
        </Check>
        {trace.isAsking && (
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
      disabled={trace.kernel.status !== 'idle' || trace.isAsking}
      title={trans.__('Compiles or runs the cell on the device')}
      onClick={() => onCheck(action)}
    >
      {children}
    </button>
  );
}

function Memory({
  device,
  trans
}: {
  device: Device;
  trans: TranslationBundle;
}): JSX.Element {
  const { used, limit } = device;
  if (used === null || !limit) {
    return <></>;
  }
  const gib = (bytes: number) => (bytes / 2 ** 30).toFixed(1);
  return (
    <>
      <Row
        label={trans.__('Memory')}
        value={trans.__('%1 of %2 GiB', gib(used), gib(limit))}
      />
      <progress
        max={limit}
        value={used}
        aria-label={trans.__('Memory of the device')}
      />
    </>
  );
}

function Row(props: {
  label: string;
  value: string;
  isStale?: boolean;
}): JSX.Element {
  return (
    <div className={`jp-JaxHints-row${props.isStale ? ' jp-mod-stale' : ''}`}>
      <span>{props.label}</span>
      <b>{props.value}</b>
    </div>
  );
}

function Switch(props: {
  label: string;
  isOn: boolean;
  onSwitch: (isOn: boolean) => void;
}): JSX.Element {
  return (
    <button
      type="button"
      role="switch"
      className="jp-JaxHints-switch"
      aria-checked={props.isOn}
      aria-label={props.label}
      onClick={() => props.onSwitch(!props.isOn)}
    />
  );
}

function stateText(trace: TraceModel, trans: TranslationBundle): string {
  const words: Partial<Record<string, string>> = {
    untrusted: trans.__('off: the notebook is not trusted'),
    waiting: trans.__('waiting'),
    tracing: trans.__('tracing…'),
    traced: trans.__('traced'),
    'partly traced': trans.__('partly traced'),
    'kernel busy': trans.__('waits: the kernel is busy'),
    'kernel restarted': trans.__('waits: the kernel was restarted'),
    'JAX not imported': trans.__('JAX is not imported yet'),
    'no kernel': trans.__('no kernel'),
    'server missing': trans.__('the server does not answer')
  };
  const word = words[trace.standing] ?? trace.standing;
  const isTold = /partly|refused|failed|supported|missing/.test(trace.standing);
  return trace.why && isTold ? `${word}: ${trace.why}` : word;
}
