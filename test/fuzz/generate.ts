import { documentOf } from '../anyDocument.ts';
import { mixedDocument } from '../mixedDocument.ts';
import { callers, type HttpStep, type Input, type SocketStep, type Step } from './input.ts';
import { anything, chance, type Dice, mutateJson, mutateText, size, text, times } from './mutate.ts';
import { definitions, documents, requests, responses, transcripts } from './real.ts';
import { anyPipeline, askFor, type Ids, mutationOf, mutations, variablesOf } from './values.ts';

const spec = 'application/graphql-response+json';
const json = { 'content-type': 'application/json', accept: spec };

const post = (dice: Dice, body: object | string, path = '/graphql'): HttpStep => ({
  method: 'POST',
  path,
  headers: json,
  body: typeof body === 'string' ? body : JSON.stringify(body),
  as: chance(dice, 50) ? 'ADMIN' : dice.pick(callers),
});

/** As an administrator, who may do all that the following steps need. */
const asAdmin = (body: object, path?: string): HttpStep => ({
  method: 'POST',
  path: path ?? '/graphql',
  headers: json,
  body: JSON.stringify(body),
  as: 'ADMIN',
});

const anyDocument = (dice: Dice): string =>
  chance(dice, 50) ? documentOf(dice.below(2 ** 31), { tokens: chance(dice, 50) ? 950 : 100 }) : dice.pick(documents);

const operation = (dice: Dice, ids: Ids): object => {
  const query = chance(dice, 50) ? anyDocument(dice) : mutateText(dice, anyDocument(dice), documents);
  return { query, variables: variablesOf(dice, query, ids) };
};

function headersOf(dice: Dice): Record<string, string> {
  const odd: Record<string, () => string> = {
    accept: () => dice.pick(['*/*', 'text/event-stream', 'text/html', 'application/json;q=0', spec, 'a/b;q=x', '']),
    'content-type': () => dice.pick(['application/json; charset=utf-16', 'application/json;;', 'text/plain', 'a', '']),
    'content-encoding': () => dice.pick(['gzip', 'br', 'identity', 'x']),
    host: () =>
      dice.pick(['localhost', 'localhost:99999', '127.0.0.1:0', '[::1]:1', 'evil.example', '[', 'a@b', '%', '']),
    origin: () => dice.pick(['null', 'http://localhost', 'https://evil.example', 'http://[', 'x']),
    authorization: () =>
      dice.pick(['Bearer', 'Basic eDp5', `Bearer ${'a'.repeat(43)}`, `Bearer ${'\u00e9'.repeat(9)}`, 'x']),
    'if-none-match': () => dice.pick(['*', '"a"', 'W/"a"']),
    range: () => 'bytes=0-1,5-',
    traceparent: () => dice.pick([`00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`, `ff-${'0'.repeat(32)}-x`, 'x']),
    'x-request-id': () => dice.pick(['a', 'a'.repeat(5_000), '\u00e9', '../x']),
    'x-forwarded-for': () => dice.pick(['1.1.1.1', ',,,', '::1, x', 'a'.repeat(3_000)]),
    'x-forwarded-proto': () => dice.pick(['https', 'x:', '']),
    'x-forwarded-host': () => dice.pick(['evil.example', '[', '']),
    'accept-encoding': () => dice.pick(['gzip', 'br;q=0', '*', 'x,,']),
    'last-event-id': () => text(dice, 20).replaceAll(/[^ -~]/g, ''),
    'mcp-protocol-version': () => dice.pick(['2025-06-18', '1', '']),
    'x-graphql-event-stream-token': () => 'a',
    expect: () => dice.pick(['100-continue', 'x']),
    connection: () => dice.pick(['close', 'keep-alive', 'upgrade']),
    cookie: () => 'a=b',
  };
  return Object.fromEntries(
    times(1 + dice.below(4), () => dice.pick(Object.entries(odd))).map(([name, make]) => [name, make()]),
  );
}

const paths = (dice: Dice, ids: Ids): string => {
  const id = chance(dice, 70) ? ids.anyOf(dice) : encodeURI(text(dice, 60).replaceAll(/[\ud800-\udfff]/g, ''));
  return dice.pick([
    '/',
    '/graphql',
    '/livez',
    '/readyz',
    '/metrics',
    '/mcp',
    `/mcp/${id}`,
    `/handoffs/${id}.md`,
    `/handoffs/${id}.json`,
    `/sessions/${id}.json`,
    `/sessions/${id}.claude-code.jsonl?maxTokens=${dice.below(3_000)}`,
    `/sessions/${id}.codex.jsonl?maxTokens=${text(dice, 10).replaceAll(/[^a-z0-9]/g, '')}`,
    `/sessions/${id}/transcript?format=${dice.pick(['AUTO', 'CODEX', 'x'])}&sidechain=${dice.pick(['true', '2', ''])}`,
    '/sessions/new/transcript?title=Fuzz',
    '/agents/import',
    `/graphql?query=${encodeURIComponent('{ viewer { role } }')}&variables=${dice.pick(['', '{}', '[', '%7B', '1'])}`,
    `//evil.example/${id}`,
    `/${id}`,
    '/assets/%2e%2e/%2e%2e/package.json',
    `/?${'a=b&'.repeat(dice.below(900))}`,
  ]);
};

const mcpTools = ['accept', 'complete', 'handoff', 'inbox', 'note', 'propose', 'read', 'reject', 'sessions'].map(
  (name) => `baton_${name}`,
);

function mcp(dice: Dice, ids: Ids): Step[] {
  const message = {
    jsonrpc: '2.0',
    id: dice.pick([1, 'a', null, 1.5]),
    method: dice.pick([
      'initialize',
      'tools/list',
      'tools/call',
      'tools/call',
      'tools/call',
      'ping',
      'resources/list',
      'x',
    ]),
    params: {
      protocolVersion: dice.pick(['2025-06-18', '2024-11-05', 1]),
      capabilities: {},
      clientInfo: { name: 'a fuzzer', version: '1' },
      name: dice.pick([...mcpTools, 'transfer_to_codex_1']),
      arguments: {
        session: ids.pick(dice, 'session'),
        handoff: ids.pick(dice, 'handoff'),
        ...(chance(dice, 50) && { reason: text(dice), agent: ids.pick(dice, 'agent'), message: dice.below(50) }),
        ...(chance(dice, 30) && { decisions: times(dice.below(5), () => text(dice)), from: anything(dice) }),
      },
    },
  };
  const step = post(
    dice,
    JSON.stringify(chance(dice, 40) ? mutateJson(dice, message) : message) ?? 'null',
    dice.pick(['/mcp', '/mcp/claude-1', '/mcp/codex-1']),
  );
  step.headers = { ...json, accept: 'application/json, text/event-stream' };
  return [step];
}

function transcript(dice: Dice): string {
  const original = dice.pick(transcripts);
  if (chance(dice, 30)) return mutateText(dice, original, transcripts);
  const lines = original.split('\n');
  for (let n = 0; n <= dice.below(5); n += 1) {
    const at = dice.below(lines.length);
    try {
      lines[at] = JSON.stringify(mutateJson(dice, JSON.parse(lines[at]!)));
    } catch {
      lines.splice(at, 1);
    }
  }
  if (chance(dice, 20)) lines.push(...lines.slice(0, dice.below(lines.length)));
  if (chance(dice, 5)) lines.push(...times(size(dice, 10_000), () => dice.pick(lines).slice(0, 500)));
  return lines.join('\n');
}

function socketMessages(dice: Dice, ids: Ids): SocketStep['messages'] {
  const message = (): unknown =>
    dice.pick([
      { type: 'connection_init' },
      { type: 'ping', payload: anything(dice) },
      { type: 'pong' },
      { type: 'complete', id: String(dice.below(3)) },
      { type: 'subscribe', id: String(dice.below(3)), payload: operation(dice, ids) },
      {
        type: 'subscribe',
        id: String(dice.below(3)),
        payload: {
          query: `subscription { ${dice.pick(['sessionUpdated', 'handoffEvents', 'handoffAssigned(agentId: "claude-1")'])} { id type cursor session { id title } } }`,
        },
      },
      { type: 'subscribe', id: String(dice.below(3)), payload: mutationOf(dice, dice.pick(mutations), ids) },
      { type: 'next', id: '1', payload: {} },
    ]);
  return times(1 + dice.below(6), () => {
    const written = JSON.stringify(chance(dice, 25) ? mutateJson(dice, message()) : message()) ?? 'null';
    if (chance(dice, 85)) return written;
    if (chance(dice, 50)) return mutateText(dice, written, documents).slice(0, 70_000);
    return { base64: Buffer.from(times(1 + dice.below(300), () => dice.below(256))).toString('base64') };
  });
}

const kinds: Record<string, { weight: number; make: (dice: Dice, ids: Ids) => Step[] }> = {
  document: { weight: 14, make: (dice, ids) => [post(dice, operation(dice, ids))] },
  mixed: {
    weight: 6,
    make: (dice, ids) => [
      {
        ...post(
          dice,
          mixedDocument(dice, () => ids.anyOf(dice)),
        ),
        as: dice.pick(callers),
      },
    ],
  },
  mutation: { weight: 22, make: (dice, ids) => [post(dice, mutationOf(dice, dice.pick(mutations), ids))] },
  body: {
    weight: 8,
    make: (dice, ids) => [
      post(
        dice,
        mutateText(
          dice,
          JSON.stringify(mutateJson(dice, { ...operation(dice, ids), operationName: null, extensions: {} })) ?? '',
          documents,
        ),
      ),
    ],
  },
  hostile: {
    weight: 6,
    make(dice) {
      const { method = 'POST', path = '/graphql', headers = {}, body, raw } = dice.pick(requests);
      if (raw !== undefined)
        return [{ raw: mutateText(dice, raw.toString('latin1'), ['GET / HTTP/1.1\r\nhost: localhost\r\n\r\n']) }];
      const text = typeof body === 'string' && body.length < 100_000 ? mutateText(dice, body, documents) : body;
      return [
        {
          method,
          path,
          headers,
          as: 'ADMIN',
          ...(typeof text === 'string' ? { body: text } : text !== undefined && { base64: text.toString('base64') }),
        },
      ];
    },
  },
  headers: {
    weight: 10,
    make: (dice, ids) => [
      chance(dice, 50)
        ? { method: 'GET', path: paths(dice, ids), headers: headersOf(dice), as: dice.pick(callers) }
        : { ...post(dice, { query: anyDocument(dice) }), headers: { ...json, ...headersOf(dice) } },
    ],
  },
  paths: {
    weight: 8,
    make: (dice, ids) => [
      {
        method: dice.pick(['GET', 'GET', 'GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS', 'PATCH']),
        path: paths(dice, ids),
        as: dice.pick(callers),
        ...(chance(dice, 30) && { headers: { accept: dice.pick(['text/html', '*/*', 'text/event-stream']) } }),
      },
    ],
  },
  upload: {
    weight: 6,
    make: (dice, ids) => [
      {
        method: 'POST',
        path: chance(dice, 30)
          ? `/sessions/new/transcript?title=Fuzz&format=${dice.pick(['AUTO', 'CLAUDE_CODE', 'CODEX', 'GEMINI'])}`
          : `/sessions/${ids.pick(dice, 'session')}/transcript`,
        headers: { 'content-type': 'application/x-ndjson' },
        body: transcript(dice),
        as: 'ADMIN',
      },
    ],
  },
  definition: {
    weight: 5,
    make(dice) {
      const files = times(1 + dice.below(3), (n) => ({
        path: dice.pick([`a${n}.md`, `.claude/agents/b${n}.md`, `.github/agents/c${n}.agent.md`, text(dice, 30)]),
        content: mutateText(dice, dice.pick(definitions), definitions),
      }));
      return [asAdmin({ files, dryRun: chance(dice, 50), defaultType: 'CLAUDE' }, '/agents/import')];
    },
  },
  pipeline: {
    weight: 7,
    make: (dice, ids) => {
      const definition = anyPipeline(dice);
      return [
        asAdmin(askFor('definePipeline', definition)),
        asAdmin(askFor('createSession', { title: 'Fuzz', pipeline: definition['slug'] })),
        asAdmin(askFor('acceptHandoff', { handoffId: '{{handoff}}' })),
        asAdmin(mutationOf(dice, 'advancePipeline', ids, { sessionId: '{{session}}', outcome: 'DONE' })),
        asAdmin(
          mutationOf(dice, 'advancePipeline', ids, {
            sessionId: '{{session}}',
            outcome: dice.pick(['DONE', 'REJECT']),
          }),
        ),
      ];
    },
  },
  tool: {
    weight: 4,
    make: (dice, ids) => [
      asAdmin(
        mutationOf(dice, 'createHandoffTool', ids, {
          name: `fuzz_${dice.below(1e9)}`,
          targetAgentId: 'codex-1',
          agentIds: ['claude-1'],
        }),
      ),
      asAdmin(mutationOf(dice, 'executeHandoffTool', ids)),
      asAdmin(askFor('archiveHandoffTool', { id: '{{handofftool}}' })),
    ],
  },
  response: {
    weight: 4,
    make(dice) {
      const original = dice.pick(responses);
      const response = chance(dice, 60)
        ? mutateJson(dice, JSON.parse(original))
        : mutateText(dice, original, responses);
      return [
        post(dice, {
          query:
            'query ($response: JSON!) { detectHandoffs(agentId: "claude-1", response: $response) { format calls { kind problem { suggestions } } } }',
          variables: { response },
        }),
      ];
    },
  },
  mcp: { weight: 5, make: mcp },
  socket: {
    weight: 7,
    make: (dice, ids) => [
      {
        messages: [...(chance(dice, 90) ? ['{"type":"connection_init"}'] : []), ...socketMessages(dice, ids)],
        as: dice.pick(callers),
      },
    ],
  },
};

const drawn = Object.entries(kinds).flatMap(([kind, { weight }]) => Array<string>(weight).fill(kind));
export const allKinds: readonly string[] = Object.keys(kinds);

export function anyInput(dice: Dice, ids: Ids, only: readonly string[] = []): Input {
  const kind = dice.pick(only.length === 0 ? drawn : only);
  return { kind, steps: kinds[kind]!.make(dice, ids) };
}
