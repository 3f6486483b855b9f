import { describe, expect, it } from 'vitest';
import { client } from '../../../test/graphql.ts';
import { brokenInvariants } from '../../../test/invariants.ts';
import { house, testRefusals, type House, type Mutation, type Refusal } from '../../../test/refusals.ts';
import { startApp } from '../../../test/server.ts';
import { encodeId } from '../../core/ids.ts';
import { archiveAgent } from '../agents/archiveAgent.ts';
import { setAgentStatus } from '../agents/setAgentStatus.ts';
import { archivePipeline } from '../pipelines/definePipeline.ts';

const home = await house();

const create = (error: Refusal['error'], when: string, given: Refusal['given'], says: RegExp): Refusal => ({
  mutation: 'createSession',
  error,
  when,
  given,
  says,
});

async function closedAgent({ unique, agent, run }: House, status: 'DRAINING' | 'OFFLINE'): Promise<string> {
  const id = unique('closed');
  await agent(id);
  await run(setAgentStatus, { id, status });
  return id;
}

async function fullAgent({ unique, agent, session }: House, type: string): Promise<string> {
  const id = unique('full');
  await agent(id, { type, maxCapacity: 1 });
  await session(id);
  return id;
}

async function used(h: House, mutation: Mutation, input: object): Promise<string> {
  const idempotencyKey = h.unique('key');
  await h.send(mutation, { ...input, idempotencyKey });
  return idempotencyKey;
}

const cases: Refusal[] = [
  create(
    'BadUserInputError',
    'a pipeline and a type are given',
    () => ({ input: { title: 'Work', pipeline: 'story', agentType: 'CLAUDE' }, data: { path: ['input', 'pipeline'] } }),
    /leave out agentType/,
  ),
  create(
    'NotFoundError',
    'the pipeline does not exist',
    () => ({ input: { title: 'Work', pipeline: 'nothing' }, data: { id: 'nothing' } }),
    /no pipeline 'nothing'/,
  ),
  create(
    'InvalidStateError',
    'the pipeline is archived',
    async ({ unique, pipeline, run }) => {
      const slug = unique('pipeline');
      await pipeline(slug, ['write DONE end']);
      await run(archivePipeline, { slug });
      return { input: { title: 'Work', pipeline: slug }, data: { state: 'ARCHIVED' } };
    },
    /define a new version/,
  ),
  create(
    'AgentRoleMismatchError',
    'the agent does not have the role of the start stage',
    async ({ unique, agent, pipeline }) => {
      const [slug, id] = [unique('pipeline'), unique('reader')];
      await pipeline(slug, ['write DONE end']);
      await agent(id, { role: 'reader' });
      return {
        input: { title: 'Work', pipeline: slug, agentId: id },
        data: { agentId: id, stage: 'write', expectedRole: 'write', actualRole: 'reader' },
      };
    },
    /needs 'write'/,
  ),
  create(
    'BadUserInputError',
    'the title is blank',
    () => ({ input: { title: ' \n' }, data: { path: ['input', 'title'] } }),
    /is blank: give a text/,
  ),
  create(
    'BadUserInputError',
    'queue is true without agentType',
    () => ({ input: { title: 'Work', queue: true }, data: { path: ['input', 'queue'] } }),
    /give agentType and leave out agentId/,
  ),
  create(
    'BadUserInputError',
    'queue is true with agentId',
    () => ({
      input: { title: 'Work', queue: true, agentId: 'ada', agentType: 'CLAUDE' },
      data: { path: ['input', 'queue'] },
    }),
    /give agentType and leave out agentId/,
  ),
  ...[{ agentType: 'CLAUDE' }, {}, { agentId: 'ada', pipeline: 'story' }].map((more) =>
    create(
      'BadUserInputError',
      `it records the work of ${JSON.stringify(more)}`,
      () => ({ input: { title: 'Work', recording: true, ...more }, data: { path: ['input', 'recording'] } }),
      /give agentId, and leave out pipeline/,
    ),
  ),
  create(
    'NotFoundError',
    'the agent does not exist',
    () => ({ input: { title: 'Work', agentId: 'nobody' }, data: { id: 'nobody' } }),
    /check the id/,
  ),
  create(
    'IdempotencyMismatchError',
    'the key was used with another input',
    async (h) => {
      const idempotencyKey = await used(h, 'createSession', { title: 'Work' });
      return { input: { title: 'Other work', idempotencyKey }, data: { idempotencyKey } };
    },
    /use a new key/,
  ),
  create(
    'IdempotencyMismatchError',
    'the key was used with another mutation',
    async (h) => {
      const idempotencyKey = await used(h, 'captureSnapshot', {
        sessionId: encodeId('session', await h.session(null)),
      });
      return { input: { title: 'Work', idempotencyKey }, data: { idempotencyKey } };
    },
    /another mutation/,
  ),
  create(
    'ConflictError',
    'an open session has the external id',
    async (h) => {
      const externalId = h.unique('ticket');
      const sessionId = encodeId('session', await h.session(null, { externalId }));
      return {
        input: { title: 'Work', externalId, agentType: h.uniqueType() },
        data: { sessionId, expectedVersion: null, actualVersion: null },
      };
    },
    /is that of the open session 'session_.*: use that session, end it, or give another external id/,
  ),
  create(
    'AgentTypeMismatchError',
    'the agent is not of the type',
    async ({ unique, agent }) => {
      const id = unique('codex');
      await agent(id, { type: 'CODEX' });
      return {
        input: { title: 'Work', agentId: id, agentType: 'CLAUDE' },
        data: { agentId: id, expectedType: 'CLAUDE', actualType: 'CODEX' },
      };
    },
    /is of type CODEX, not CLAUDE/,
  ),
  ...(['DRAINING', 'OFFLINE'] as const).map((status) =>
    create(
      'AgentUnavailableError',
      `the agent is ${status}`,
      async (h) => {
        const agentId = await closedAgent(h, status);
        return { input: { title: 'Work', agentId }, data: { agentId, status } };
      },
      /choose another/,
    ),
  ),
  create(
    'AgentUnavailableError',
    'the agent is archived',
    async (h) => {
      const agentId = h.unique('retired');
      await h.agent(agentId);
      await h.run(archiveAgent, { id: agentId });
      return { input: { title: 'Work', agentId }, data: { agentId, status: 'OFFLINE' } };
    },
    /is archived: choose another/,
  ),
  create(
    'AgentAtCapacityError',
    'the agent is full',
    async (h) => {
      const agentId = await fullAgent(h, 'CLAUDE');
      return { input: { title: 'Work', agentId }, data: { agentId, currentLoad: 1, maxCapacity: 1 } };
    },
    /full capacity \(1 of 1\): choose another or wait/,
  ),
  create(
    'NoAgentAvailableError',
    'no agent has the type',
    (h) => {
      const agentType = h.uniqueType();
      return { input: { title: 'Work', agentType }, data: { agentType } };
    },
    /wait, free one, or name another type/,
  ),
  create(
    'NoAgentAvailableError',
    'every agent of the type is full, DRAINING or OFFLINE',
    async (h) => {
      const agentType = h.uniqueType();
      await fullAgent(h, agentType);
      const closed = h.unique('closed');
      await h.agent(closed, { type: agentType });
      await h.run(setAgentStatus, { id: closed, status: 'DRAINING' });
      return { input: { title: 'Work', agentType }, data: { agentType } };
    },
    /with a free place/,
  ),
];

testRefusals(home, ['createSession'], cases);

describe('a session that records work', () => {
  it('needs no free place: the load exceeds the capacity, the session says so, and nothing is assigned until places are free', async () => {
    const { unique, agent, send, db } = home;
    const { post } = client((await startApp(db)).url);
    const id = unique('full');
    await agent(id, { maxCapacity: 1 });
    const record = async (): Promise<string> => {
      const { session } = (await send('createSession', { title: 'Work', agentId: id, recording: true })) as unknown as {
        session: { id: string };
      };
      return session.id;
    };
    const [first, second] = [await record(), await record()];
    const over = async () =>
      (
        await post<object>(
          `{ agent(id: "${id}") { status currentLoad maxCapacity freePlaces } one: session(id: "${first}") { overCapacity } other: session(id: "${second}") { overCapacity } }`,
        )
      ).data;
    expect(await over()).toEqual({
      agent: { status: 'BUSY', currentLoad: 2, maxCapacity: 1, freePlaces: 0 },
      one: { overCapacity: true },
      other: { overCapacity: true },
    });
    const assign = async (): Promise<string> =>
      (await send('createSession', { title: 'More', agentId: id })).__typename;
    expect(await assign()).toBe('AgentAtCapacityError');
    await send('completeSession', { sessionId: second });
    expect([await over(), await assign()]).toMatchObject([
      { agent: { currentLoad: 1, freePlaces: 0 }, one: { overCapacity: false }, other: { overCapacity: false } },
      'AgentAtCapacityError',
    ]);
    expect(await brokenInvariants(db.pool)).toEqual([]);
  });
});
