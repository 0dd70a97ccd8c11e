/** The extension's commands. */
export const CommandIDs = {
  fixAtCursor: 'jaxhints:fix-at-cursor',
  fixAll: 'jaxhints:fix-all-safe',
  ignoreAtCursor: 'jaxhints:ignore-at-cursor',
  next: 'jaxhints:next-hint',
  previous: 'jaxhints:previous-hint',
  showCard: 'jaxhints:show-card',
  showName: 'jaxhints:show-name',
  closeCard: 'jaxhints:close-card',
  openPanel: 'jaxhints:open-panel',
  openRule: 'jaxhints:open-rule',
  openTour: 'jaxhints:open-tour',
  toggle: 'jaxhints:toggle'
} as const;

/** The schema of a command without arguments. */
export const NO_ARGUMENTS = {
  args: { type: 'object' as const, properties: {} }
};
