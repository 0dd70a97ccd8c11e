import type { TranslationBundle } from '@jupyterlab/translation';

import { iconOf } from '../style/icons';
import {
  certaintyText,
  evidencePlace,
  fixRemark,
  severityName
} from '../model/words';
import type { Diagnostic, Evidence, Fix, Range } from '../protocol';
import type { IHost } from '../tokens';
import { diffOf } from './diff';
import { plainText, spans } from './message';

const MOST_LINES = 14;

/** What the card needs, and whom it tells what was pressed. */
export interface ICardOptions {
  readonly hint: Diagnostic;
  readonly host: IHost;
  readonly trans: TranslationBundle;
  /** The key that takes the preferred fix, as shown to people. */
  readonly fixKey: string;
  readonly onFix: (fix: Fix) => void;
  readonly onReveal: (cell: string, range: Range) => void;
  readonly onRule: (name: string) => void;
  readonly onCopy: (hint: Diagnostic) => void;
  /** Runs the old and the fixed code on the real values and tells what came of it; null where there is no trace. */
  readonly onCompare?: ((fix: Fix) => Promise<string>) | null;
}

/** The card of one hint: rule and certainty, what JAX does, why, the fix as a diff, buttons, small things. */
export function createCard(options: ICardOptions): HTMLElement {
  const { hint, trans } = options;
  const card = element('section', 'jp-JaxHints-card');
  card.setAttribute('aria-label', plainText(hint.message));
  card.dataset.rule = hint.rule;
  const remarks = element('span', 'jp-JaxHints-remarks');
  card.append(head(options), message(hint));
  if (hint.evidence.length > 0) {
    card.append(why(options));
  }
  if (hint.fixes.length > 0) {
    card.append(...fixes(options, remarks));
  }
  const foot = element('div', 'jp-JaxHints-foot');
  if (hint.ignore) {
    const { ignore } = hint;
    foot.append(
      small(trans.__('Ignore here'), ignore.title, () => options.onFix(ignore))
    );
  }
  foot.append(
    small(trans.__('Rule page'), '', () => options.onRule(hint.rule)),
    small(trans.__('Copy'), trans.__('Copy the message'), () =>
      options.onCopy(hint)
    )
  );
  if (options.onCompare && hint.fixes.length > 0) {
    foot.append(comparison(options, options.onCompare, remarks));
  }
  foot.append(remarks);
  card.append(foot);
  return card;
}

function head({ hint, trans, onRule }: ICardOptions): HTMLElement {
  const line = element('div', 'jp-JaxHints-head');
  const icon = iconOf(hint.severity).element({
    tag: 'span',
    className: 'jp-JaxHints-severity',
    title: severityName(hint.severity, trans)
  });
  icon.setAttribute('role', 'img');
  icon.setAttribute('aria-label', severityName(hint.severity, trans));
  const rule = button('jp-JaxHints-rule', hint.rule, () => onRule(hint.rule));
  rule.title = trans.__('Open the page of this rule');
  const lane = element('span', 'jp-JaxHints-lane', certaintyText(hint, trans));
  lane.classList.toggle('jp-mod-seen', hint.seen !== null);
  line.append(icon, rule, lane);
  return line;
}

function message(hint: Diagnostic): HTMLElement {
  const line = element('div', 'jp-JaxHints-message');
  line.append(...words(hint.message));
  return line;
}

/** A sentence with its code set as code. */
function words(sentence: string): (HTMLElement | string)[] {
  return spans(sentence).map(({ text, code }) =>
    code ? element('code', '', text) : text
  );
}

function why(options: ICardOptions): HTMLElement {
  const line = element('div', 'jp-JaxHints-why');
  line.append(element('span', 'jp-JaxHints-whyLabel', options.trans.__('Why')));
  options.hint.evidence.forEach((step, index) => {
    if (index > 0) {
      const arrow = element('span', 'jp-JaxHints-arrow', '→');
      arrow.setAttribute('aria-hidden', 'true');
      line.append(arrow);
    }
    line.append(evidenceStep(options, step));
  });
  return line;
}

function evidenceStep(options: ICardOptions, step: Evidence): HTMLElement {
  const text = plainText(step.message);
  const place = evidencePlace(options.host, step, options.trans);
  const { cell, range } = step;
  if (!cell || !place) {
    return element('span', 'jp-JaxHints-step', text);
  }
  const start = { line: 0, character: 0 };
  return button('jp-JaxHints-step', `${text} ${place}`, () =>
    options.onReveal(cell, range ?? { start, end: start })
  );
}

/** All diffs lie on one place, so that the buttons stay under the pointer when another one shows. */
function fixes(options: ICardOptions, remarks: HTMLElement): HTMLElement[] {
  const { hint, fixKey, trans } = options;
  const diffs = element('div', 'jp-JaxHints-diffs');
  const row = element('div', 'jp-JaxHints-buttons');
  const show = (shown: number) =>
    [diffs, remarks].forEach(stack =>
      [...stack.children].forEach((item, index) =>
        item.classList.toggle('jp-mod-shown', index === shown)
      )
    );
  hint.fixes.forEach((fix, index) => {
    const diff = element('div', 'jp-JaxHints-diff');
    diff.append(...diffLines(options, fix));
    diffs.append(diff);
    const remark = element('span', '');
    remark.append(...words(fixRemark(fix, trans)));
    remark.classList.toggle('jp-mod-good', fix.verification?.good === true);
    remark.classList.toggle('jp-mod-bad', fix.verification?.good === false);
    remarks.append(remark);
    const press = button('jp-JaxHints-button', fix.title, () =>
      options.onFix(fix)
    );
    press.classList.toggle('jp-mod-preferred', index === 0);
    if (index === 0 && fixKey) {
      press.append(element('kbd', '', fixKey));
    }
    press.addEventListener('mouseenter', () => show(index));
    press.addEventListener('focus', () => show(index));
    row.append(press);
  });
  row.addEventListener('mouseleave', () => show(0));
  show(0);
  return [diffs, row];
}

/** Compares the fix that is shown; the answer takes the place of its remark. */
function comparison(
  { hint, trans }: ICardOptions,
  compare: (fix: Fix) => Promise<string>,
  remarks: HTMLElement
): HTMLElement {
  const title = trans.__('Runs the old and the fixed code on the real values');
  return small(trans.__('Compare fix'), title, () => {
    const all = [...remarks.children];
    const index = all.findIndex(one => one.matches('.jp-mod-shown'));
    const remark = all[index];
    remark.textContent = trans.__('comparing…');
    remark.classList.remove('jp-mod-good', 'jp-mod-bad');
    void compare(hint.fixes[index]).then(answer => {
      remark.replaceChildren(...words(answer || trans.__('not compared')));
      remark.classList.toggle('jp-mod-good', answer.startsWith('same'));
      remark.classList.toggle('jp-mod-bad', answer.includes('differ:'));
    });
  });
}

function diffLines({ host, trans }: ICardOptions, fix: Fix): HTMLElement[] {
  const diffs = diffOf(fix, cell => host.text(cell));
  const lines: HTMLElement[] = [];
  for (const { cell, lines: changed } of diffs) {
    if (diffs.length > 1) {
      const step = { message: '', cell, range: null };
      lines.push(
        element('div', 'jp-JaxHints-diffCell', evidencePlace(host, step, trans))
      );
    }
    for (const { sign, text } of changed) {
      const kind = sign === '-' ? 'jp-mod-removed' : 'jp-mod-added';
      lines.push(element('div', kind, `${sign} ${text}`));
    }
  }
  if (lines.length <= MOST_LINES) {
    return lines;
  }
  const left = lines.length - MOST_LINES;
  const more = trans._n('… %1 more line', '… %1 more lines', left);
  return [
    ...lines.slice(0, MOST_LINES),
    element('div', 'jp-JaxHints-diffCell', more)
  ];
}

function small(text: string, title: string, press: () => void): HTMLElement {
  const made = button('jp-JaxHints-small', text, press);
  made.title = title;
  return made;
}

function button(
  className: string,
  text: string,
  press: () => void
): HTMLButtonElement {
  const made = document.createElement('button');
  made.type = 'button';
  made.className = className;
  made.textContent = text;
  made.addEventListener('click', press);
  return made;
}

function element(tag: string, className: string, text = ''): HTMLElement {
  const made = document.createElement(tag);
  made.className = className;
  made.textContent = text;
  return made;
}
