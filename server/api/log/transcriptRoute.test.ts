import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { request, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';
import { bundled } from '../../../test/bundle.ts';
import { testDatabase } from '../../../test/database.ts';
import { client, send, type SendOptions } from '../../../test/graphql.ts';
import { hashAllTables } from '../../../test/hash.ts';
import { brokenInvariants } from '../../../test/invariants.ts';
import { adminKey, secretFor } from '../../../test/keyring.ts';
import { fixture } from '../../../test/readTranscripts.ts';
import { startApp } from '../../../test/server.ts';
import { world } from '../../../test/world.ts';
import { encodeId } from '../../core/ids.ts';
import { completeSession } from '../../work/sessions/changeSession.ts';

const db = await testDatabase();
const { url } = await startApp(db);
const { agent, session, run } = world(db.pool);
const { post } = client(url);
await agent('ada', { maxCapacity: 100 });
await agent('stranger');
await agent('full', { maxCapacity: 1 });
await session('full');
const MB = 1024 * 1024;

const file = (name: string): Promise<Buffer> => readFile(fixture(name));
const address = (id: string, query = ''): string => `${url}/sessions/${id}/transcript${query}`;
/** What is refused, its request, its status and its extensions. */
type Refused = [string, () => Promise<{ to: string; body?: Buffer | string; options?: SendOptions }>, number, object];

const held = async (): Promise<string> => encodeId('session', await session('ada'));

async function upload(to: string, body: Buffer | string, options: SendOptions = {}) {
  const sent = await send(to, { method: 'POST', body, ...options });
  return {
    ...sent,
    json: JSON.parse(sent.body) as Record<string, unknown> & {
      errors?: { message: string; extensions: Record<string, unknown> }[];
    },
  };
}

afterEach(async () => {
  expect(await brokenInvariants(db.pool)).toEqual([]);
});

describe('POST /sessions/<id>/transcript', () => {
  it('returns the report of importTranscript and the session', async () => {
    const id = await held();
    const { status, headers, json } = await upload(address(id), await file('claude-sidechain-inline'));
    expect([status, headers['content-type']]).toEqual([200, 'application/json']);
    const content = (await file('claude-sidechain-inline')).toString();
    const { data } = await post<{ importTranscript: { report: object; session: object } }>(
      `mutation ($input: ImportTranscriptInput!) { importTranscript(input: $input) { ... on Error { message } ... on ImportTranscriptPayload { session { id } report {
        format lines badLines hugeLines entryTypes { type count } unknownTypes { type count } humanMessages assistantMessages firstAt lastAt messagesAdded turnsAdded toolCallsAdded
        toolCalls { name count } resultsFilled toolErrors filesModified tasks { content status } usage { inputTokens outputTokens cacheCreationInputTokens cacheReadInputTokens model }
        compactions sidechainLines thinkingBlocks replacedCharacters shortened redactions alreadyKnown } } } }`,
      { input: { sessionId: await held(), content } },
    );
    expect(json).toEqual({ sessionId: id, ...data.importTranscript.report });
    expect(json).toMatchObject({
      lines: 21,
      messagesAdded: 5,
      firstAt: '2026-03-02T09:00:01.000Z',
      tasks: [{ content: 'Ask a helper', status: 'DONE' }, { status: 'IN_PROGRESS' }],
    });
  });

  it('stores the message of each call and the time of each message', async () => {
    const id = await session('ada');
    await upload(address(encodeId('session', id)), await file('claude-incremental-1'));
    const [call] = await db.prisma.toolCall.findMany({
      where: { sessionId: id },
      include: { message: true },
      orderBy: { index: 'asc' },
    });
    expect(call).toMatchObject({
      callId: 'toolu_on',
      message: { content: 'I turn the water on.', createdAt: new Date('2026-03-02T09:00:03Z') },
    });
  });

  it('reads format, agent and sidechain from the query string', async () => {
    const id = await held();
    const { json } = await upload(
      address(id, '?format=CLAUDE_CODE&agentId=ada&sidechain=true'),
      await file('claude-interrupts'),
    );
    expect(json).toMatchObject({ format: 'CLAUDE_CODE', humanMessages: 0, sidechainLines: 15 });
    expect(await upload(address(id, '?sidechain=false&format=AUTO'), await file('claude-compaction'))).toMatchObject({
      status: 200,
      json: { humanMessages: 1 },
    });
  });

  it.each(['application/json', 'application/x-ndjson', 'text/plain;charset=UTF-8', undefined])(
    'accepts a body of type %s',
    async (type) => {
      const { status } = await upload(
        address(await held()),
        await file('codex-rollout'),
        type === undefined ? {} : { headers: { 'content-type': type } },
      );
      expect(status).toBe(200);
    },
  );

  it.each<Refused>([
    ['a malformed id', async () => ({ to: address('nonsense') }), 400, { code: 'BAD_USER_INPUT', path: ['sessionId'] }],
    [
      'an id that cannot be decoded',
      async () => ({ to: address('%ff') }),
      400,
      { code: 'BAD_USER_INPUT', path: ['sessionId'] },
    ],
    [
      'an unknown format',
      async () => ({ to: address(await held(), '?format=WORD') }),
      400,
      { code: 'BAD_USER_INPUT', path: ['format'] },
    ],
    [
      'a sidechain other than true and false',
      async () => ({ to: address(await held(), '?sidechain=perhaps') }),
      400,
      { code: 'BAD_USER_INPUT', path: ['sidechain'] },
    ],
    [
      'a file that is no transcript',
      async () => ({ to: address(await held()), body: 'Dear Sir or Madam' }),
      400,
      { code: 'BAD_USER_INPUT', path: ['input', 'content'] },
    ],
    [
      'the wrong format',
      async () => ({ to: address(await held(), '?format=CODEX') }),
      400,
      { code: 'BAD_USER_INPUT', path: ['input', 'format'] },
    ],
    ['no body', async () => ({ to: address(await held()), body: '' }), 400, { code: 'BAD_USER_INPUT' }],
    [
      'a session that does not exist',
      async () => ({ to: address(encodeId('session', '01990000-0000-7000-8000-000000000000')) }),
      404,
      { code: 'NOT_FOUND' },
    ],
    [
      'an agent that does not exist',
      async () => ({ to: address(await held(), '?agentId=nobody') }),
      404,
      { code: 'NOT_FOUND', id: 'nobody' },
    ],
    [
      'a finished session',
      async () => {
        const id = await session('ada');
        await run(completeSession, { sessionId: id, expectedVersion: null, result: null, summary: null });
        return { to: address(encodeId('session', id)) };
      },
      409,
      { code: 'INVALID_STATE', state: 'COMPLETED' },
    ],
    [
      'a file that is no transcript for a new session',
      async () => ({ to: address('new', '?agentId=ada'), body: 'Dear Sir or Madam' }),
      400,
      { code: 'BAD_USER_INPUT', path: ['input', 'content'] },
    ],
    ...['new', 'held'].map((to): Refused => [
      `a transcript with a damaged line for ${to === 'new' ? 'a new' : 'a known'} session`,
      async () => ({
        to: address(to === 'new' ? 'new' : await held(), '?agentId=ada'),
        body: (await file('claude-broken-lines')).subarray(0, -10),
      }),
      400,
      { code: 'BAD_USER_INPUT', path: ['input', 'content'] },
    ]),
    [
      'the wrong format for a new session',
      async () => ({ to: address('new', '?format=CODEX') }),
      400,
      { code: 'BAD_USER_INPUT', path: ['input', 'format'] },
    ],
    ...[
      '{"type":"summary","summary":"A hedge","leafUuid":"a1"}',
      '{"type":"session_meta","payload":{"id":"x","cwd":"/x"}}',
      '{"sessionId":"s","projectHash":"h","messages":[]}',
    ].map((body): Refused => [
      `a transcript without messages for a new session: ${body}`,
      async () => ({ to: address('new', '?agentId=ada'), body }),
      400,
      { code: 'BAD_USER_INPUT', path: ['input', 'content'] },
    ]),
    [
      'a new session for an agent that does not exist',
      async () => ({ to: address('new', '?agentId=nobody') }),
      404,
      { code: 'NOT_FOUND', id: 'nobody' },
    ],
    [
      'a new session with a blank title',
      async () => ({ to: address('new', '?title=%20') }),
      400,
      { code: 'BAD_USER_INPUT', path: ['title'] },
    ],
    [
      'another method',
      async () => ({ to: address(await held()), options: { method: 'PUT' } }),
      405,
      { code: 'BAD_REQUEST' },
    ],
    [
      'a form',
      async () => ({
        to: address(await held()),
        options: { headers: { 'content-type': 'multipart/form-data; boundary=x' } },
      }),
      415,
      { code: 'BAD_REQUEST' },
    ],
    [
      'a page of another origin',
      async () => ({
        to: address(await held()),
        options: { headers: { origin: 'https://example.com', 'content-type': 'text/plain' } },
      }),
      403,
      { code: 'BAD_REQUEST' },
    ],
    [
      'a page without an origin',
      async () => ({ to: address(await held()), options: { headers: { origin: 'null' } } }),
      403,
      { code: 'BAD_REQUEST' },
    ],
  ])('rejects %s with a JSON error, and changes nothing', async (_what, given, status, extensions) => {
    const { to, body, options } = await given();
    const before = await hashAllTables(db.pool);
    const answer = await upload(to, body ?? (await file('claude-tasks')), options);
    expect([answer.status, answer.json.errors]).toMatchObject([
      status,
      [{ message: expect.stringMatching(/\w/) as unknown, extensions }],
    ]);
    expect(await hashAllTables(db.pool)).toEqual(before);
  });

  it.each([
    ['that does not exist', async () => encodeId('session', '01990000-0000-7000-8000-000000000000')],
    ['that the caller may not read', held],
  ])('returns 404 for a session %s as soon as it knows the format, without reading on', async (_which, to) => {
    const { url: closed } = await startApp(db, { variables: { BATON_ADMIN_KEY: adminKey } });
    const headers = { authorization: `Bearer ${await secretFor(db.pool, 'AGENT', 'stranger')}` };
    for (const format of ['AUTO', 'CLAUDE_CODE']) {
      const upload = request(`${closed}/sessions/${await to()}/transcript?format=${format}`, {
        method: 'POST',
        headers,
      });
      upload.on('error', () => undefined);
      // It never ends.
      upload.write(await file('claude-tasks'));
      const [response] = (await once(upload, 'response')) as [IncomingMessage];
      expect([response.statusCode, await text(response)]).toEqual([404, expect.stringContaining('NOT_FOUND')]);
      upload.destroy();
    }
  });

  it('creates a session when the id is "new", titled by the transcript or by `title`', async () => {
    const titleOf = async (query: string, name: string) => {
      const { status, json } = await upload(address('new', query), await file(name));
      expect([status, json]).toMatchObject([200, { turnsAdded: expect.any(Number) as unknown }]);
      const { data } = await post<{ session: object }>(
        `{ session(id: "${String(json['sessionId'])}") { title status agent { id } messages { totalCount } } }`,
      );
      return data.session;
    };
    expect(await titleOf('?agentId=ada', 'codex-rollout')).toEqual({
      title: 'Repair the fence.',
      status: 'RUNNING',
      agent: { id: 'ada' },
      messages: { totalCount: 8 },
    });
    expect(await titleOf('?title=The+fence', 'codex-rollout')).toMatchObject({
      title: 'The fence',
      status: 'PAUSED',
      agent: null,
    });
    expect(await titleOf('', 'claude-failed-write')).toMatchObject({ title: 'Claude Code session of 2026-03-02' });
  });

  it('creates a session for an agent without a free place: recording needs none', async () => {
    const body = await file('claude-failed-write');
    expect(await upload(address('new', '?agentId=full'), body)).toMatchObject({ status: 200 });
    expect(await db.prisma.agent.findUnique({ where: { id: 'full' } })).toMatchObject({
      currentLoad: 2,
      maxCapacity: 1,
    });
  });

  it('rejects an agent that asks for a new session', async () => {
    const { url: closed } = await startApp(db, { variables: { BATON_ADMIN_KEY: adminKey } });
    const headers = { authorization: `Bearer ${await secretFor(db.pool, 'AGENT', 'stranger')}` };
    expect(await upload(`${closed}/sessions/new/transcript`, await file('claude-tasks'), { headers })).toMatchObject({
      status: 403,
    });
  });

  it('rejects a file of any size without cutting off the sender', async () => {
    const body = `Dear Sir or Madam,\n${'and so on\n'.repeat(100)}${'x'.repeat(30 * MB)}\n`;
    const sent = await fetch(address('new'), {
      method: 'POST',
      body,
      headers: { 'content-type': 'application/x-ndjson' },
    });
    expect([sent.status, await sent.json()]).toMatchObject([
      400,
      { errors: [{ extensions: { code: 'BAD_USER_INPUT' } }] },
    ]);
    // One that reads the answer only when it has sent all.
    const outgoing = request(address('new'), { method: 'POST', agent: false });
    const answered = once(outgoing, 'response') as Promise<[IncomingMessage]>;
    outgoing.end(body);
    await once(outgoing, 'finish');
    const [response] = await answered;
    expect([response.statusCode, await text(response)]).toEqual([
      400,
      expect.stringContaining('not a known transcript'),
    ]);
  });

  it("accepts uploads of the server's own pages", async () => {
    expect(await upload(address(await held()), await file('claude-tasks'), { headers: { origin: url } })).toMatchObject(
      { status: 200 },
    );
  });

  it('leaves out damaged lines when told to, and counts them', async () => {
    const sent = await upload(address(await held(), '?skipDamaged=true'), await file('claude-broken-lines'));
    expect([sent.status, sent.json]).toMatchObject([200, { lines: 13, badLines: 4, messagesAdded: 2 }]);
  });

  it('returns 413 for more than 64 MB, announced or not, and changes nothing', async () => {
    const id = await held();
    const before = await hashAllTables(db.pool);
    const line = `${JSON.stringify({ type: 'progress', sessionId: 's', uuid: 'u', filler: 'x'.repeat(MB) })}\n`;
    const sent = await new Promise<{ status: number; body: string }>((resolve, reject) => {
      const outgoing = request(address(id), { method: 'POST', agent: false }, (response) => {
        text(response).then((body) => resolve({ status: response.statusCode ?? 0, body }), reject);
      });
      outgoing.once('error', reject);
      let left = 66;
      const more = (): void => {
        while (left > 0) if (((left -= 1), !outgoing.write(line))) return void outgoing.once('drain', more);
        outgoing.end();
      };
      more();
    });
    expect(sent.status).toBe(413);
    expect(JSON.parse(sent.body)).toMatchObject({ errors: [{ extensions: { code: 'REQUEST_ENTITY_TOO_LARGE' } }] });
    expect(await upload(address(id), Buffer.alloc(65 * MB, '\n'))).toMatchObject({ status: 413 });
    expect(await hashAllTables(db.pool)).toEqual(before);
  });

  it('changes nothing when the sender breaks off', async () => {
    const other = await startApp(db);
    const before = await hashAllTables(db.pool);
    const outgoing = request(`${other.url}/sessions/${await held()}/transcript`, {
      method: 'POST',
      agent: false,
      headers: { 'content-length': '1000000' },
    });
    const gone = new Promise((resolve) => outgoing.once('close', resolve).once('error', () => undefined));
    createReadStream(fixture('claude-compaction'))
      .once('end', () => outgoing.destroy())
      .pipe(outgoing, { end: false });
    await gone;
    // It stops when no request runs any more.
    await other.stop();
    expect((await hashAllTables(db.pool)).tables['messages']).toEqual(before.tables['messages']);
    expect((await hashAllTables(db.pool)).tables['import_lines']).toEqual(before.tables['import_lines']);
  });
});

describe('npm run import', async () => {
  const commandFile = await bundled('cli/baton.ts');
  const command = async (...args: string[]): Promise<{ code: number | null; out: string; err: string }> => {
    const child = spawn(process.execPath, [commandFile, 'import', ...args]);
    const [out, err, code] = await Promise.all([
      text(child.stdout),
      text(child.stderr),
      new Promise<number | null>((resolve) => child.once('close', resolve)),
    ]);
    return { code, out, err };
  };

  it('creates a session, sends the file with progress, and prints the report', async () => {
    const { code, out, err } = await command(
      'new',
      fixture('claude-compaction'),
      '--title',
      'The hedge',
      '--agent',
      'ada',
      '--url',
      url,
    );
    expect([code, err]).toEqual([0, expect.stringMatching(/^sent 100 % of \d+ bytes\n$/)]);
    expect(out).toMatch(/^Session session_\w{26} was created\n/);
    expect(out).toMatch(/\nlines: +9 \(0 broken, 0 of them too long; 0 already imported\)\n/);
    expect(out).toMatch(/\nadded: +1 turns, 5 messages, 2 tool calls; 0 results filled in\n/);
    expect(await db.prisma.session.findFirstOrThrow({ where: { title: 'The hedge' } })).toMatchObject({
      agentId: 'ada',
      messageCount: 5,
    });
  });

  it('leaves no session behind when the file is refused', async () => {
    const before = await hashAllTables(db.pool);
    const { code, err } = await command('new', fileURLToPath(import.meta.url), '--agent', 'ada', '--url', url);
    expect([code, err]).toEqual([1, expect.stringMatching(/is not a known transcript/)]);
    expect(await command('new', fixture('claude-tasks'), '--format', 'CODEX', '--url', url)).toMatchObject({
      code: 1,
      err: expect.stringMatching(/give CLAUDE_CODE/) as unknown,
    });
    expect(await hashAllTables(db.pool)).toEqual(before);
  });

  it('sends the file again when the server answers 503 with Retry-After, and says so', async () => {
    const busy = await startApp(db, { variables: { BATON_ADMIN_KEY: adminKey }, uploads: { atOnce: 1, waitMs: 50 } });
    const first = request(`${busy.url}/sessions/${await held()}/transcript`, {
      method: 'POST',
      agent: false,
      headers: { authorization: `Bearer ${adminKey}` },
    });
    const answered = new Promise<IncomingMessage>((resolve) => first.once('response', resolve));
    const transcript = await readFile(fixture('claude-tasks'));
    await new Promise<unknown>((resolve) => first.write(transcript, resolve));
    const child = spawn(
      process.execPath,
      [commandFile, 'import', await held(), fixture('claude-tasks'), '--url', busy.url],
      { env: { ...process.env, BATON_KEY: adminKey } },
    );
    const [out, ended] = [text(child.stdout), new Promise<number | null>((resolve) => child.once('close', resolve))];
    let err = '';
    child.stderr.on('data', (part: Buffer) => (err += part.toString()));
    await expect
      .poll(() => err, { timeout: 20_000 })
      .toMatch(/Other large transcripts are being imported: [^]*The file is sent again in 5 s \(try 2 of 30\)\n/);
    first.end();
    expect((await answered).statusCode).toBe(200);
    expect([await ended, await out]).toEqual([0, expect.stringContaining('\nadded: ')]);
  });

  it('imports into a session that is there, with its options', async () => {
    const id = await held();
    const { code, out } = await command(
      id,
      fixture('claude-subagent'),
      '--sidechain',
      '--format',
      'CLAUDE_CODE',
      `--url=${url}/`,
    );
    expect([code, out]).toEqual([0, expect.stringContaining(`session:            ${id}\n`)]);
  });

  it.each<[string, number, () => string[], RegExp]>([
    ['a session without a file', 2, () => ['new'], /^npm run import -- \[<session id or "new"> <file>\]/],
    ['an unknown option', 2, () => ['new', 'x', '--colour'], /--colour[^]*npm run import --/],
    ['no such file', 1, () => ['new', '/no/such.jsonl', '--url', url], /^File \/no\/such\.jsonl does not exist/],
    [
      'no server',
      75,
      () => ['new', fixture('claude-tasks'), '--url', 'http://127.0.0.1:1'],
      /^Nothing answers at http:\/\/127\.0\.0\.1:1 \(/,
    ],
    ['a refusal', 1, () => ['nonsense', fixture('claude-tasks'), '--url', url], /not an id: give the id of a session/],
    [
      'an agent that does not exist',
      1,
      () => ['new', fixture('claude-tasks'), '--agent', 'nobody', '--url', url],
      /^There is no agent 'nobody'/,
    ],
  ])('says what to do about %s, and exits %i', async (_what, exitCode, args, says) => {
    const { code, err } = await command(...args());
    expect(code).toBe(exitCode);
    expect(err.replace(/^sent .*\n/, '')).toMatch(says);
  });
});
