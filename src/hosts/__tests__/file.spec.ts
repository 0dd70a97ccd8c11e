import { CodeEditor } from '@jupyterlab/codeeditor';

import { FakeServer } from '../../__tests__/fakes';
import { applyFix } from '../../fixes/apply';
import { HintDocument } from '../../model/document';
import { HintSettings } from '../../settings/model';
import { FileHost } from '../file';

const TEXT = 'import jax.numpy as jnp\nx = jnp.zeros(3)\nx[0] = 1\n';

function fileOf(mimeType: string, path: string | null): HintDocument {
  const model = new CodeEditor.Model({ mimeType });
  model.sharedModel.setSource(TEXT);
  const host = new FileHost(model, () => path);
  return new HintDocument(host, new FakeServer(), new HintSettings());
}

describe('FileHost', () => {
  it('is a document of one cell, which a fix edits', async () => {
    const document = fileOf('text/x-python', 'work/a.py');
    await document.settled();
    const [hint] = document.all();
    expect(hint.range.start.line).toBe(2);
    expect(await applyFix(document, hint.fixes[0])).toBe('applied');
    const { id, text } = document.host.cells()[0];
    expect(text).toBe(TEXT.replace('x[0] = 1', 'x = x.at[0].set(1)'));
    document.host.source(id)?.undo();
    expect(document.host.text(id)).toBe(TEXT);
  });

  it('leaves files of other languages, and editors of no file, alone', async () => {
    for (const document of [
      fileOf('text/x-markdown', 'a.md'),
      fileOf('text/x-python', null)
    ]) {
      await document.settled();
      expect(document.state).toBe('no-jax');
    }
  });
});
