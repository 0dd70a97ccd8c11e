import { Signal } from '@lumino/signaling';

import { HintSettings } from '../model';

/** Settings as the registry gives them. */
function registryOf(composite: Record<string, unknown>): any {
  const settings: any = {
    composite,
    set: jest.fn(async (key: string, value: unknown) => {
      settings.composite = { ...settings.composite, [key]: value };
      settings.changed.emit(undefined);
    })
  };
  settings.changed = new Signal<any, void>(settings);
  return settings;
}

describe('HintSettings', () => {
  it('turns a rule that is off into one that is ignored', () => {
    const settings = new HintSettings();
    settings.follow(
      registryOf({
        rules: { 'key-reuse': 'off', 'list-index': 'hint', other: 'default' }
      })
    );
    expect(settings.merged({})).toEqual({
      select: [],
      ignore: ['key-reuse'],
      severity: { 'list-index': 'hint' }
    });
  });

  it('puts the user before the notebook, whose metadata may hold anything', () => {
    const settings = new HintSettings();
    settings.follow(registryOf({ select: [], rules: { a: 'error' } }));
    const notebook: any = {
      select: ['b', 3],
      ignore: 'all',
      severity: { a: 'hint', c: 'warning', d: 'loud' },
      more: true
    };
    expect(settings.merged(notebook)).toEqual({
      select: ['b'],
      ignore: [],
      severity: { a: 'error', c: 'warning' }
    });
  });

  it('remembers that hints are off', async () => {
    const settings = new HintSettings();
    const registry = registryOf({ enabled: true });
    settings.follow(registry);
    await settings.setEnabled(false);
    expect(registry.set).toHaveBeenCalledWith('enabled', false);
    expect(settings.enabled).toBe(false);
  });
});
