import type { TranslationBundle } from '@jupyterlab/translation';

import type { NameFact } from '../protocol';

/** What is shown of a name: its type in short, lines about it, and who says so. */
export interface ITold {
  readonly name: string;
  readonly type: string;
  readonly rows: readonly (readonly [label: string, value: string])[];
  readonly remarks: readonly string[];
  readonly source: string;
}

const TRACED = /^(bf|f|u|i|c)(\d+)\[([\d,]*)\](\*?)$/;
const LONG: Readonly<Record<string, string>> = {
  bf: 'bfloat',
  f: 'float',
  u: 'uint',
  i: 'int',
  c: 'complex'
};

/** The kernel's word on a global name; null where it holds nothing worth a word. */
export function toldByKernel(
  name: string,
  fact: NameFact,
  trans: TranslationBundle
): ITold | null {
  const { jitted, shape, dtype, library } = fact;
  const type = fact.type ?? (jitted ? trans.__('jitted function') : '');
  if (!type && !fact.tracer) {
    return null;
  }
  const rows: [string, string][] = [];
  if (shape && dtype) {
    rows.push(...array(shape, dtype, fact.weak, trans));
  }
  if (library === 'jax' && fact.sharding) {
    const devices = trans._n('%1 device', '%1 devices', fact.devices ?? 0);
    rows.push([trans.__('Sharding'), `${fact.sharding} · ${devices}`]);
  }
  if (jitted) {
    const none = trans.__('none');
    rows.push([trans.__('Static'), jitted.static.join(', ') || none]);
    if (jitted.donated.length > 0) {
      rows.push([trans.__('Donated'), jitted.donated.join(', ')]);
    }
    if (jitted.traces !== null) {
      rows.push([trans.__('Traces'), String(jitted.traces)]);
    }
  }
  const remarks = [];
  if (fact.deleted) {
    remarks.push(trans.__('donated or deleted: its buffer is gone'));
  }
  if (fact.tracer) {
    remarks.push(trans.__('holds a tracer whose trace has ended'));
  }
  const source = trans.__('in the kernel now');
  return { name, type, rows, remarks, source };
}

/** The type that a trace saw in a local name. */
export function toldByTrace(
  name: string,
  type: string,
  trans: TranslationBundle
): ITold {
  const parts = TRACED.exec(type);
  const rows = parts
    ? array(
        parts[3].split(',').filter(size => size !== ''),
        LONG[parts[1]] + parts[2],
        parts[4] === '*',
        trans
      )
    : [];
  const remarks =
    type === 'varies' ? [trans.__('another type at another call')] : [];
  const source = trans.__('as traced');
  return { name, type, rows, remarks, source };
}

function array(
  shape: readonly (number | string)[],
  dtype: string,
  isWeak: boolean,
  trans: TranslationBundle
): [string, string][] {
  const sizes = shape.length === 1 ? `${shape[0]},` : shape.join(', ');
  return [
    [trans.__('Shape'), `(${sizes})`],
    [trans.__('Dtype'), isWeak ? trans.__('%1, weak type', dtype) : dtype]
  ];
}

/** The tooltip's content. Whatever comes from the kernel is text, never markup. */
export function createFact(told: ITold): HTMLElement {
  const root = document.createElement('div');
  root.className = 'jp-JaxHints-fact';
  root.setAttribute('role', 'tooltip');
  const head = root.appendChild(document.createElement('div'));
  head.className = 'jp-JaxHints-factHead';
  head.append(
    element('code', '', told.name),
    element('code', 'jp-JaxHints-factType', told.type),
    element('span', 'jp-JaxHints-factSource', told.source)
  );
  if (told.rows.length > 0) {
    const list = root.appendChild(document.createElement('dl'));
    for (const [label, value] of told.rows) {
      list.append(element('dt', '', label), element('dd', '', value));
    }
  }
  for (const remark of told.remarks) {
    root.append(element('p', '', remark));
  }
  return root;
}

/** The same as one sentence, for a screen reader. */
export function spokenFact(told: ITold): string {
  const rows = told.rows.map(([label, value]) => `${label} ${value}`);
  const parts = [`${told.name} ${told.type}`.trim(), ...rows, ...told.remarks];
  return [...parts, told.source].filter(part => part !== '').join(', ');
}

function element(tag: string, className: string, text: string): HTMLElement {
  const node = document.createElement(tag);
  node.className = className;
  node.textContent = text;
  return node;
}
