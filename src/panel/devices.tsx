import type { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import type { Device } from '../protocol';
import { Row } from './row';

/** More devices than these do not get a line each. */
const MOST_LINES = 4;

interface IDevicesProps {
  readonly devices: readonly Device[];
  readonly trans: TranslationBundle;
}

/** A device that tells its memory, and its place among all. */
interface IFilled {
  readonly index: number;
  readonly used: number;
  readonly limit: number;
}

/** The devices of a kernel, and how full each is; of many the fullest. */
export function Devices({ devices, trans }: IDevicesProps): JSX.Element {
  const filled = devices.flatMap(({ used, limit }, index) =>
    used !== null && limit ? [{ index, used, limit }] : []
  );
  const isShort = filled.length > MOST_LINES;
  const label = ({ index }: IFilled) =>
    devices.length === 1
      ? trans.__('Memory')
      : isShort
        ? trans.__('Memory of %1, the fullest', index)
        : trans.__('Memory of %1', index);
  const shown = isShort ? [fullest(filled)] : filled;
  return (
    <>
      {devices.length > 0 && (
        <Row
          label={trans._n('Device', 'Devices', devices.length)}
          value={kinds(devices)}
        />
      )}
      {shown.map(device => (
        <Memory
          key={device.index}
          label={label(device)}
          trans={trans}
          {...device}
        />
      ))}
    </>
  );
}

function fullest(filled: readonly IFilled[]): IFilled {
  return filled.reduce((best, each) =>
    each.used / each.limit > best.used / best.limit ? each : best
  );
}

/** `8 × NVIDIA H200`. */
function kinds(devices: readonly Device[]): string {
  const counts = new Map<string, number>();
  for (const { kind } of devices) {
    counts.set(kind, (counts.get(kind) ?? 0) + 1);
  }
  return [...counts]
    .map(([kind, count]) => (count > 1 ? `${count} × ${kind}` : kind))
    .join(', ');
}

function Memory({
  label,
  used,
  limit,
  trans
}: {
  label: string;
  used: number;
  limit: number;
  trans: TranslationBundle;
}): JSX.Element {
  const gib = (bytes: number) => (bytes / 2 ** 30).toFixed(1);
  return (
    <>
      <Row
        label={label}
        value={trans.__('%1 of %2 GiB', gib(used), gib(limit))}
      />
      <progress max={limit} value={used} aria-label={label} />
    </>
  );
}
