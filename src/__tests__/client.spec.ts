import { ServerConnection } from '@jupyterlab/services';

import { HintsClient, HintsError } from '../client';

/** A client whose requests get this answer, and the requests that it made. */
function clientWith(answer: () => Response | Promise<Response>): {
  client: HintsClient;
  asked: Request[];
} {
  const asked: Request[] = [];
  const fetch = async (info: RequestInfo | URL, init?: RequestInit) => {
    asked.push(info instanceof Request ? info : new Request(info, init));
    return answer();
  };
  const settings = ServerConnection.makeSettings({
    baseUrl: 'http://localhost/base/',
    fetch
  });
  return { client: new HintsClient(settings), asked };
}

function json(body: unknown, status = 200): Response {
  return new Response(JSON.stringify(body), { status });
}

async function errorOf(promise: Promise<unknown>): Promise<HintsError> {
  try {
    await promise;
  } catch (error) {
    return error as HintsError;
  }
  throw new Error('nothing was thrown');
}

describe('HintsClient', () => {
  it('posts the cells to the analyze endpoint', async () => {
    const answer = { cells: [], missing: [], complete: true, notes: [] };
    const { client, asked } = clientWith(() => json(answer));
    const cells = [{ id: 'a', text: 'x' }];
    expect(await client.analyze({ notebook: 'n', cells })).toEqual(answer);
    expect(asked[0].method).toBe('POST');
    expect(new URL(asked[0].url).pathname).toBe('/base/jaxhints/api/analyze');
    expect(await asked[0].json()).toEqual({ notebook: 'n', cells });
  });

  it('escapes the name of a rule in its address', async () => {
    const page = { name: 'a/b', title: '', markdown: '' };
    const { client, asked } = clientWith(() => json(page));
    await client.rulePage('a/b');
    expect(new URL(asked[0].url).pathname).toBe(
      '/base/jaxhints/api/rules/a%2Fb'
    );
  });

  it('gives the code and sentence of a refusal', async () => {
    const { client } = clientWith(() =>
      json({ code: 'too-large', message: 'The request is too large.' }, 413)
    );
    const error = await errorOf(client.rules());
    expect(error.code).toBe('too-large');
    expect(error.message).toBe('The request is too large.');
    expect(error.isPassing).toBe(false);
  });

  it('knows a server without the extension by its 404', async () => {
    const { client } = clientWith(() => json({ message: 'Not Found' }, 404));
    expect((await errorOf(client.rules())).isMissing).toBe(true);
  });

  it('does not take an unknown rule for a missing extension', async () => {
    const { client } = clientWith(() =>
      json({ code: 'unknown-rule', message: 'No rule has this name.' }, 404)
    );
    expect((await errorOf(client.rulePage('x'))).isMissing).toBe(false);
  });

  it('says that a server that can not be reached may come back', async () => {
    const { client } = clientWith(() => Promise.reject(new TypeError('down')));
    const error = await errorOf(client.tour());
    expect(error.code).toBe('unreachable');
    expect(error.isPassing).toBe(true);
  });

  it('survives an answer that is a page of a proxy', async () => {
    const { client } = clientWith(
      () => new Response('<html>login</html>', { status: 200 })
    );
    expect((await errorOf(client.rules())).code).toBe('bad-answer');
  });
});
