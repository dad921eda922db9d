import { existsSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { EngineHome, engineNames, pingStatus, type Serving, until } from './support/engine-run.js';

/** The fake engine's account of the request that reached it. */
interface Echo {
  method: string;
  path: string;
  headers: Record<string, string>;
  body: string;
}

const post = (url: string, body: string, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(url, { method: 'POST', body, headers: { 'Content-Type': 'application/json', ...headers } });

describe.each(engineNames)('%s in its container', (engine) => {
  let home: EngineHome;
  let serving: Serving;
  beforeAll(async () => {
    home = new EngineHome(engine);
    serving = await home.start();
    await until(
      () => pingStatus(serving.url),
      (status) => status === 200,
    );
  });
  afterAll(() => home.remove());

  test('answers GET /ping and POST /invocations', async () => {
    expect(await pingStatus(serving.url)).toBe(200);
    const answer = await post(`${serving.url}/invocations`, '{"messages": []}');
    expect(answer.status).toBe(200);
    expect(((await answer.json()) as Echo).body).toBe('{"messages": []}');
  });

  test('reports its metrics where the manifest says', async () => {
    const answer = await fetch(`${serving.url}/metrics`);
    expect(await answer.text()).toContain('# TYPE requests counter');
  });
});

/** The keys of a body and the engine's route that each of them means. */
const INVOCATIONS: Record<string, Record<string, string>> = {
  sglang: {
    messages: '/v1/chat/completions',
    prompt: '/v1/completions',
    input: '/v1/embeddings',
    text: '/generate',
    input_ids: '/generate',
  },
  'tensorrt-llm': { messages: '/v1/chat/completions', prompt: '/v1/completions' },
};

describe.each(Object.keys(INVOCATIONS))('the routes before %s', (engine) => {
  let home: EngineHome;
  let serving: Serving;
  beforeAll(async () => {
    home = new EngineHome(engine);
    serving = await home.start();
    await until(
      () => pingStatus(serving.url),
      (status) => status === 200,
    );
  });
  afterAll(() => home.remove());
  const echoOf = async (answer: Response | Promise<Response>): Promise<Echo> =>
    (await (await answer).json()) as Echo;

  test.each(Object.entries(INVOCATIONS[engine] ?? {}))(
    'an invocation with %s goes to %s',
    async (key, path) => {
      const body = JSON.stringify({ model: 'm', [key]: 'é' });
      const attributes = { 'X-Amzn-SageMaker-Custom-Attributes': 'trace=1' };
      const echo = await echoOf(post(`${serving.url}/invocations?a=b%20c`, body, attributes));
      expect(echo).toMatchObject({ method: 'POST', path: `${path}?a=b%20c` });
      expect(Buffer.from(echo.body, 'latin1').toString()).toBe(body);
      expect(echo.headers).toMatchObject({
        'content-type': 'application/json',
        'x-amzn-sagemaker-custom-attributes': 'trace=1',
        host: new URL(serving.url).host,
      });
    },
  );

  test.each(['{"inputs": "x"}', '["messages"]', 'not json', '', '"prompt"'])(
    'refuses the body %j',
    async (body) => {
      const answer = await post(`${serving.url}/invocations`, body);
      expect(answer.status).toBe(400);
      expect(await answer.json()).toEqual({
        error: { code: 400, message: expect.stringMatching(/keys|JSON/) },
      });
    },
  );

  test('everything else reaches the engine unchanged, and its answer comes back so', async () => {
    expect(await echoOf(fetch(`${serving.url}/v1/models?x=1`))).toMatchObject({
      method: 'GET',
      path: '/v1/models?x=1',
    });
    expect(await echoOf(fetch(`${serving.url}/invocations`))).toMatchObject({
      method: 'GET',
      path: '/invocations',
    });
    expect(await echoOf(fetch(`${serving.url}/x`, { method: 'DELETE' }))).toMatchObject({ method: 'DELETE' });
    const created = await fetch(`${serving.url}/created`, { method: 'HEAD' });
    expect([created.status, created.headers.get('x-engine')]).toEqual([201, 'fake']);
  });

  test('a body in chunks arrives whole', async () => {
    const body = await new Promise<string>((resolve, reject) => {
      const sending = request(`${serving.url}/invocations`, { method: 'POST' }, (answer) => {
        answer.setEncoding('utf8').on('data', resolve);
      }).on('error', reject);
      sending.write('{"prompt":');
      sending.end(' "x"}');
    });
    expect(JSON.parse(body)).toMatchObject({ path: '/v1/completions', body: '{"prompt": "x"}' });
  });

  test.each([
    'POST /x HTTP/1.1\r\nHost: h\r\nContent-Length: -1\r\n\r\n',
    'POST /x HTTP/1.1\r\nHost: h\r\nContent-Length: 1_0\r\n\r\n',
    'POST /x HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n0x1\r\na\r\n0\r\n\r\n',
    'GET /\u00e9 HTTP/1.1\r\nHost: h\r\n\r\n',
  ])('refuses the malformed request %j and closes', async (text) => {
    const answer = await new Promise<string>((resolve) => {
      let received = '';
      const socket = connect(Number(new URL(serving.url).port), '127.0.0.1', () =>
        socket.write(text, 'latin1'),
      );
      socket.on('data', (data) => {
        received += data;
      });
      socket.on('close', () => resolve(received));
    });
    expect(answer).toMatch(/^HTTP\/1\.1 400 /);
  });

  test('a stream comes piece by piece', async () => {
    const answer = await post(`${serving.url}/invocations`, '{"messages": [], "stream": true}');
    expect(answer.headers.get('content-type')).toBe('text/event-stream');
    const reader = answer.body?.getReader();
    const piece = async (): Promise<string> => Buffer.from((await reader?.read())?.value ?? '').toString();
    expect(await piece()).toBe('data: one\n\n');
    // The engine holds the second piece back until this: had the first one been buffered, we would never get here.
    await post(`${serving.url}/release`, '');
    expect(await piece()).toBe('data: two\n\n');
    expect((await reader?.read())?.done).toBe(true);
  });

  test.each(['/short', '/cut-stream'])(
    'an answer that the engine cuts off (%s) does not look whole',
    async (path) => {
      const answer = await fetch(`${serving.url}${path}`);
      await expect(answer.text()).rejects.toThrow();
    },
  );

  test('a client that leaves ends its request to the engine', async () => {
    const leaving = new AbortController();
    const answer = fetch(`${serving.url}/invocations`, {
      method: 'POST',
      body: '{"prompt": "x", "hang": true}',
      signal: leaving.signal,
    });
    setTimeout(() => leaving.abort(), 100);
    await expect(answer).rejects.toThrow();
    await until(() => existsSync(`${home.record}.left`), Boolean);
  });
});

test('until the engine listens, /ping says that it is not ready', async () => {
  const home = new EngineHome('sglang');
  try {
    const gate = `${home.folder}/gate`;
    const serving = await home.start({ FAKE_ENGINE_GATE: gate });
    expect(
      await until(
        () => pingStatus(serving.url),
        (status) => status !== 0,
      ),
    ).toBe(503);
    writeFileSync(gate, '');
    await until(
      () => pingStatus(serving.url),
      (status) => status === 200,
    );
  } finally {
    await home.remove();
  }
});
