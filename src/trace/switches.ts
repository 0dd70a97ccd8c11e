const KEY = 'jaxhints:trace';
const EXPLAINED = 'jaxhints:trace-explained';
const MOST = 200;

/** What the user chose for one notebook. */
export interface IChoice {
  /** What the kernel knows of itself and of names; a trace tells that too. */
  readonly facts: boolean;
  readonly trace: boolean;
  readonly shapes: boolean;
}

const DEFAULT: IChoice = { facts: false, trace: false, shapes: true };

/** The switches of the trace by notebook, kept in the browser: nothing is written into notebooks. */
export class TraceSwitches {
  constructor(private readonly _storage: Storage = window.localStorage) {}

  /** Facts are on by themselves once the user has let a kernel be asked at all. */
  of(notebook: string): IChoice {
    const kept = this._read()[notebook];
    const facts = kept?.trace || this.isExplained;
    return { ...DEFAULT, facts, ...kept };
  }

  set(notebook: string, choice: IChoice): void {
    const kept = Object.entries(this._read())
      .filter(([name]) => name !== notebook)
      .slice(1 - MOST);
    this._write(
      KEY,
      JSON.stringify(Object.fromEntries([...kept, [notebook, choice]]))
    );
  }

  /** Whether the user has read what a trace does. */
  get isExplained(): boolean {
    return this._get(EXPLAINED) !== null;
  }

  setExplained(): void {
    this._write(EXPLAINED, '1');
  }

  private _read(): Record<string, Partial<IChoice>> {
    try {
      return JSON.parse(this._get(KEY) ?? '{}');
    } catch {
      return {};
    }
  }

  private _get(key: string): string | null {
    try {
      return this._storage.getItem(key);
    } catch {
      return null;
    }
  }

  private _write(key: string, text: string): void {
    try {
      this._storage.setItem(key, text);
    } catch {
      // A browser that keeps nothing: the choice lasts as long as the page.
    }
  }
}
