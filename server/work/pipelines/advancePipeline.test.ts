import { describe, expect, it } from 'vitest';
import { client } from '../../../test/graphql.ts';
import { secretFor } from '../../../test/keyring.ts';
import { house, testRefusals, unknownId, type House, type Refusal } from '../../../test/refusals.ts';
import { startApp } from '../../../test/server.ts';
import { agentCaller } from '../../../test/world.ts';
import { encodeId } from '../../core/ids.ts';
import { acceptHandoff } from '../handoffs/changeHandoff.ts';
import { completeSession, pauseSession } from '../sessions/changeSession.ts';
import { archivePipeline, definePipeline } from './definePipeline.ts';

const home = await house();
const { url } = await startApp(home.db);
const { post } = client(url);
const publicId = (id: string): string => encodeId('session', id);

/** A story in `write`, with a writer, a reviewer and a checker, all of roles of their own. */
async function story(
  h: House,
  {
    stages = {},
    lines = ['write DONE review', 'review APPROVE end', 'review REJECT write'],
    ...fields
  }: {
    stages?: Record<string, object>;
    lines?: string[];
    maxHandoffs?: number;
    handoffsEnabled?: boolean;
    handoffApproval?: 'REQUIRED';
  } = {},
) {
  const slug = h.unique('pipeline');
  const [writer, reviewer] = [`writer-of-${slug}`, `reviewer-of-${slug}`];
  await h.agent(writer, { role: `write ${slug}` });
  await h.agent(reviewer, { role: `review ${slug}`, instructions: 'Read the whole change.' });
  await h.pipeline(slug, lines, {
    write: { role: `write ${slug}`, phase: 'build', ...stages['write'] },
    review: { role: `review ${slug}`, ...stages['review'] },
  });
  return { slug, writer, reviewer, id: await h.session(null, { pipeline: slug, ...fields }) };
}

async function accepted(h: House, sessionId: string, handoffId: string | null): Promise<string> {
  await h.run(acceptHandoff, { handoffId: handoffId! });
  return sessionId;
}

const refusal =
  (mutation: string) =>
  (error: Refusal['error'], when: string, given: Refusal['given'], says: RegExp): Refusal => ({
    mutation,
    error,
    when,
    given,
    says,
  });
const advance = refusal('advancePipeline');
const define = refusal('definePipeline');
const definition = {
  slug: 'p',
  name: 'P',
  start: 'a',
  stages: [{ name: 'a' }],
  transitions: [{ from: 'a', outcome: 'DONE' }],
};
const input = (id: string, fields: object = {}): object => ({ sessionId: publicId(id), outcome: 'DONE', ...fields });
const schema = {
  type: 'object',
  properties: { files: { type: 'integer' } },
  required: ['files'],
  additionalProperties: false,
};

const cases: Refusal[] = [
  define(
    'BadUserInputError',
    'a stage cannot be reached',
    () => ({
      input: { ...definition, stages: [{ name: 'a' }, { name: 'b' }] },
      data: { path: ['input', 'stages', '1'] },
    }),
    /cannot be reached \('b'\)/,
  ),
  refusal('archivePipeline')(
    'NotFoundError',
    'there is no such pipeline',
    () => ({ input: { slug: 'none' }, data: { id: 'none' } }),
    /check the id/,
  ),
  refusal('archivePipeline')(
    'BadUserInputError',
    'the slug is none',
    () => ({ input: { slug: 'A b' }, data: { path: ['input', 'slug'] } }),
    /is no slug/,
  ),
  advance(
    'BadUserInputError',
    'the id is that of a handoff',
    () => ({ input: { sessionId: unknownId('handoff'), outcome: 'DONE' }, data: { path: ['input', 'sessionId'] } }),
    /give the id of a session/,
  ),
  advance(
    'NotFoundError',
    'the session does not exist',
    () => {
      const sessionId = unknownId('session');
      return { input: { sessionId, outcome: 'DONE' }, data: { id: sessionId } };
    },
    /check the id/,
  ),
  advance(
    'IdempotencyMismatchError',
    'the key was used with another outcome',
    async (h) => {
      const [{ id }, idempotencyKey] = [await story(h), h.unique('key')];
      await h.send('advancePipeline', input(id, { idempotencyKey }));
      return { input: input(id, { outcome: 'OTHER', idempotencyKey }), data: { idempotencyKey } };
    },
    /use a new key/,
  ),
  advance(
    'InvalidStateError',
    'the session is in no pipeline',
    async (h) => {
      const agentId = h.unique('ada');
      await h.agent(agentId);
      return { input: input(await h.session(agentId)), data: { state: 'NO_PIPELINE' } };
    },
    /initiateHandoff/,
  ),
  advance(
    'InvalidStateError',
    'the agent has not accepted, also for an operator',
    async (h) => {
      const { id } = await story(h);
      await h.advance(id);
      return { input: input(id, { outcome: 'APPROVE' }), data: { state: 'PENDING' } };
    },
    /acceptHandoff/,
  ),
  advance(
    'InvalidStateError',
    'the session is finished',
    async (h) => {
      const { id } = await story(h);
      await h.run(completeSession, { sessionId: id, expectedVersion: null, result: null, summary: null });
      return { input: input(id), data: { state: 'COMPLETED' } };
    },
    /can no longer be changed/,
  ),
  advance(
    'TransitionNotAllowedError',
    'the stage has no such outcome',
    async (h) => ({
      input: input((await story(h)).id, { outcome: 'APPROVE' }),
      data: { stage: 'write', outcome: 'APPROVE', allowed: ['DONE'] },
    }),
    /give one of DONE/,
  ),
  advance(
    'InvalidPayloadError',
    'the payload does not match the schema of the stage',
    async (h) => ({
      input: input((await story(h, { stages: { write: { payloadSchema: schema } } })).id, {
        payload: { files: 'many', more: 1 },
      }),
      data: { schema },
    }),
    /more is not a property of the schema; files must be integer/,
  ),
  advance(
    'HandoffsDisabledError',
    'an agent asks and handoffs are disabled',
    async (h) => {
      const { id, writer } = await story(h, { handoffsEnabled: false });
      return { input: input(id), key: await secretFor(h.db.pool, 'AGENT', writer) };
    },
    /ask an operator/,
  ),
  advance(
    'MaxHandoffsReachedError',
    'an agent enters a stage again beyond maxHandoffs',
    async (h) => {
      const { id, reviewer } = await story(h, { maxHandoffs: 0 });
      await accepted(h, id, (await h.advance(id)).handoffId);
      return {
        input: input(id, { outcome: 'REJECT' }),
        data: { count: 0, maxHandoffs: 0 },
        key: await secretFor(h.db.pool, 'AGENT', reviewer),
      };
    },
    /an operator has to reassign/,
  ),
  advance(
    'HandoffLoopError',
    'an agent hands the same over again',
    async (h) => {
      const { id, writer, reviewer } = await story(h);
      for (const [outcome, agentId] of [
        ['DONE', writer],
        ['REJECT', reviewer],
      ] as const)
        await accepted(h, id, (await h.advance(id, outcome, {}, { caller: agentCaller(agentId) })).handoffId);
      return {
        input: input(id),
        data: { agentId: writer, targetAgentId: reviewer },
        key: await secretFor(h.db.pool, 'AGENT', writer),
      };
    },
    /do some work first/,
  ),
  advance(
    'NoAgentAvailableError',
    'a person has to approve the way of an agent, and nobody of the next role can take the session',
    async (h) => {
      const { id, slug, writer, reviewer } = await story(h, { handoffApproval: 'REQUIRED' });
      await h.db.pool.query(`UPDATE agents SET administrative_status = 'OFFLINE' WHERE id = $1`, [reviewer]);
      return {
        input: input(id),
        data: { role: `review ${slug}` },
        key: await secretFor(h.db.pool, 'AGENT', writer),
      };
    },
    /available/,
  ),
];
testRefusals(home, ['definePipeline', 'archivePipeline', 'advancePipeline'], cases);

describe('definePipeline', () => {
  it('makes the next version, and returns the present one for an identical definition', async () => {
    const slug = home.unique('pipeline');
    const first = await home.pipeline(slug, ['write DONE end']);
    expect(await home.pipeline(slug, ['write DONE end'])).toBe(first);
    const second = await home.pipeline(slug, ['write DONE end', 'write FAIL end']);
    expect(second).not.toBe(first);
    expect(
      await home.db.prisma.pipeline.findMany({
        where: { slug },
        orderBy: { version: 'asc' },
        select: { id: true, version: true, replacedAt: true },
      }),
    ).toEqual([
      { id: first, version: 1, replacedAt: expect.any(Date) as Date },
      { id: second, version: 2, replacedAt: null },
    ]);
  });

  it('gives each of ten concurrent definitions a version of its own', async () => {
    const slug = home.unique('pipeline');
    await Promise.all(
      Array.from({ length: 10 }, (_, n) => home.pipeline(slug, ['write DONE end', `write OUT_${n} end`])),
    );
    const versions = await home.db.prisma.pipeline.findMany({ where: { slug }, orderBy: { version: 'asc' } });
    expect(versions.map(({ version }) => version)).toEqual(Array.from({ length: 10 }, (_, n) => n + 1));
  });

  it('leaves sessions under way in their version, and those of an archived pipeline too', async () => {
    const { slug, id } = await story(home);
    await home.pipeline(slug, ['other DONE end']);
    await home.run(archivePipeline, { slug });
    const { handoffId } = await home.advance(id);
    expect(handoffId).not.toBeNull();
    const again = await home.run(definePipeline, {
      slug,
      name: slug,
      description: null,
      start: 'other',
      stages: [],
      transitions: [],
    });
    expect(await home.db.prisma.pipeline.findUniqueOrThrow({ where: { id: again.pipelineId } })).toMatchObject({
      version: 3,
      archivedAt: null,
    });
  });
});

describe('advancePipeline', () => {
  const state = `query ($id: ID!) { session(id: $id) { status result
    pipeline { pipeline { slug version } stage phase enteredAt currentAgent { id } queuedSince stages { name state agent { id } attempts outcome enteredAt leftAt } }
    results { agent { id } stage outcome payload reason }
    lastHandoff { via stage outcome payload reason contextVariables { name value } } } }`;
  const stateOf = async (id: string) =>
    (
      await post<{ session: Record<string, unknown> & { pipeline: { stages: unknown[] } } }>(state, {
        id: publicId(id),
      })
    ).data.session;

  it('takes a story through a rejection to its end, and one query tells each step', async () => {
    const { id, slug, writer, reviewer } = await story(home);
    expect(await stateOf(id)).toMatchObject({
      status: 'RUNNING',
      results: [],
      pipeline: {
        pipeline: { slug, version: 1 },
        stage: 'write',
        phase: 'build',
        currentAgent: { id: writer },
        queuedSince: null,
        stages: [
          { name: 'write', state: 'ACTIVE', attempts: 1 },
          { name: 'review', state: 'WAITING', agent: null, attempts: 0 },
        ],
      },
    });
    const first = await home.advance(
      id,
      'DONE',
      { payload: { files: 3 }, reason: 'Ready.' },
      { caller: agentCaller(writer) },
    );
    const told = [
      { name: '_handoff_outcome', value: 'DONE' },
      { name: '_handoff_payload', value: { files: 3 } },
      { name: '_handoff_stage', value: 'review' },
    ];
    expect(await stateOf(id)).toMatchObject({
      pipeline: {
        stage: 'review',
        phase: null,
        currentAgent: { id: reviewer },
        stages: [
          { state: 'DONE', outcome: 'DONE', agent: { id: writer } },
          { state: 'ACTIVE', agent: { id: reviewer }, attempts: 1 },
        ],
      },
      lastHandoff: {
        via: 'PIPELINE',
        stage: 'review',
        outcome: 'DONE',
        payload: { files: 3 },
        reason: 'Ready.',
        contextVariables: expect.arrayContaining(told) as unknown,
      },
    });
    await accepted(home, id, first.handoffId);
    await home.turn(id, { messages: [{ role: 'ASSISTANT', content: 'A test is missing.' }] });
    const second = await home.advance(
      id,
      'REJECT',
      { payload: 'No test.', reason: 'Untested.' },
      { caller: agentCaller(reviewer) },
    );
    const rejected = (await stateOf(id)).pipeline as { enteredAt: string; stages: { enteredAt: string }[] };
    expect(rejected.stages).toMatchObject([
      { state: 'ACTIVE', agent: { id: writer }, attempts: 2 },
      { state: 'SENT_BACK', outcome: 'REJECT', attempts: 1 },
    ]);
    expect(rejected.enteredAt).toBe(rejected.stages[0]!.enteredAt);
    await accepted(home, id, second.handoffId);
    await home.turn(id, { messages: [{ role: 'ASSISTANT', content: 'Tested.' }] });
    await accepted(
      home,
      id,
      (await home.advance(id, 'DONE', { payload: { files: 4 } }, { caller: agentCaller(writer) })).handoffId,
    );
    expect(
      await home.advance(
        id,
        'APPROVE',
        { payload: { merged: true }, summary: 'Merged.' },
        { caller: agentCaller(reviewer) },
      ),
    ).toEqual({ sessionId: id, handoffId: null });
    expect(await stateOf(id)).toMatchObject({
      status: 'COMPLETED',
      result: { merged: true },
      pipeline: {
        stage: null,
        phase: null,
        enteredAt: null,
        currentAgent: null,
        stages: [
          { state: 'DONE', attempts: 2 },
          { state: 'DONE', attempts: 2, outcome: 'APPROVE' },
        ],
      },
      results: [
        { agent: { id: writer }, stage: 'write', outcome: 'DONE', payload: { files: 3 }, reason: 'Ready.' },
        { agent: { id: reviewer }, stage: 'review', outcome: 'REJECT', payload: 'No test.', reason: 'Untested.' },
        { agent: { id: writer }, stage: 'write', outcome: 'DONE', payload: { files: 4 } },
        { agent: { id: reviewer }, stage: 'review', outcome: 'APPROVE', payload: { merged: true }, reason: null },
      ],
    });
  });

  it('keeps the reason of an outcome while the session waits in the next stage', async () => {
    const { id, writer } = await story(home, { stages: { review: { role: 'not there yet' } } });
    await home.advance(id, 'DONE', { reason: 'Ready.' });
    const result = { agent: { id: writer }, stage: 'write', outcome: 'DONE', payload: null, reason: 'Ready.' };
    expect(await stateOf(id)).toMatchObject({
      pipeline: { stage: 'review', stages: [{ state: 'DONE' }, { state: 'QUEUED' }] },
      results: [result],
    });
    await home.agent(home.unique('late'), { role: 'not there yet' });
    expect(await stateOf(id)).toMatchObject({
      pipeline: { stages: [{ state: 'DONE' }, { state: 'ACTIVE' }] },
      results: [result],
    });
  });

  it('filters sessions by pipeline, version and stage', async () => {
    const { slug, id, writer } = await story(home);
    await home.pipeline(slug, ['write DONE end'], { write: { role: `write ${slug}` } });
    const newer = await home.session(writer, { pipeline: slug });
    await home.advance(id);
    const found = async (where: string) =>
      (
        await post<{ sessions: { nodes: { id: string }[] } }>(
          `{ sessions(where: ${where}, orderBy: { field: CREATED_AT, direction: ASC }) { nodes { id } } }`,
        )
      ).data.sessions.nodes.map((each) => each.id);
    expect(await found(`{ pipeline: "${slug}" }`)).toEqual([publicId(id), publicId(newer)]);
    expect(await found(`{ pipeline: "${slug}", pipelineVersion: 1 }`)).toEqual([publicId(id)]);
    expect(await found(`{ pipeline: "${slug}", pipelineVersion: 2, stage: "write" }`)).toEqual([publicId(newer)]);
    expect(await found(`{ pipeline: "${slug}", pipelineVersion: 2, stage: "review" }`)).toEqual([]);
    expect(await found(`{ pipeline: "${slug}", pipelineVersion: 3 }`)).toEqual([]);
  });

  it('gives the target the instructions of the stage, and the deadline and reminder that the stage names', async () => {
    const { id } = await story(home, {
      stages: { review: { instructions: 'Run the tests first.', acceptWithinMinutes: 7, remindAfterMinutes: 3 } },
    });
    const { handoffId } = await home.advance(id);
    const { deadlineAt, remindAt, initiatedAt, context } = await home.db.prisma.handoff.findUniqueOrThrow({
      where: { id: handoffId! },
    });
    expect(deadlineAt.getTime() - initiatedAt.getTime()).toBe(7 * 60_000);
    expect(remindAt!.getTime() - initiatedAt.getTime()).toBe(3 * 60_000);
    expect(JSON.stringify(context)).toContain('Run the tests first.');
  });

  it('takes the first transition of an outcome whose condition holds', async () => {
    const slug = home.unique('pipeline');
    for (const role of ['fast', 'slow']) await home.agent(`${role}-of-${slug}`, { role: `${role} ${slug}` });
    const writer = `writer-of-${slug}`;
    await home.agent(writer, { role: `write ${slug}` });
    const of = (name: string) => ({ role: `${name} ${slug}` });
    const when = { variable: 'lines', op: 'LT' as const, value: 100 };
    await home.pipeline(
      slug,
      ['write DONE fast', 'write DONE slow', 'fast DONE end', 'slow DONE end'],
      { write: of('write'), fast: of('fast'), slow: of('slow') },
      { 'write DONE fast': { when } },
    );
    for (const [contextVariables, stage] of [
      [{ lines: 5 }, 'fast'],
      [{ lines: 500 }, 'slow'],
      [null, 'slow'],
    ] as const) {
      const id = await home.session(null, { pipeline: slug, contextVariables });
      await home.advance(id);
      expect(await home.db.prisma.session.findUniqueOrThrow({ where: { id } })).toMatchObject({
        stage,
        agentId: `${stage}-of-${slug}`,
      });
    }
  });

  it('chooses the least loaded agent of the stage, and the last one when the stage is entered again', async () => {
    const { slug, id, writer, reviewer } = await story(home);
    const second = `second-of-${slug}`;
    await home.agent(second, { role: `review ${slug}`, maxCapacity: 20 });
    await home.session(second);
    const { handoffId } = await home.advance(id);
    expect((await home.db.prisma.handoff.findUniqueOrThrow({ where: { id: handoffId! } })).targetAgentId).toBe(
      reviewer,
    );
    await accepted(home, id, handoffId);
    await home.agent(`w2-of-${slug}`, { role: `write ${slug}`, maxCapacity: 50 });
    for (let n = 0; n < 3; n += 1) await home.session(writer);
    await accepted(home, id, (await home.advance(id, 'REJECT')).handoffId);
    expect((await home.db.prisma.session.findUniqueOrThrow({ where: { id } })).agentId).toBe(writer);
  });

  it('is refused to an agent by the guards, which do not bind an operator', async () => {
    const { id, writer } = await story(home, { handoffsEnabled: false });
    await expect(home.advance(id, 'DONE', {}, { caller: agentCaller(writer) })).rejects.toMatchObject({
      code: 'HANDOFFS_DISABLED',
    });
    await expect(home.advance(id)).resolves.toMatchObject({ handoffId: expect.any(String) as string });

    const limited = await story(home, { maxHandoffs: 1 });
    const step = async (outcome: string, agentId: string) => {
      await home.turn(limited.id);
      await accepted(
        home,
        limited.id,
        (await home.advance(limited.id, outcome, {}, { caller: agentCaller(agentId) })).handoffId,
      );
    };
    await step('DONE', limited.writer);
    await step('REJECT', limited.reviewer);
    await expect(step('DONE', limited.writer)).rejects.toMatchObject({ code: 'MAX_HANDOFFS_REACHED', count: 1 });
    await accepted(home, limited.id, (await home.advance(limited.id)).handoffId);
    await expect(step('REJECT', limited.reviewer)).resolves.toBeUndefined();

    const looping = await story(home);
    const again = async (outcome: string, agentId: string) =>
      accepted(
        home,
        looping.id,
        (await home.advance(looping.id, outcome, {}, { caller: agentCaller(agentId) })).handoffId,
      );
    await again('DONE', looping.writer);
    await again('REJECT', looping.reviewer);
    await expect(again('DONE', looping.writer)).rejects.toMatchObject({ code: 'HANDOFF_LOOP' });
    await expect(
      home.advance(looping.id, 'DONE', { payload: 'something new' }, { caller: agentCaller(looping.writer) }),
    ).resolves.toBeDefined();
  });

  it('is refused to another agent, and while the session is paused', async () => {
    const { id, writer, reviewer } = await story(home);
    await expect(home.advance(id, 'DONE', {}, { caller: agentCaller(reviewer) })).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
    await home.run(pauseSession, { sessionId: id, expectedVersion: null });
    await expect(home.advance(id, 'DONE', {}, { caller: agentCaller(writer) })).rejects.toMatchObject({
      code: 'INVALID_STATE',
      state: 'PAUSED',
    });
    await expect(home.advance(id)).resolves.toBeDefined();
  });

  it('checks the payload against the transition first, and no payload as an empty object', async () => {
    const { id } = await story(home, { stages: { write: { payloadSchema: schema } } });
    await expect(home.advance(id)).rejects.toMatchObject({
      code: 'INVALID_PAYLOAD',
      problems: [{ path: [], message: "must have required property 'files'" }],
    });
    await expect(home.advance(id, 'DONE', { payload: { files: 1 } })).resolves.toBeDefined();
  });

  it('returns the same handoff for a repeated idempotency key', async () => {
    const { id } = await story(home);
    const first = await home.advance(id, 'DONE', {}, { idempotencyKey: 'advance-1' });
    expect(await home.advance(id, 'DONE', {}, { idempotencyKey: 'advance-1' })).toEqual(first);
  });
});
