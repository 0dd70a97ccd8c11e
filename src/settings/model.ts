import type { ISettingRegistry } from '@jupyterlab/settingregistry';
import { type ISignal, Signal } from '@lumino/signaling';

import type { Diagnostic, Settings } from '../protocol';

type Severity = Diagnostic['severity'];

const SEVERITIES: readonly string[] = [
  'error',
  'warning',
  'information',
  'hint'
];

/** The user's settings, with their defaults until the registry has answered. */
export class HintSettings {
  /** Whether hints are asked for and shown. */
  get enabled(): boolean {
    return this._enabled;
  }

  /** Milliseconds without typing before the hints are asked for. */
  get delay(): number {
    return this._delay;
  }

  get changed(): ISignal<this, void> {
    return this._changed;
  }

  /** Follows the registry's settings from now on. */
  follow(settings: ISettingRegistry.ISettings): void {
    this._settings = settings;
    this._read();
    settings.changed.connect(this._read, this);
  }

  /** Turns the hints on or off, for good. */
  async setEnabled(enabled: boolean): Promise<void> {
    if (this._settings) {
      await this._settings.set('enabled', enabled);
      return;
    }
    this._enabled = enabled;
    this._changed.emit();
  }

  /** What goes to the server: the user's choices over those of the notebook. */
  merged(notebook: Settings): Required<Settings> {
    const select = strings(this._user.select);
    return {
      select: select.length > 0 ? select : strings(notebook.select),
      ignore: [
        ...new Set([...strings(this._user.ignore), ...strings(notebook.ignore)])
      ],
      severity: {
        ...severities(notebook.severity),
        ...severities(this._user.severity)
      }
    };
  }

  private _read(): void {
    const values = (this._settings?.composite ?? {}) as Record<string, unknown>;
    this._enabled = values.enabled !== false;
    this._delay = typeof values.delay === 'number' ? values.delay : this._delay;
    const rules = (values.rules ?? {}) as Record<string, unknown>;
    this._user = {
      select: strings(values.select),
      ignore: [
        ...strings(values.ignore),
        ...Object.keys(rules).filter(name => rules[name] === 'off')
      ],
      severity: severities(rules)
    };
    this._changed.emit();
  }

  private _enabled = true;
  private _delay = 200;
  private _user: Settings = {};
  private _settings: ISettingRegistry.ISettings | null = null;
  private readonly _changed = new Signal<this, void>(this);
}

function strings(value: unknown): string[] {
  return Array.isArray(value)
    ? value.filter((item): item is string => typeof item === 'string')
    : [];
}

function severities(value: unknown): Record<string, Severity> {
  const found: Record<string, Severity> = {};
  if (value && typeof value === 'object' && !Array.isArray(value)) {
    for (const [name, severity] of Object.entries(value)) {
      if (SEVERITIES.includes(severity)) {
        found[name] = severity;
      }
    }
  }
  return found;
}
