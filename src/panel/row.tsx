import * as React from 'react';

/** A line of the section: what, and its value. */
export function Row(props: {
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

interface ISwitchProps {
  readonly label: string;
  readonly isOn: boolean;
  readonly onSwitch: (isOn: boolean) => void;
}

export function Switch(props: ISwitchProps): JSX.Element {
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

/** A line with a switch. */
export function SwitchRow(
  props: ISwitchProps & { caption: string }
): JSX.Element {
  return (
    <div className="jp-JaxHints-row" title={props.caption}>
      <span>{props.label}</span>
      <Switch {...props} />
    </div>
  );
}
