import { beforeAll, describe, expect, it } from 'vitest';
import { updateAgent } from '../agents/updateAgent.ts';
import { encodeId, type IdPrefix } from '../core/ids.ts';
import { schema } from '../graphql/schema.ts';
import { acceptHandoff } from '../handoffs/acceptHandoff.ts';
import { createKey } from '../keys/createKey.ts';
import { recordDecision } from '../log/recordDecision.ts';
import { pauseSession } from '../sessions/pauseSession.ts';
import { testDatabase } from '../testing/database.ts';
import { client, send, type Client } from '../testing/graphql.ts';
import { hashAllTables } from '../testing/hash.ts';
import { adminKey, secretFor } from '../testing/keyring.ts';
import { documentOf, unknownId, type Mutation, type Said } from '../testing/refusals.ts';
import { startApp } from '../testing/server.ts';
import { world } from '../testing/world.ts';

// The table "Who may do what" of the contract, written down here by itself: nothing of server/access is asked.
// `ada` is the agent that has a key. A record is `own` (it holds, was given, or gave it), `seen` (of a Session that it
// had before) or `foreign` (of a Session that it never had).

const db = await testDatabase();
const { url } = await startApp(db, { variables: { BATON_ADMIN_KEY: adminKey } });
const { agent, session, reassign, initiate, run } = world(db.pool);

const roles = ['AGENT', 'OPERATOR', 'ANALYST', 'ADMIN'] as const;
type Asker = (typeof roles)[number];
type Whose = 'own' | 'seen' | 'foreign';
const askers = {} as Record<Asker, Client>;
const secrets = {} as Record<Asker, string>;

let count = 0;
const unique = (stem: string) => `${stem}-${(count += 1)}`;
const publicId = (prefix: IdPrefix, uuid: string) => encodeId(prefix, uuid);

beforeAll(async () => {
  const pool = ['ada', 'bob', 'eve'];
  for (const id of pool) await agent(id, { maxCapacity: 1_000, instructions: `what ${id} is told` });
  for (const id of pool) await run(updateAgent, { id, collaborators: pool.filter((other) => other !== id), metadata: { of: id } });
  for (const role of roles) {
    secrets[role] = role === 'ADMIN' ? adminKey : await secretFor(db.pool, role, role === 'AGENT' ? 'ada' : null);
    askers[role] = client(url, { key: secrets[role] });
  }
});

const held = async (whose: Whose): Promise<string> => {
  if (whose !== 'seen') return session(whose === 'own' ? 'ada' : 'bob');
  const id = await session('ada');
  await reassign(id, { agentId: 'bob', skipHandoff: true });
  return id;
};
const sessionInput = async (whose: Whose) => ({ sessionId: publicId('session', await held(whose)) });

/** A Handoff to ada, one of which ada had the Session before, or one that is none of its business. */
async function addressed(whose: Whose): Promise<string> {
  return (await initiate(await held(whose === 'own' ? 'foreign' : whose), whose === 'own' ? 'ada' : 'eve')).handoffId;
}
const handoffInput = async (whose: Whose) => ({ handoffId: publicId('handoff', await addressed(whose)) });
const someAgent = async () => {
  const id = unique('somebody');
  await agent(id);
  return { id };
};

type Outcome = 'done' | 'FORBIDDEN' | 'NOT_FOUND' | 'INVALID_STATE';
interface Line {
  given: (whose: Whose) => Promise<object> | object;
  AGENT: Record<Whose, Outcome>;
  others: Record<Exclude<Asker, 'AGENT'>, Outcome>;
}

const never: Line['AGENT'] = { own: 'FORBIDDEN', seen: 'FORBIDDEN', foreign: 'FORBIDDEN' };
const itsOwn: Line['AGENT'] = { own: 'done', seen: 'FORBIDDEN', foreign: 'NOT_FOUND' };
// Rule 14: who does not hold the Session is told who does.
const holdersTurn: Line['AGENT'] = { ...itsOwn, seen: 'INVALID_STATE' };
const people: Line['others'] = { OPERATOR: 'done', ANALYST: 'FORBIDDEN', ADMIN: 'done' };
const admins: Line['others'] = { OPERATOR: 'FORBIDDEN', ANALYST: 'FORBIDDEN', ADMIN: 'done' };

const worker = (given: Line['given'], AGENT = itsOwn): Line => ({ given, AGENT, others: people });
const operator = (given: Line['given']): Line => ({ given, AGENT: never, others: people });
const admin = (given: Line['given']): Line => ({ given, AGENT: never, others: admins });

const mutations: Record<Mutation, Line> = {
  appendTurn: worker(async (whose) => ({ ...(await sessionInput(whose)), messages: [{ role: 'ASSISTANT', content: 'Done.' }] }), holdersTurn),
  importTranscript: worker(
    async (whose) => ({ ...(await sessionInput(whose)), content: '{"type":"user","uuid":"u1","sessionId":"s1","message":{"role":"user","content":"Well?"}}' }),
    holdersTurn,
  ),
  recordDecision: worker(async (whose) => ({ ...(await sessionInput(whose)), text: 'So be it' })),
  setTasks: worker(async (whose) => ({ ...(await sessionInput(whose)), tasks: [] })),
  captureSnapshot: worker(sessionInput),
  acceptHandoff: worker(handoffInput),
  rejectHandoff: worker(async (whose) => ({ ...(await handoffInput(whose)), reason: 'no' })),
  failHandoff: worker(async (whose) => ({ ...(await handoffInput(whose)), reason: 'no' })),
  completeHandoff: worker(async (whose) => {
    const handoffId = await addressed(whose);
    await run(acceptHandoff, { handoffId });
    return { handoffId: publicId('handoff', handoffId) };
  }),
  initiateHandoff: worker(async (whose) => ({ ...(await sessionInput(whose)), targetAgentId: 'eve' })),
  // Seen: it is to ada, but not from it.
  cancelHandoff: worker(async (whose) => ({
    handoffId: publicId('handoff', (await initiate(await held(whose === 'own' ? 'own' : 'foreign'), whose === 'seen' ? 'ada' : 'eve')).handoffId),
  })),
  pauseSession: worker(sessionInput),
  resumeSession: worker(async (whose) => {
    const sessionId = await held(whose);
    await run(pauseSession, { sessionId, expectedVersion: null });
    return { sessionId: publicId('session', sessionId) };
  }),
  completeSession: worker(sessionInput),
  failSession: worker(async (whose) => ({ ...(await sessionInput(whose)), reason: 'no' })),
  createSession: operator(() => ({ title: 'Work' })),
  cancelSession: operator(sessionInput),
  reassignSession: operator(async (whose) => ({ ...(await sessionInput(whose)), agentId: 'eve' })),
  timeOutHandoff: operator(handoffInput),
  cancelPendingHandoffs: operator(sessionInput),
  registerAgent: operator(() => ({ id: unique('new'), type: 'CLAUDE' })),
  updateAgent: operator(someAgent),
  archiveAgent: operator(someAgent),
  setAgentStatus: operator(async () => ({ ...(await someAgent()), status: 'OFFLINE' })),
  createKey: admin(() => ({ role: 'ANALYST', name: 'ci' })),
  revokeKey: admin(async () => ({
    keyId: publicId('key', (await run(createKey, { role: 'ANALYST', agentId: null, name: 'ci', expiresAt: null })).keyId),
  })),
};

it('every mutation has a line', () => {
  expect(Object.keys(mutations).sort()).toEqual(Object.keys(schema.getMutationType()!.getFields()).sort());
});

async function ask(role: Asker, mutation: Mutation, input: object): Promise<{ outcome: string; answer: unknown }> {
  const { data, errors } = await askers[role].post<{ answer: Said } | null>(documentOf(mutation), { input });
  if (errors !== undefined) return { outcome: errors[0]!.extensions.code, answer: errors };
  return { outcome: data!.answer.code ?? 'done', answer: data!.answer };
}

const sessionOrHandoff = /(session|handoff)_[0-9a-z]{26}/g;

describe.each(Object.entries(mutations) as [Mutation, Line][])('%s', (mutation, line) => {
  const cases = roles.flatMap((role) =>
    (role === 'AGENT' ? (['own', 'seen', 'foreign'] as const) : (['own', 'foreign'] as const)).map(
      (whose) => [role, whose, role === 'AGENT' ? line.AGENT[whose] : line.others[role]] as const,
    ),
  );

  it.each(cases)('as %s, %s: %s', async (role, whose, expected) => {
    const input = await line.given(whose);
    const before = await hashAllTables(db.pool);
    const { outcome, answer } = await ask(role, mutation, input);
    expect([outcome, answer]).toEqual([expected, answer]);
    const after = await hashAllTables(db.pool);
    if (expected !== 'done') expect(after).toEqual(before);
    else if (!['cancelPendingHandoffs', 'setAgentStatus'].includes(mutation)) expect(after).not.toEqual(before);
    if (expected !== 'NOT_FOUND') return;
    // What there is and may not be read is told from what there is not by nothing but the id.
    const missing = JSON.parse(JSON.stringify(input).replace(sessionOrHandoff, (_, prefix: IdPrefix) => unknownId(prefix))) as object;
    const nothing = await ask(role, mutation, missing);
    expect(JSON.stringify(answer).replace(sessionOrHandoff, 'ID')).toBe(JSON.stringify(nothing.answer).replace(sessionOrHandoff, 'ID'));
  });

  it.runIf(line.AGENT.own === 'FORBIDDEN' || line.others.ANALYST === 'FORBIDDEN')('is checked for its input before its role', async () => {
    const text = JSON.stringify(await line.given('own'));
    // Whatever it names first becomes what nothing can be called.
    const wrong = JSON.parse(text.replace(/^\{"(\w+)":"[^"]*"/, '{"$1":"\\u0000"')) as object;
    if (mutation === 'createKey') return;
    expect(await ask('ANALYST', mutation, wrong)).toMatchObject({ outcome: 'BAD_USER_INPUT' });
  });
});

interface Read {
  query: string;
  variables: (whose: 'own' | 'foreign') => Promise<object>;
  /** Something that is in the answer when the record is. */
  mark: (variables: Record<string, string>) => string;
  AGENT: 'its own' | 'all' | 'FORBIDDEN';
}

const inSession = async (whose: 'own' | 'foreign') => ({ id: publicId('session', await held(whose)) });
const inHandoff = async (whose: 'own' | 'foreign') => ({ id: publicId('handoff', await addressed(whose)) });
const id = ({ id: named }: Record<string, string>) => `"${named}"`;
const agentNamed = async (whose: 'own' | 'foreign') => ({ id: whose === 'own' ? 'ada' : 'bob' });
const text = (wanted: string) => () => wanted;

const queries: Record<string, Read> = {
  session: { query: 'query ($id: ID!) { answer: session(id: $id) { id title } }', variables: inSession, mark: id, AGENT: 'its own' },
  sessions: { query: '{ answer: sessions(first: 100) { totalCount nodes { id } } }', variables: inSession, mark: id, AGENT: 'its own' },
  handoff: { query: 'query ($id: ID!) { answer: handoff(id: $id) { id markdown } }', variables: inHandoff, mark: id, AGENT: 'its own' },
  handoffs: { query: '{ answer: handoffs(first: 100) { nodes { id } } }', variables: inHandoff, mark: id, AGENT: 'its own' },
  handoffGraph: {
    query: 'query ($id: ID!) { answer: handoffGraph(where: { sessionId: $id }) { edges { source { id } count } } }',
    variables: async (whose) => ({ id: publicId('session', (await initiate(await held(whose), 'eve')).sessionId) }),
    mark: text('"count":1'),
    AGENT: 'its own',
  },
  contextPreview: { query: 'query ($id: ID!) { answer: contextPreview(sessionId: $id) { text } }', variables: inSession, mark: text('A piece of work'), AGENT: 'its own' },
  contextItem: {
    query: 'query ($id: ID!, $item: ID!) { answer: contextItem(handoffId: $id, itemId: $item) { content } }',
    variables: async (whose) => {
      const { handoffId } = await initiate(await held(whose), 'eve', { reason: 'because' });
      const given = { id: publicId('handoff', handoffId) };
      const { data } = await askers.ADMIN.post<{ handoff: { contextPrompt: { kept: { id: string; kind: string }[] } } }>(
        'query ($id: ID!) { handoff(id: $id) { contextPrompt { kept { id kind } } } }',
        given,
      );
      return { ...given, item: data.handoff.contextPrompt.kept.find(({ kind }) => kind === 'REASON')!.id };
    },
    mark: text('because'),
    AGENT: 'its own',
  },
  sessionEvents: { query: 'query ($id: ID!) { answer: sessionEvents(sessionId: $id) { nodes { type } } }', variables: inSession, mark: text('SESSION_CREATED'), AGENT: 'its own' },
  node: { query: 'query ($id: ID!) { answer: node(id: $id) { id } }', variables: inHandoff, mark: id, AGENT: 'its own' },
  nodes: { query: 'query ($id: ID!) { answer: nodes(ids: [$id, "ada"]) { id } }', variables: inSession, mark: id, AGENT: 'its own' },
  agent: { query: 'query ($id: ID!) { answer: agent(id: $id) { id name type status } }', variables: agentNamed, mark: id, AGENT: 'all' },
  agents: { query: '{ answer: agents(first: 100) { nodes { id name type status } } }', variables: agentNamed, mark: id, AGENT: 'all' },
  rateLimit: { query: '{ answer: rateLimit { reads { remaining } writes { remaining } } }', variables: async () => ({}), mark: text('"writes"'), AGENT: 'all' },
  viewer: { query: '{ answer: viewer { role agent { id } key { id name role } } }', variables: async () => ({}), mark: text('"role"'), AGENT: 'all' },
  keys: { query: '{ answer: keys { nodes { id name role } } }', variables: async () => ({}), mark: text("a test's"), AGENT: 'FORBIDDEN' },
};

it('every query has a line', () => {
  expect(Object.keys(queries).sort()).toEqual(Object.keys(schema.getQueryType()!.getFields()).sort());
});

describe.each(Object.entries(queries))('%s', (name, { query, variables, mark, AGENT }) => {
  it.each(roles.flatMap((role) => (['own', 'foreign'] as const).map((whose) => [role, whose] as const)))('as %s, %s', async (role, whose) => {
    const given = (await variables(whose)) as Record<string, string>;
    const { data, errors } = await askers[role].post<{ answer: unknown } | null>(query, given);
    const forbidden = name === 'keys' && role !== 'ADMIN';
    if (forbidden) return expect(errors).toMatchObject([{ path: ['answer'], extensions: { code: 'FORBIDDEN' } }]);
    expect(errors).toBeUndefined();
    const seen = JSON.stringify(data).includes(mark(given));
    expect(seen).toBe(role !== 'AGENT' || AGENT === 'all' || whose === 'own');
    if (seen || !('id' in given)) return;
    const missing = { ...given, id: unknownId(given['id'].startsWith('session') ? 'session' : 'handoff') };
    expect((await askers[role].post(query, missing)).data).toEqual(data);
  });
});

describe('an Agent', () => {
  const ofAll = 'id type name role description status administrativeStatus currentLoad maxCapacity freePlaces registeredAt archivedAt'.split(' ');
  const ofItself = ['instructions', 'metadata', 'totalAssigned', 'collaborators { id }', ...['sessions', 'handoffsReceived', 'handoffsGiven'].map((list) => `${list} { totalCount nodes { id } }`)];

  it('has no field that is not among these', () => {
    const type = schema.getType('Agent') as unknown as { getFields(): object };
    expect(Object.keys(type.getFields()).sort()).toEqual([...ofAll, ...ofItself].map((field) => field.split(' ')[0]).sort());
  });

  it.each([...ofAll, ...ofItself])('shows %s to whom it may concern', async (field) => {
    const forItself = ofItself.includes(field);
    for (const role of roles) {
      for (const of of ['ada', 'bob']) {
        const { data, errors } = await askers[role].post<{ agent: object | null }>(`query ($of: ID!) { agent(id: $of) { ${field} } }`, { of });
        if (role === 'AGENT' && of === 'bob' && forItself) {
          expect(errors).toMatchObject([{ path: ['agent', field.split(' ')[0]], extensions: { code: 'FORBIDDEN' } }]);
        } else {
          expect(errors).toBeUndefined();
          expect(data.agent).not.toBeNull();
        }
      }
    }
  });

  it('lists of its own what it gave, was given and has', async () => {
    const [given, got] = [await initiate(await held('own'), 'eve'), await initiate(await held('foreign'), 'ada')];
    const { data } = await askers.AGENT.post(
      '{ viewer { agent { sessions(first: 100) { nodes { id } } handoffsGiven(first: 1) { nodes { id } } handoffsReceived(first: 1) { nodes { id } } } } }',
    );
    expect(data).toMatchObject({
      viewer: {
        agent: {
          sessions: { nodes: expect.arrayContaining([{ id: publicId('session', got.sessionId) }]) as object },
          handoffsGiven: { nodes: [{ id: publicId('handoff', given.handoffId) }] },
          handoffsReceived: { nodes: [{ id: publicId('handoff', got.handoffId) }] },
        },
      },
    });
  });
});

describe('downloads and uploads', () => {
  const files = {
    'a handoff as Markdown': async (whose: Whose) => `/handoffs/${(await handoffInput(whose)).handoffId}.md`,
    'a handoff as JSON': async (whose: Whose) => `/handoffs/${(await handoffInput(whose)).handoffId}.json`,
    'a session': async (whose: Whose) => `/sessions/${(await sessionInput(whose)).sessionId}.json`,
  };
  const get = (path: string, key?: string) => send(`${url}${path}`, { headers: key === undefined ? {} : { authorization: `Bearer ${key}` } });

  it.each(Object.entries(files))('%s has the rights of its query', async (_name, pathOf) => {
    for (const whose of ['own', 'seen', 'foreign'] as const) {
      const path = await pathOf(whose);
      for (const role of roles) expect([role, whose, (await get(path, secrets[role])).status]).toEqual([role, whose, role === 'AGENT' && whose === 'foreign' ? 404 : 200]);
      expect(await get(path)).toMatchObject({ status: 401, headers: { 'www-authenticate': 'Bearer' } });
      const missing = path.replace(sessionOrHandoff, (_, prefix: IdPrefix) => unknownId(prefix));
      if (whose === 'foreign') expect((await get(path, secrets.AGENT)).body).toBe((await get(missing, secrets.AGENT)).body);
    }
  });

  it('a transcript has the rights of importTranscript', async () => {
    const expected: Record<Asker, Record<Whose, number>> = {
      AGENT: { own: 200, seen: 409, foreign: 404 },
      OPERATOR: { own: 200, seen: 200, foreign: 200 },
      ANALYST: { own: 403, seen: 403, foreign: 403 },
      ADMIN: { own: 200, seen: 200, foreign: 200 },
    };
    const body = '{"type":"user","uuid":"u1","sessionId":"s1","message":{"role":"user","content":"Well?"}}\n';
    const post = async (path: string, key?: string) => send(`${url}${path}`, { method: 'POST', body, headers: key === undefined ? {} : { authorization: `Bearer ${key}` } });
    for (const role of roles) {
      for (const whose of ['own', 'seen', 'foreign'] as const) {
        const path = `/sessions/${(await sessionInput(whose)).sessionId}/transcript`;
        const before = await hashAllTables(db.pool);
        expect([role, whose, (await post(path, secrets[role])).status]).toEqual([role, whose, expected[role][whose]]);
        if (expected[role][whose] !== 200) expect(await hashAllTables(db.pool)).toEqual(before);
        expect((await post(path)).status).toBe(401);
      }
    }
  });
});

describe('what an agent may do further', () => {
  it('nothing in the name of another, and no turn that is nobody’s', async () => {
    const sessionId = publicId('session', await held('own'));
    const said = { messages: [{ role: 'ASSISTANT', content: 'Done.' }] };
    expect(await ask('AGENT', 'appendTurn', { sessionId, agentId: 'ada', ...said })).toMatchObject({ outcome: 'done' });
    expect(await ask('AGENT', 'appendTurn', { sessionId, agentId: 'bob', ...said })).toMatchObject({ outcome: 'FORBIDDEN' });
    expect(await ask('AGENT', 'appendTurn', { sessionId, messages: [{ role: 'USER', content: 'Well?' }] })).toMatchObject({ outcome: 'FORBIDDEN' });
    expect(await ask('OPERATOR', 'appendTurn', { sessionId, messages: [{ role: 'USER', content: 'Well?' }] })).toMatchObject({ outcome: 'done' });
  });

  it('nothing in what it has not accepted or is paused, and is told what to do first', async () => {
    const waiting = publicId('session', (await initiate(await session('bob'), 'ada')).sessionId);
    const paused = await session('ada');
    await run(pauseSession, { sessionId: paused, expectedVersion: null });
    for (const [sessionId, says] of [[waiting, 'acceptHandoff'], [publicId('session', paused), 'resumeSession']] as const) {
      const inputs = { recordDecision: { text: 'So be it' }, setTasks: { tasks: [] }, captureSnapshot: {}, initiateHandoff: { targetAgentId: 'eve' } };
      for (const [mutation, input] of Object.entries(inputs)) {
        const { outcome, answer } = await ask('AGENT', mutation as Mutation, { sessionId, ...input });
        expect([mutation, outcome, (answer as Said).message]).toEqual([mutation, 'INVALID_STATE', expect.stringContaining(says)]);
      }
    }
    expect(await ask('AGENT', 'completeSession', { sessionId: waiting })).toMatchObject({ outcome: 'INVALID_STATE' });
    expect(await ask('AGENT', 'completeSession', { sessionId: publicId('session', paused) })).toMatchObject({ outcome: 'done' });
  });

  it('repeat what it did, though it has lost the right to it by that', async () => {
    const input = { sessionId: publicId('session', await held('own')), targetAgentId: 'eve', idempotencyKey: unique('key') };
    const [first, again] = [await ask('AGENT', 'initiateHandoff', input), await ask('AGENT', 'initiateHandoff', input)];
    expect(first.outcome).toBe('done');
    expect(again).toEqual(first);
    expect(await ask('AGENT', 'initiateHandoff', { ...input, idempotencyKey: unique('key') })).toMatchObject({ outcome: 'FORBIDDEN' });
  });
});

it('what is done is recorded with the principal and the role of the key', async () => {
  const { handoffId } = await initiate(await session('bob'), 'ada');
  expect(await ask('OPERATOR', 'acceptHandoff', { handoffId: publicId('handoff', handoffId) })).toMatchObject({ outcome: 'done' });
  const { data } = await askers.OPERATOR.post<{ viewer: { key: { id: string } } }>('{ viewer { key { id } } }');
  const event = await db.prisma.event.findFirstOrThrow({ where: { handoffId, type: 'HANDOFF_ACCEPTED' } });
  expect(event).toMatchObject({ actorPrincipal: data.viewer.key.id, actorRole: 'OPERATOR' });
});

it('a session that an agent had stays readable with all that came after', async () => {
  const sessionId = await held('seen');
  await run(recordDecision, { sessionId, text: 'decided by bob' });
  const { data } = await askers.AGENT.post('query ($id: ID!) { session(id: $id) { agent { id } decisions { text } } }', { id: publicId('session', sessionId) });
  expect(data).toMatchObject({ session: { agent: { id: 'bob' }, decisions: [{ text: 'decided by bob' }] } });
});
