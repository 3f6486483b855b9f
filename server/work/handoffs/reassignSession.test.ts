import { house, testRefusals, unknownId, type House, type Refusal } from '../../../test/refusals.ts';
import { encodeId } from '../../core/ids.ts';
import { archiveAgent } from '../agents/archiveAgent.ts';
import { setAgentStatus } from '../agents/setAgentStatus.ts';
import { cancelSession, completeSession, failSession } from '../sessions/changeSession.ts';

const home = await house();

const publicId = (id: string): string => encodeId('session', id);

/** A session with a holder, and another agent that could take it. */
async function held({ unique, agent, session }: House, target: { type?: string; maxCapacity?: number } = {}) {
  const [holder, other] = [unique('holder'), unique('other')];
  await agent(holder);
  await agent(other, target);
  return { sessionId: await session(holder), holder, other };
}

const refusal = (error: Refusal['error'], when: string, given: Refusal['given'], says: RegExp): Refusal => ({
  mutation: 'reassignSession',
  error,
  when,
  given,
  says,
});

const ends = { COMPLETED: completeSession, FAILED: failSession, CANCELLED: cancelSession };

const cases: Refusal[] = [
  refusal(
    'AgentRoleMismatchError',
    "the agent does not have the role of the session's stage",
    async (h) => {
      const { other } = await held(h);
      const [slug, writer] = [h.unique('pipeline'), h.unique('writer')];
      await h.pipeline(slug, ['write DONE end']);
      await h.agent(writer, { role: 'write' });
      const sessionId = publicId(await h.session(writer, { pipeline: slug }));
      return {
        input: { sessionId, agentId: other },
        data: { agentId: other, stage: 'write', expectedRole: 'write', actualRole: null },
      };
    },
    /stage 'write' needs 'write': choose another agent/,
  ),
  refusal(
    'BadUserInputError',
    'the id is that of a handoff',
    () => ({ input: { sessionId: unknownId('handoff'), agentId: 'ada' }, data: { path: ['input', 'sessionId'] } }),
    /id of a handoff: give the id of a session/,
  ),
  refusal(
    'BadUserInputError',
    'neither agentId nor agentType is given',
    async (h) => ({ input: { sessionId: publicId((await held(h)).sessionId) }, data: { path: ['input'] } }),
    /neither agentId nor agentType: give one of them/,
  ),
  ...[{ agentId: 'ada', agentType: 'CLAUDE' }, { agentId: 'ada' }].map((to) =>
    refusal(
      'BadUserInputError',
      `queue is true with ${Object.keys(to).join(' and ')}`,
      async (h) => ({
        input: { sessionId: publicId((await held(h)).sessionId), queue: true, ...to },
        data: { path: ['input', 'queue'] },
      }),
      /give agentType and leave out agentId/,
    ),
  ),
  refusal(
    'BadUserInputError',
    'all context variables together would exceed the limit',
    async (h) => {
      const { sessionId, other } = await held(h);
      await h.reassign(sessionId, { agentId: other, skipHandoff: true, contextVariables: { old: 'x'.repeat(40_000) } });
      const back = (
        await h.db.prisma.agentSession.findFirstOrThrow({ where: { sessionId }, orderBy: { startedAt: 'asc' } })
      ).agentId;
      return {
        input: { sessionId: publicId(sessionId), agentId: back, contextVariables: { young: 'x'.repeat(40_000) } },
        data: { path: ['input', 'contextVariables'] },
      };
    },
    /larger than 65536 bytes/,
  ),
  refusal(
    'NotFoundError',
    'the session does not exist',
    async (h) => {
      const [id, { other }] = [unknownId('session'), await held(h)];
      return { input: { sessionId: id, agentId: other }, data: { id } };
    },
    /no session 'session_.*check the id/,
  ),
  refusal(
    'NotFoundError',
    'the agent does not exist',
    async (h) => ({
      input: { sessionId: publicId((await held(h)).sessionId), agentId: 'nobody' },
      data: { id: 'nobody' },
    }),
    /no agent 'nobody': name one of '/,
  ),
  refusal(
    'IdempotencyMismatchError',
    'the key was used with another input',
    async (h) => {
      const { sessionId, holder, other } = await held(h);
      const idempotencyKey = h.unique('key');
      await h.send('reassignSession', { sessionId: publicId(sessionId), agentId: other, idempotencyKey });
      return { input: { sessionId: publicId(sessionId), agentId: holder, idempotencyKey }, data: { idempotencyKey } };
    },
    /use a new key/,
  ),
  refusal(
    'IdempotencyMismatchError',
    'the key was used with another mutation',
    async (h) => {
      const { sessionId, other } = await held(h);
      const idempotencyKey = h.unique('key');
      await h.send('captureSnapshot', { sessionId: publicId(sessionId), idempotencyKey });
      return { input: { sessionId: publicId(sessionId), agentId: other, idempotencyKey }, data: { idempotencyKey } };
    },
    /another mutation/,
  ),
  refusal(
    'ConflictError',
    'the session is at another version',
    async (h) => {
      const { sessionId, other } = await held(h);
      return {
        input: { sessionId: publicId(sessionId), agentId: other, expectedVersion: 2 },
        data: { expectedVersion: 2, actualVersion: 1 },
      };
    },
    /is at version 1, not 2: read it again before you retry/,
  ),
  ...(Object.keys(ends) as (keyof typeof ends)[]).map((status) =>
    refusal(
      'InvalidStateError',
      `the session is ${status}`,
      async (h) => {
        const { sessionId, other } = await held(h);
        await h.run(ends[status], { sessionId, expectedVersion: null, result: null, summary: null, reason: 'because' });
        return {
          input: { sessionId: publicId(sessionId), agentId: other },
          data: { state: status, allowed: ['RUNNING', 'PAUSED'] },
        };
      },
      /it can no longer be changed/,
    ),
  ),
  ...[false, true].map((skipHandoff) =>
    refusal(
      'AlreadyAssignedError',
      `the agent holds it, skipHandoff ${skipHandoff}`,
      async (h) => {
        const { sessionId, holder } = await held(h);
        return { input: { sessionId: publicId(sessionId), agentId: holder, skipHandoff }, data: { agentId: holder } };
      },
      /already holds this session: choose another agent/,
    ),
  ),
  refusal(
    'AlreadyAssignedError',
    'the agent has a waiting handoff of the session',
    async (h) => {
      const { sessionId, other } = await held(h);
      await h.reassign(sessionId, { agentId: other });
      return { input: { sessionId: publicId(sessionId), agentId: other }, data: { agentId: other } };
    },
    /already holds this session/,
  ),
  ...(['DRAINING', 'OFFLINE'] as const).map((status) =>
    refusal(
      'AgentUnavailableError',
      `the agent is ${status}`,
      async (h) => {
        const { sessionId, other } = await held(h);
        await h.run(setAgentStatus, { id: other, status });
        return { input: { sessionId: publicId(sessionId), agentId: other }, data: { agentId: other, status } };
      },
      /choose another, or set it AVAILABLE/,
    ),
  ),
  refusal(
    'AgentUnavailableError',
    'the agent is archived',
    async (h) => {
      const { sessionId, other } = await held(h);
      await h.run(archiveAgent, { id: other });
      return { input: { sessionId: publicId(sessionId), agentId: other }, data: { agentId: other, status: 'OFFLINE' } };
    },
    /is archived: choose another/,
  ),
  refusal(
    'AgentAtCapacityError',
    'the agent is full',
    async (h) => {
      const { sessionId, other } = await held(h, { maxCapacity: 1 });
      await h.session(other);
      return {
        input: { sessionId: publicId(sessionId), agentId: other },
        data: { agentId: other, currentLoad: 1, maxCapacity: 1 },
      };
    },
    /full capacity \(1 of 1\): choose another or wait/,
  ),
  refusal(
    'AgentAtCapacityError',
    'the source of the waiting handoff is full (rule: take back)',
    async (h) => {
      const { sessionId, holder, other } = await held(h);
      await h.reassign(sessionId, { agentId: other });
      for (let load = 0; load < 5; load += 1) await h.session(holder);
      return {
        input: { sessionId: publicId(sessionId), agentId: holder },
        data: { agentId: holder, currentLoad: 5, maxCapacity: 5 },
      };
    },
    /full capacity \(5 of 5\)/,
  ),
  refusal(
    'AgentTypeMismatchError',
    'the agent is not of the type',
    async (h) => {
      const { sessionId, other } = await held(h, { type: 'CODEX' });
      return {
        input: { sessionId: publicId(sessionId), agentId: other, agentType: 'CLAUDE' },
        data: { agentId: other, expectedType: 'CLAUDE', actualType: 'CODEX' },
      };
    },
    /is of type CODEX, not CLAUDE/,
  ),
  refusal(
    'NoAgentAvailableError',
    'every agent of the type is full, DRAINING, OFFLINE, archived or the holder',
    async (h) => {
      const type = h.uniqueType();
      const { other } = await held(h, { type, maxCapacity: 1 });
      await h.session(other);
      const [closed, retired, holder] = [h.unique('closed'), h.unique('retired'), h.unique('holder')];
      for (const id of [closed, retired, holder]) await h.agent(id, { type });
      await h.run(setAgentStatus, { id: closed, status: 'OFFLINE' });
      await h.run(archiveAgent, { id: retired });
      return { input: { sessionId: publicId(await h.session(holder)), agentType: type }, data: { agentType: type } };
    },
    /available with a free place: wait, free one, or name another type/,
  ),
];

testRefusals(home, ['reassignSession'], cases);
