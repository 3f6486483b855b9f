import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { encodeId } from '../server/core/ids.ts';
import { client, send } from '../test/graphql.ts';
import { largeContexts } from '../test/largeContexts.ts';
import { sseStream } from '../test/socket.ts';
import { workTranscript } from '../test/transcripts.ts';
import { world } from '../test/world.ts';
import { others, textOf } from './largestInputs.ts';
import {
  documentOf,
  inputOf,
  mutations,
  queries,
  shapes,
  subscriptions,
  type LargeData,
  type Makes,
} from './operations.ts';
import type { Place } from './place.ts';
import { startMeasured } from './measured.ts';
import { atMost, digits, type Line } from './report.ts';

const mostMs = 50;
const rounds = 3;

/** A refusal costs little, and is no measurement. */
const wasAnswered = (said: string): boolean => said === 'answered' || said === '200';

interface Figures {
  name: string;
  turns: number[];
  memoryMb: number;
  ms: number;
  said: string;
}

/**
 * For every operation of the API, and the routes beside it, at the largest input that the limits allow: the processor time of the
 * longest turn of the event loop, the memory above that before the request, and the time. Of three rounds after one that compiles.
 */
export async function turns(place: Place, say: (line: string) => void): Promise<Line[]> {
  const { url: databaseUrl, pool } = await place.database();
  const { agent } = world(pool);
  const sessionId = encodeId('session', await largeContexts(pool, 100));
  for (const id of others) await agent(id, { maxCapacity: 1_000 });
  await pool.query(`UPDATE agents SET max_capacity = 1000000, role = 'worker'`);
  const server = await startMeasured(place, databaseUrl, {
    BATON_WEBHOOK_KEY: 'k'.repeat(32),
    BATON_WEBHOOK_ALLOW: '127.0.0.0/8',
  });
  const { longestTurn, memoryOf } = server;
  const api = client(server.url);

  const ask = async (query: string, variables: object = {}): Promise<Record<string, unknown>> => {
    const { data, errors } = await api.post<{ answer: Record<string, unknown> } | null>(query, variables);
    if (errors !== undefined) return { code: errors[0]!.extensions.code, message: errors[0]!.message };
    return data?.answer ?? {};
  };
  const made = async (mutation: string, input: object, selection: string): Promise<Record<string, unknown>> => {
    const type = `${mutation[0]!.toUpperCase()}${mutation.slice(1)}`;
    const answer = await ask(
      `mutation ($input: ${type}Input!) { answer: ${mutation}(input: $input) { ... on ${type}Payload { ${selection} } ... on Error { code message } } }`,
      { input },
    );
    if ('code' in answer) throw new Error(`${mutation}: ${String(answer['code'])}: ${String(answer['message'])}`);
    return answer;
  };
  const idIn = async (mutation: string, input: object, noun: string): Promise<string> =>
    ((await made(mutation, input, `${noun} { id }`))[noun] as { id: string }).id;
  let n = 0;
  const next = (): number => (n += 1);
  const stages = ['a', 'b'].map((name) => ({ name, role: 'worker' }));
  const receiver = createServer((_request, response) => void response.end()).listen(0, '127.0.0.1');
  place.atEnd(() => void receiver.close());
  await once(receiver, 'listening');
  const webhookUrl = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`;
  const make: Makes = {
    session: () => idIn('createSession', { title: `s${next()}`, agentId: 'ada' }, 'session'),
    tenure: async () => {
      const answer = await made(
        'createSession',
        { title: `s${next()}`, agentId: 'ada' },
        'session { agentSession { id } }',
      );
      return (answer['session'] as { agentSession: { id: string } }).agentSession.id;
    },
    handoff: async () => idIn('initiateHandoff', { sessionId: await make.session(), targetAgentId: 'bob' }, 'handoff'),
    proposed: async () => {
      const input = { title: `s${next()}`, agentId: 'ada', handoffApproval: 'REQUIRED' };
      const call = { toolName: 'transfer_to_bob', arguments: { reason: 'Please' } };
      const sessionId = await idIn('createSession', input, 'session');
      return idIn('executeHandoffTool', { sessionId, ...call }, 'handoff');
    },
    question: async () => {
      const input = { sessionId: await make.session(), question: 'Which one?' };
      return (await made('askPerson', input, 'questionId'))['questionId'] as string;
    },
    accepted: async () => idIn('acceptHandoff', { handoffId: await make.handoff() }, 'handoff'),
    agent: () => idIn('registerAgent', { id: `made-${next()}`, type: 'CLAUDE' }, 'agent'),
    tool: () =>
      idIn(
        'createHandoffTool',
        {
          name: `made_${next()}`,
          targetAgentId: 'bob',
          description: 'Hands off.',
          agentIds: [others[n % others.length]],
        },
        'handoffTool',
      ),
    webhook: async () => {
      const id = await idIn('createWebhook', { url: webhookUrl }, 'webhook');
      return id;
    },
    key: () => idIn('createKey', { name: `k${next()}`, role: 'ANALYST' }, 'key'),
    delivery: async () => {
      const id = await make.webhook();
      await make.session();
      for (;;) {
        const found = (await ask(
          'query ($id: ID!) { answer: deliveries(webhookId: $id, first: 1, status: [DELIVERED]) { nodes { id } } }',
          {
            id,
          },
        )) as { nodes: { id: string }[] };
        if (found.nodes.length > 0) return found.nodes[0]!.id;
        await pause(50);
      }
    },
    pipeline: async () => {
      const slug = `made-${next()}`;
      const transitions = [
        { from: 'a', outcome: 'DONE', to: 'b' },
        { from: 'b', outcome: 'DONE' },
      ];
      await made('definePipeline', { slug, name: slug, start: 'a', stages, transitions }, '__typename');
      return slug;
    },
    inPipeline: async () =>
      idIn('createSession', { title: 'p', agentId: 'ada', pipeline: await make.pipeline() }, 'session'),
  };

  const figures: Figures[] = [];
  const measure = async (name: string, prepare: () => Promise<() => Promise<string>>): Promise<void> => {
    const found: Figures = { name, turns: [], memoryMb: 0, ms: 0, said: '' };
    try {
      for (let round = 0; round <= rounds; round += 1) {
        const run = await prepare();
        writeFileSync(`/proc/${server.pid}/clear_refs`, '5');
        const before = memoryOf('VmRSS');
        await longestTurn();
        const started = performance.now();
        found.said = await run();
        const ms = performance.now() - started;
        const turn = await longestTurn();
        if (round === 0) continue;
        found.turns.push(turn);
        found.ms = Math.max(found.ms, ms);
        found.memoryMb = Math.max(found.memoryMb, memoryOf('VmHWM') - before);
      }
    } catch (error) {
      found.said = `not measured: ${(error as Error).message}`;
    }
    found.turns.sort((one, other) => one - other);
    say(`  ${name}: ${found.turns.map((turn) => turn.toFixed(0)).join(', ')} ms, ${found.said.slice(0, 150)}`);
    figures.push(found);
  };
  const codeOf = (answer: Record<string, unknown>): string =>
    'code' in answer ? `${String(answer['code'])} ${String(answer['message'])}` : 'answered';

  await made('updateAgent', { id: 'ada', collaborators: ['bob'] }, '__typename');
  const cursors: Record<string, string> = {};
  for (const [name, given] of Object.entries(subscriptions)) {
    const stream = await sseStream(
      server.url,
      documentOf('subscription', name, given({} as LargeData)),
      given({} as LargeData),
    );
    const { data } = (await stream.result()) as { data: { answer: { cursor: string } } };
    cursors[name] = data.answer.cursor;
    stream.close();
  }
  for (let made = 0; made < 300; made += 1) await make.handoff();
  for (let n = 0; n < 40; n += 1) await made('createSession', await inputOf('createSession', make), '__typename');
  const webhookId = await make.webhook();

  for (const name of Object.keys(mutations))
    await measure(name, async () => {
      const input = await inputOf(name, make);
      if (name === 'resumeSession') await made('pauseSession', input, '__typename');
      return async () => codeOf(await ask(documentOf('mutation', name, { input }), { input }));
    });
  const { nodes } = (
    (await ask('query ($id: ID!) { answer: session(id: $id) { handoffs(first: 1) { nodes { id } } } }', {
      id: sessionId,
    })) as { handoffs: { nodes: { id: string }[] } }
  ).handoffs;
  const of: LargeData = { sessionId, handoffId: nodes[0]!.id, itemId: 'none', webhookId, slug: await make.pipeline() };
  for (const [name, given] of Object.entries(queries))
    await measure(name, async () => async () => codeOf(await ask(documentOf('query', name, given(of)), given(of))));
  for (const [name, document] of Object.entries(shapes))
    await measure(name, async () => async () => codeOf(await ask(document, { id: sessionId })));
  for (const [name, given] of Object.entries(subscriptions))
    await measure(`${name}, 300 events`, async () => async () => {
      const variables = { ...given(of), after: cursors[name] };
      const stream = await sseStream(server.url, documentOf('subscription', name, variables), variables);
      for (let events = 0; events < 300; events += 1) await stream.result();
      stream.close();
      return 'answered';
    });

  const route = (name: string, path: string, body?: () => string, type = 'application/json'): Promise<void> =>
    measure(name, async () => {
      const sent = body?.();
      return async () => {
        const { status } = await send(`${server.url}${path}`, {
          ...(sent !== undefined && { method: 'POST', body: sent }),
          headers: { 'content-type': type, accept: 'application/json, text/event-stream' },
        });
        return String(status);
      };
    });
  await route('GET a session as JSON', `/sessions/${sessionId}.json`);
  await route('GET a session for Claude Code', `/sessions/${sessionId}.claude-code.jsonl?tokens=1000000`);
  await route('GET a handoff as Markdown', `/handoffs/${of.handoffId}.md`);
  await route('GET a handoff as JSON', `/handoffs/${of.handoffId}.json`);
  await route('GET /metrics', '/metrics');
  await route(
    'POST a transcript of 20 MB',
    '/sessions/new/transcript?agent=ada',
    () => workTranscript(20_000_000),
    'application/x-ndjson',
  );
  const definitions = JSON.stringify({
    defaultType: 'CLAUDE',
    files: Array.from({ length: 500 }, (_, at) => ({ path: `d-${at}.md`, content: `# D ${at}\n\n${textOf(15_000)}` })),
  });
  await route('POST /agents/import of 8 MB', '/agents/import', () => definitions);
  const rpc = (method: string, params: object) => () => JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
  await route('MCP tools/list', '/mcp/ada', rpc('tools/list', {}));
  await route('MCP baton_inbox', '/mcp/bob', rpc('tools/call', { name: 'baton_inbox', arguments: {} }));

  figures.sort((one, other) => (other.turns.at(-2) ?? 0) - (one.turns.at(-2) ?? 0));
  return figures.map(({ name, turns, memoryMb, ms, said }) => ({
    what: wasAnswered(said) ? name : `${name} (${said.slice(0, 80)})`,
    figure: turns.length < rounds ? 'not measured' : `longest turn ${turns.map((turn) => digits(turn)).join(', ')} ms`,
    beside: `${memoryMb.toFixed(0)} MB, ${ms.toFixed(0)} ms`,
    goal:
      turns.length < rounds || !wasAnswered(said) ? { text: 'answered', met: false } : atMost(turns[1]!, mostMs, ' ms'),
  }));
}
