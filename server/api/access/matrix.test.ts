import { describe, expect, it } from 'vitest';
import { askersOf, roles, sessionOrHandoff, type Asker, type Whose } from '../../../test/askers.ts';
import { hashAllTables } from '../../../test/hash.ts';
import { webhookKey } from '../../../test/keyring.ts';
import { documentOf, unknownId, type Mutation, type Said } from '../../../test/refusals.ts';
import { agentCaller, toolCall } from '../../../test/world.ts';
import { encodeId, type IdPrefix } from '../../core/ids.ts';
import { askPerson } from '../../work/approvals/askPerson.ts';
import { acceptHandoff, rejectHandoff } from '../../work/handoffs/changeHandoff.ts';
import { createKey } from '../../work/keys/createKey.ts';
import { pauseSession } from '../../work/sessions/changeSession.ts';
import { createHandoffTool } from '../../work/tools/changeTool.ts';
import { createWebhook } from '../../work/webhooks/changeWebhook.ts';
import { schema } from '../graphql/schema.ts';

const {
  db,
  askers,
  agent,
  session,
  turn,
  reassign,
  pipeline,
  initiate,
  run,
  held,
  addressed,
  sessionInput,
  handoffInput,
} = await askersOf();

let count = 0;
const unique = (stem: string) => `${stem}-${(count += 1)}`;

const someAgent = async () => {
  const id = unique('somebody');
  await agent(id);
  return { id };
};

const someTool = async () =>
  encodeId(
    'tool',
    (
      await run(createHandoffTool, {
        name: unique('tool'),
        targetAgentId: 'eve',
        agentIds: ['ada'],
        description: 'Hands off.',
        variables: [],
        instructions: null,
      })
    ).toolId,
  );

async function somePipeline(): Promise<string> {
  const slug = unique('pipeline');
  await pipeline(slug, ['write DONE end'], { write: { role: null } });
  return slug;
}

/** As `held`, in a pipeline. */
async function inPipeline(whose: Whose): Promise<{ sessionId: string }> {
  const id = await session(whose === 'foreign' ? 'bob' : 'ada', { pipeline: await somePipeline() });
  if (whose === 'seen') await reassign(id, { agentId: 'bob', skipHandoff: true });
  return { sessionId: encodeId('session', id) };
}

/** A Handoff to eve that waits for a person. */
async function someProposal(whose: Whose): Promise<string> {
  const holder = whose === 'own' ? 'ada' : 'bob';
  const id = await session(holder, { handoffApproval: 'REQUIRED' });
  return encodeId('handoff', (await initiate(id, 'eve', {}, { caller: agentCaller(holder) })).handoffId);
}

async function someQuestion(whose: Whose): Promise<string> {
  const sessionId = await session(whose === 'own' ? 'ada' : 'bob');
  return encodeId('question', (await run(askPerson, { sessionId, question: 'Which?', options: null })).questionId);
}

const someWebhook = async () =>
  (
    await run((work, input: Parameters<typeof createWebhook>[1]) => createWebhook(work, input, { webhookKey }), {
      url: 'https://example.com/',
      description: null,
      types: [],
    })
  ).webhookId;
const someDelivery = async () => {
  const { rows } = await db.pool.query<{ id: string }>(
    `INSERT INTO deliveries (id, webhook_id, event_id, position, lane, status, attempts, created_at)
     SELECT gen_random_uuid(), $1, id, 1, 'x', 'DELIVERED', 1, now() FROM events LIMIT 1 RETURNING id`,
    [await someWebhook()],
  );
  return encodeId('delivery', rows[0]!.id);
};

type Outcome = 'done' | 'FORBIDDEN' | 'NOT_FOUND' | 'INVALID_STATE';
interface Line {
  given: (whose: Whose) => Promise<object> | object;
  AGENT: Record<Whose, Outcome>;
  others: Record<Exclude<Asker, 'AGENT'>, Outcome>;
}

const never: Line['AGENT'] = { own: 'FORBIDDEN', seen: 'FORBIDDEN', foreign: 'FORBIDDEN' };
const itsOwn: Line['AGENT'] = { own: 'done', seen: 'FORBIDDEN', foreign: 'NOT_FOUND' };
// The refusal names the holder (rule: who may write).
const holdersTurn: Line['AGENT'] = { ...itsOwn, seen: 'INVALID_STATE' };
const people: Line['others'] = { OPERATOR: 'done', ANALYST: 'FORBIDDEN', ADMIN: 'done' };
const admins: Line['others'] = { OPERATOR: 'FORBIDDEN', ANALYST: 'FORBIDDEN', ADMIN: 'done' };

const worker = (given: Line['given'], AGENT = itsOwn): Line => ({ given, AGENT, others: people });
const operator = (given: Line['given']): Line => ({ given, AGENT: never, others: people });
const admin = (given: Line['given']): Line => ({ given, AGENT: never, others: admins });

const mutations: Record<Mutation, Line> = {
  appendTurn: worker(
    async (whose) => ({ ...(await sessionInput(whose)), messages: [{ role: 'ASSISTANT', content: 'Done.' }] }),
    holdersTurn,
  ),
  importTranscript: worker(
    async (whose) => ({
      ...(await sessionInput(whose)),
      content: '{"type":"user","uuid":"u1","sessionId":"s1","message":{"role":"user","content":"Well?"}}',
    }),
    holdersTurn,
  ),
  recordDecision: worker(async (whose) => ({ ...(await sessionInput(whose)), text: 'So be it' })),
  recordToolResults: worker(async (whose) => {
    const sessionId = await held(whose);
    await turn(sessionId, { messages: [], toolCalls: [toolCall('c1', 'Read', { result: null })] });
    return { sessionId: encodeId('session', sessionId), results: [{ callId: 'c1', result: 'ok' }] };
  }),
  setTasks: worker(async (whose) => ({ ...(await sessionInput(whose)), tasks: [] })),
  recordWorkingTree: worker(async (whose) => ({ ...(await sessionInput(whose)), status: ' M a', diffstat: '' })),
  captureSnapshot: worker(sessionInput),
  acceptHandoff: worker(handoffInput),
  rejectHandoff: worker(async (whose) => ({ ...(await handoffInput(whose)), reason: 'no' })),
  failHandoff: worker(async (whose) => ({ ...(await handoffInput(whose)), reason: 'no' })),
  completeHandoff: worker(async (whose) => {
    const handoffId = await addressed(whose);
    await run(acceptHandoff, { handoffId });
    return { handoffId: encodeId('handoff', handoffId) };
  }),
  touchHandoff: worker(handoffInput),
  claimTenure: worker(async (whose) => {
    const { lastAgentSessionId } = await db.prisma.session.findUniqueOrThrow({ where: { id: await held(whose) } });
    return { agentSessionId: encodeId('agentsession', lastAgentSessionId!), runnerId: 'runner' };
  }),
  initiateHandoff: worker(async (whose) => ({ ...(await sessionInput(whose)), targetAgentId: 'eve' })),
  approveHandoff: operator(async (whose) => ({ handoffId: await someProposal(whose) })),
  declineHandoff: operator(async (whose) => ({ handoffId: await someProposal(whose), reason: 'no' })),
  askPerson: worker(async (whose) => ({ ...(await sessionInput(whose)), question: 'Which one?' })),
  answerQuestion: operator(async (whose) => ({ questionId: await someQuestion(whose), answer: 'This one' })),
  // Seen: it is to ada, but not from it.
  cancelHandoff: worker(async (whose) => ({
    handoffId: encodeId(
      'handoff',
      (await initiate(await held(whose === 'own' ? 'own' : 'foreign'), whose === 'seen' ? 'ada' : 'eve')).handoffId,
    ),
  })),
  // Seen: it was to ada, but not from it.
  confirmNotice: worker(async (whose) => {
    const { handoffId } = await initiate(
      await held(whose === 'own' ? 'own' : 'foreign'),
      whose === 'seen' ? 'ada' : 'eve',
    );
    await run(rejectHandoff, { handoffId, reason: 'no' });
    return { noticeId: encodeId('handoff', handoffId) };
  }),
  pauseSession: worker(sessionInput),
  resumeSession: worker(async (whose) => {
    const sessionId = await held(whose);
    await run(pauseSession, { sessionId, expectedVersion: null });
    return { sessionId: encodeId('session', sessionId) };
  }),
  completeSession: worker(sessionInput),
  failSession: worker(async (whose) => ({ ...(await sessionInput(whose)), reason: 'no' })),
  // An agent creates only what it holds itself.
  createSession: worker((whose) => ({ title: 'Work', agentId: whose === 'own' ? 'ada' : 'bob' }), {
    ...never,
    own: 'done',
  }),
  updateSession: worker(async (whose) => ({ ...(await sessionInput(whose)), title: unique('title') })),
  cancelSession: operator(sessionInput),
  reassignSession: operator(async (whose) => ({ ...(await sessionInput(whose)), agentId: 'eve' })),
  timeOutHandoff: operator(handoffInput),
  cancelPendingHandoffs: operator(sessionInput),
  registerAgent: operator(() => ({ id: unique('new'), type: 'CLAUDE' })),
  updateAgent: operator(someAgent),
  archiveAgent: operator(someAgent),
  setAgentStatus: operator(async () => ({ ...(await someAgent()), status: 'OFFLINE' })),
  importAgents: operator(() => ({
    defaultType: 'CLAUDE',
    files: [{ path: 'a.md', content: `# ${unique('imported')}` }],
  })),
  executeHandoffTool: worker(async (whose) => ({
    ...(await sessionInput(whose)),
    toolName: 'transfer_to_eve',
    arguments: { reason: 'because' },
  })),
  executeHandoffs: worker(async (whose) => ({
    ...(await sessionInput(whose)),
    response: [{ type: 'tool_use', id: 'c1', name: 'transfer_to_eve', input: { reason: 'because' } }],
  })),
  definePipeline: operator(() => ({
    slug: unique('pipeline'),
    name: 'P',
    start: 'a',
    stages: [{ name: 'a' }],
    transitions: [{ from: 'a', outcome: 'DONE' }],
  })),
  archivePipeline: operator(async () => ({ slug: await somePipeline() })),
  advancePipeline: worker(async (whose) => ({ ...(await inPipeline(whose)), outcome: 'DONE' })),
  createHandoffTool: operator(() => ({
    name: unique('tool'),
    targetAgentId: 'eve',
    agentIds: ['ada'],
    description: 'Hands off.',
  })),
  updateHandoffTool: operator(async () => ({ toolId: await someTool(), description: 'Other words.' })),
  archiveHandoffTool: operator(async () => ({ toolId: await someTool() })),
  createWebhook: admin(() => ({ url: 'https://example.com/' })),
  updateWebhook: admin(async () => ({ webhookId: encodeId('webhook', await someWebhook()), enabled: false })),
  deleteWebhook: admin(async () => ({ webhookId: encodeId('webhook', await someWebhook()) })),
  redeliver: admin(async () => ({ deliveryId: await someDelivery() })),
  createKey: admin(() => ({ role: 'ANALYST', name: 'ci' })),
  revokeKey: admin(async () => ({
    keyId: encodeId(
      'key',
      (await run(createKey, { role: 'ANALYST', agentId: null, name: 'ci', expiresAt: null })).keyId,
    ),
  })),
};

it('the matrix has a line for every mutation', () => {
  expect(Object.keys(mutations).sort()).toEqual(Object.keys(schema.getMutationType()!.getFields()).sort());
});

async function ask(role: Asker, mutation: Mutation, input: object): Promise<{ outcome: string; answer: unknown }> {
  const { data, errors } = await askers[role].post<{ answer: Said } | null>(documentOf(mutation), { input });
  if (errors !== undefined) return { outcome: errors[0]!.extensions.code, answer: errors };
  return { outcome: data!.answer.code ?? 'done', answer: data!.answer };
}

describe.each(Object.entries(mutations))('%s', (mutation, line) => {
  const cases = roles.flatMap((role) =>
    (role === 'AGENT' ? (['own', 'seen', 'foreign'] as const) : (['own', 'foreign'] as const)).map(
      (whose) => [role, whose, role === 'AGENT' ? line.AGENT[whose] : line.others[role]] as const,
    ),
  );

  it.each(cases)('answers %s on a record that is %s with %s', async (role, whose, expected) => {
    const input = await line.given(whose);
    const before = await hashAllTables(db.pool);
    const { outcome, answer } = await ask(role, mutation, input);
    expect([outcome, answer]).toEqual([expected, answer]);
    const after = await hashAllTables(db.pool);
    if (expected !== 'done') expect(after).toEqual(before);
    else if (!['cancelPendingHandoffs', 'setAgentStatus'].includes(mutation)) expect(after).not.toEqual(before);
    if (expected !== 'NOT_FOUND') return;
    // What there is and may not be read is told from what there is not by nothing but the id.
    const missing = JSON.parse(
      JSON.stringify(input).replace(sessionOrHandoff, (_, prefix: IdPrefix) => unknownId(prefix)),
    ) as object;
    const nothing = await ask(role, mutation, missing);
    expect(JSON.stringify(answer).replace(sessionOrHandoff, 'ID')).toBe(
      JSON.stringify(nothing.answer).replace(sessionOrHandoff, 'ID'),
    );
  });

  it.runIf(line.AGENT.own === 'FORBIDDEN' || line.others.ANALYST === 'FORBIDDEN')(
    "checks its input before the caller's role",
    async () => {
      const text = JSON.stringify(await line.given('own'));
      // Whatever it names first becomes what nothing can be called.
      const wrong = JSON.parse(text.replace(/^\{"(\w+)":"[^"]*"/, '{"$1":"\\u0000"')) as object;
      if (mutation === 'createKey') return;
      expect(await ask('ANALYST', mutation, wrong)).toMatchObject({ outcome: 'BAD_USER_INPUT' });
    },
  );
});

describe('an agent', () => {
  it("creates no session with a field that is the operators'", async () => {
    const own = { title: 'Work', agentId: 'ada' };
    for (const more of [
      { pipeline: await somePipeline() },
      { priority: 'HIGH' },
      { maxHandoffs: 6 },
      { handoffApproval: 'NONE' },
      { agentId: null },
      { agentId: null, agentType: 'CLAUDE', queue: true },
    ]) {
      expect([more, await ask('AGENT', 'createSession', { ...own, ...more })]).toMatchObject([
        more,
        { outcome: 'FORBIDDEN' },
      ]);
    }
    expect(
      await ask('AGENT', 'createSession', { ...own, maxHandoffs: 0, externalId: unique('work'), project: 'p' }),
    ).toMatchObject({ outcome: 'done' });
  });

  it('cannot act for another agent, nor append a turn of user messages alone', async () => {
    const sessionId = encodeId('session', await held('own'));
    const said = { messages: [{ role: 'ASSISTANT', content: 'Done.' }] };
    expect(await ask('AGENT', 'appendTurn', { sessionId, agentId: 'ada', ...said })).toMatchObject({ outcome: 'done' });
    expect(await ask('AGENT', 'appendTurn', { sessionId, agentId: 'bob', ...said })).toMatchObject({
      outcome: 'FORBIDDEN',
      answer: [
        { message: "Your key is bound to agent 'ada' and cannot act for 'bob': leave agentId out, or ask an operator" },
      ],
    });
    expect(
      await ask('AGENT', 'appendTurn', { sessionId, messages: [{ role: 'USER', content: 'Well?' }] }),
    ).toMatchObject({ outcome: 'FORBIDDEN' });
    expect(
      await ask('OPERATOR', 'appendTurn', { sessionId, messages: [{ role: 'USER', content: 'Well?' }] }),
    ).toMatchObject({ outcome: 'done' });
  });

  it('cannot write before it accepts or while the session is PAUSED, and the refusal names the mutation to call first', async () => {
    const waiting = encodeId('session', (await initiate(await session('bob'), 'ada')).sessionId);
    const paused = await session('ada');
    await run(pauseSession, { sessionId: paused, expectedVersion: null });
    for (const [sessionId, says] of [
      [waiting, 'acceptHandoff'],
      [encodeId('session', paused), 'resumeSession'],
    ] as const) {
      const inputs = {
        recordDecision: { text: 'So be it' },
        setTasks: { tasks: [] },
        recordWorkingTree: { status: '', diffstat: '' },
        captureSnapshot: {},
        initiateHandoff: { targetAgentId: 'eve' },
      };
      for (const [mutation, input] of Object.entries(inputs)) {
        const { outcome, answer } = await ask('AGENT', mutation, { sessionId, ...input });
        expect([mutation, outcome, (answer as Said).message]).toEqual([
          mutation,
          'INVALID_STATE',
          expect.stringContaining(says),
        ]);
      }
    }
    expect(await ask('AGENT', 'completeSession', { sessionId: waiting })).toMatchObject({ outcome: 'INVALID_STATE' });
    expect(await ask('AGENT', 'completeSession', { sessionId: encodeId('session', paused) })).toMatchObject({
      outcome: 'done',
    });
  });

  it('may change the title of a session that it holds, and no other field', async () => {
    const sessionId = encodeId('session', await held('own'));
    expect(await ask('AGENT', 'updateSession', { sessionId, title: 'Its own words' })).toMatchObject({
      outcome: 'done',
    });
    for (const field of [
      { metadata: null },
      { contextVariables: { a: 1 } },
      { handoffsEnabled: false },
      { maxHandoffs: 1 },
      { handoffApproval: 'NONE' },
      { priority: 'URGENT' },
      { externalId: 'X-1' },
      { project: null },
    ]) {
      const before = await hashAllTables(db.pool);
      const { outcome, answer } = await ask('AGENT', 'updateSession', { sessionId, title: 'Other words', ...field });
      expect([outcome, JSON.stringify(answer)]).toEqual([
        'FORBIDDEN',
        expect.stringContaining(`leave out ${Object.keys(field)[0]!}, or ask an operator`),
      ]);
      expect(await hashAllTables(db.pool)).toEqual(before);
    }
  });

  it('may repeat a call under its idempotency key after the call took its rights away', async () => {
    const input = {
      sessionId: encodeId('session', await held('own')),
      targetAgentId: 'eve',
      idempotencyKey: unique('key'),
    };
    const [first, again] = [await ask('AGENT', 'initiateHandoff', input), await ask('AGENT', 'initiateHandoff', input)];
    expect(first.outcome).toBe('done');
    expect(again).toEqual(first);
    expect(await ask('AGENT', 'initiateHandoff', { ...input, idempotencyKey: unique('key') })).toMatchObject({
      outcome: 'FORBIDDEN',
    });
  });
});

it('an event records the principal and the role of the key', async () => {
  const { handoffId } = await initiate(await session('bob'), 'ada');
  expect(await ask('OPERATOR', 'acceptHandoff', { handoffId: encodeId('handoff', handoffId) })).toMatchObject({
    outcome: 'done',
  });
  const { data } = await askers.OPERATOR.post<{ viewer: { key: { id: string } } }>('{ viewer { key { id } } }');
  const event = await db.prisma.event.findFirstOrThrow({ where: { handoffId, type: 'HANDOFF_ACCEPTED' } });
  expect(event).toMatchObject({ actorPrincipal: data.viewer.key.id, actorRole: 'OPERATOR' });
});
