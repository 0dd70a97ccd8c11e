import { LabIcon } from '@jupyterlab/ui-components';

import type { Diagnostic } from '../protocol';

/** A severity has a shape of its own beside its colour. */
function severityIcon(name: string, shapes: string): LabIcon {
  return new LabIcon({
    name: `jaxhints:${name}`,
    svgstr: `<svg xmlns="http://www.w3.org/2000/svg" width="16" viewBox="0 0 11 11">${shapes}</svg>`
  });
}

export const errorIcon = severityIcon(
  'error',
  '<circle class="jp-JaxHints-errorFill" cx="5.5" cy="5.5" r="5"/>' +
    '<path class="jp-JaxHints-onFill" d="M3.5 3.5l4 4m0-4l-4 4" stroke-width="1.4" fill="none"/>'
);

export const warningIcon = severityIcon(
  'warning',
  '<path class="jp-JaxHints-warningFill" d="M5.5 .8L10.6 10H.4z"/>' +
    '<path class="jp-JaxHints-onFill" d="M5.5 4v3m0 1v1" stroke-width="1.3" fill="none"/>'
);

export const informationIcon = severityIcon(
  'information',
  '<circle class="jp-JaxHints-informationLine" cx="5.5" cy="5.5" r="4.8" fill="none" stroke-width="1.2"/>' +
    '<path class="jp-JaxHints-informationLine" d="M5.5 5v3.2M5.5 2.6v1.2" fill="none" stroke-width="1.3"/>'
);

export const hintIcon = severityIcon(
  'hint',
  '<path class="jp-JaxHints-hintLine" d="M5.5 1l4.5 4.5L5.5 10 1 5.5z" fill="none" stroke-width="1.2"/>'
);

export const logoIcon = new LabIcon({
  name: 'jaxhints:logo',
  svgstr:
    '<svg xmlns="http://www.w3.org/2000/svg" width="16" viewBox="0 0 22 22">' +
    '<g class="jp-icon3" fill="none" stroke="#616161" stroke-width="1.7" stroke-linecap="round" stroke-linejoin="round">' +
    '<path d="M8.2 4.2h4.6M12.8 4.2v7.6a3.6 3.6 0 0 1-7.2 0"/>' +
    '<path d="M3 18.6q1.35-2.6 2.7 0t2.7 0 2.7 0 2.7 0 2.7 0 2.2-1"/></g></svg>'
});

const ICONS: Record<Diagnostic['severity'], LabIcon> = {
  error: errorIcon,
  warning: warningIcon,
  information: informationIcon,
  hint: hintIcon
};

/** The icon of a severity. */
export function iconOf(severity: Diagnostic['severity']): LabIcon {
  return ICONS[severity];
}
