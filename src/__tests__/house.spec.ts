import { readdirSync, readFileSync } from 'fs';
import { join, relative } from 'path';

const SOURCE = join(__dirname, '..');

/** Every source file, tests and generated types aside. */
function files(folder = SOURCE): { name: string; text: string }[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap(entry => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) {
      return entry.name === '__tests__' ? [] : files(path);
    }
    const name = relative(SOURCE, path);
    return /\.tsx?$/.test(name) && name !== 'protocol.ts'
      ? [{ name, text: readFileSync(path, 'utf8') }]
      : [];
  });
}

/** The files that hold a word. */
function holders(word: RegExp): string[] {
  return files()
    .filter(({ text }) => word.test(text))
    .map(({ name }) => name)
    .sort();
}

describe('the house', () => {
  it('has one file that speaks HTTP', () => {
    expect(holders(/ServerConnection|fetch\(/)).toEqual(['client.ts']);
  });

  it('has one file that speaks to a kernel', () => {
    expect(holders(/requestExecute|sessionContext/)).toEqual(['kernel.ts']);
  });

  it('has one place that edits cells', () => {
    expect(holders(/updateSource|setSource/)).toEqual(['fixes/apply.ts']);
  });

  it('never makes markup of text', () => {
    expect(holders(/innerHTML|outerHTML|insertAdjacentHTML/)).toEqual([]);
    expect(holders(/dangerouslySetInnerHTML/)).toEqual([]);
  });

  it('gives views data and callbacks, never services', () => {
    const services =
      /from '(@jupyterlab\/(services|notebook|application)|.*\/client)'/;
    const views = files().filter(({ name }) =>
      /^(card\/|panel\/(view|item|empty|trace))/.test(name)
    );
    expect(views.length).toBeGreaterThan(4);
    expect(
      views.filter(({ text }) => services.test(text)).map(({ name }) => name)
    ).toEqual([]);
  });

  it('knows no rule by name', () => {
    expect(holders(/item-assignment|key-reuse|if-on-tracer/)).toEqual([]);
  });

  it('keeps its files short', () => {
    const long = files().filter(({ text }) => text.split('\n').length > 320);
    expect(long.map(({ name }) => name)).toEqual([]);
  });
});
