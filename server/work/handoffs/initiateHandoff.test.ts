import { house, testRefusals, TopLevel, unknownId, type House, type Refusal } from '../../../test/refusals.ts';
import { toolCall } from '../../../test/world.ts';
import { encodeId } from '../../core/ids.ts';
import { archiveAgent } from '../agents/archiveAgent.ts';
import { setAgentStatus } from '../agents/setAgentStatus.ts';
import { completeSession, pauseSession } from '../sessions/changeSession.ts';
import { expect, it } from 'vitest';
import { acceptHandoff } from './changeHandoff.ts';

const home = await house();

const publicId = (id: string): string => encodeId('session', id);

/** A session whose holder may hand off to `other`. */
async function held(
  { unique, agent, session }: House,
  { maxCapacity = 5, ...fields }: { maxCapacity?: number; maxHandoffs?: number; handoffsEnabled?: boolean } = {},
) {
  const [holder, other] = [unique('holder'), unique('other')];
  await agent(other, { maxCapacity });
  await agent(holder, { collaborators: [other] });
  return { sessionId: await session(holder, fields), holder, other };
}

const refusal = (error: Refusal['error'], when: string, given: Refusal['given'], says: RegExp): Refusal => ({
  mutation: 'initiateHandoff',
  error,
  when,
  given,
  says,
});

const input = (sessionId: string, targetAgentId: string, fields: object = {}): object => ({
  sessionId: publicId(sessionId),
  targetAgentId,
  ...fields,
});

const cases: Refusal[] = [
  refusal(
    'TransitionNotAllowedError',
    'the target fits no stage that may follow in the pipeline',
    async (h) => {
      const { holder, other } = await held(h);
      const slug = h.unique('pipeline');
      await h.pipeline(slug, ['write DONE review', 'review DONE end'], { write: { role: null } });
      return {
        input: input(await h.session(holder, { pipeline: slug }), other),
        data: { stage: 'write', outcome: null, allowed: ['DONE'] },
      };
    },
    /fits no stage that may follow 'write'/,
  ),
  refusal(
    'BadUserInputError',
    'the id is that of a handoff',
    () => ({
      input: { sessionId: unknownId('handoff'), targetAgentId: 'ada' },
      data: { path: ['input', 'sessionId'] },
    }),
    /give the id of a session/,
  ),
  refusal(
    'BadUserInputError',
    'the prior turn belongs to another session',
    async (h) => {
      const [first, second] = [await held(h), await held(h)];
      const { turnId } = await h.turn(second.sessionId);
      return {
        input: input(first.sessionId, first.other, { priorTurnId: encodeId('turn', turnId) }),
        data: { path: ['input', 'priorTurnId'] },
      };
    },
    /Turn 'turn_\w+' is not of this session: leave it out/,
  ),
  refusal(
    'BadUserInputError',
    'a tool call belongs to another session',
    async (h) => {
      const [first, second] = [await held(h), await held(h)];
      const callOf = async (sessionId: string): Promise<string> => {
        await h.turn(sessionId, { toolCalls: [toolCall('c1', 'Read')] });
        return encodeId('toolcall', (await h.db.prisma.toolCall.findFirstOrThrow({ where: { sessionId } })).id);
      };
      const [known, foreign] = [await callOf(first.sessionId), await callOf(second.sessionId)];
      return {
        input: input(first.sessionId, first.other, { triggeringToolCallIds: [known, foreign] }),
        data: { path: ['input', 'triggeringToolCallIds'], message: `Not tool calls of this session: '${foreign}'` },
      };
    },
    /Not tool calls of this session/,
  ),
  refusal(
    'NotFoundError',
    'the session does not exist',
    async (h) => {
      const [id, { other }] = [unknownId('session'), await held(h)];
      return { input: { sessionId: id, targetAgentId: other }, data: { id } };
    },
    /check the id/,
  ),
  refusal(
    'NotFoundError',
    'the agent does not exist',
    async (h) => ({ input: input((await held(h)).sessionId, 'nobody'), data: { id: 'nobody' } }),
    /no agent 'nobody'/,
  ),
  refusal(
    'IdempotencyMismatchError',
    'the key was used with another input',
    async (h) => {
      const { sessionId, other } = await held(h);
      const idempotencyKey = h.unique('key');
      await h.send('initiateHandoff', input(sessionId, other, { idempotencyKey }));
      return { input: input(sessionId, other, { idempotencyKey, reason: 'another' }), data: { idempotencyKey } };
    },
    /use a new key/,
  ),
  refusal(
    'InvalidStateError',
    'the session is finished',
    async (h) => {
      const { sessionId, other } = await held(h);
      await h.run(completeSession, { sessionId, expectedVersion: null, result: null, summary: null });
      return { input: input(sessionId, other), data: { state: 'COMPLETED', allowed: ['RUNNING', 'PAUSED'] } };
    },
    /it can no longer be changed/,
  ),
  refusal(
    'InvalidStateError',
    'the session is unassigned',
    async (h) => ({
      input: input(await h.session(null), (await held(h)).other),
      data: { state: 'UNASSIGNED', allowed: ['ACTIVE'] },
    }),
    /an operator has to reassign it/,
  ),
  refusal(
    'InvalidStateError',
    'the holder has not accepted its handoff (rule: active only)',
    async (h) => {
      const { sessionId, holder, other } = await held(h);
      await h.reassign(sessionId, { agentId: other });
      return { input: input(sessionId, holder), data: { state: 'PENDING', allowed: ['ACTIVE'] } };
    },
    /accept its own handoff first \(acceptHandoff\)/,
  ),
  refusal(
    'InvalidStateError',
    'the session is paused (rule: active only)',
    async (h) => {
      const { sessionId, other } = await held(h);
      await h.run(pauseSession, { sessionId, expectedVersion: null });
      return { input: input(sessionId, other), data: { state: 'PAUSED', allowed: ['ACTIVE'] } };
    },
    /resumeSession/,
  ),
  refusal(
    'AlreadyAssignedError',
    'the target is the holder',
    async (h) => {
      const { sessionId, holder } = await held(h);
      return { input: input(sessionId, holder), data: { agentId: holder } };
    },
    /already holds this session/,
  ),
  refusal(
    'HandoffsDisabledError',
    'handoffsEnabled is false',
    async (h) => {
      const { sessionId, other } = await held(h, { handoffsEnabled: false });
      return { input: input(sessionId, other) };
    },
    /ask an operator to reassign it/,
  ),
  refusal(
    'NotACollaboratorError',
    'the target is no collaborator of the holder',
    async (h) => {
      const [{ sessionId, holder, other }, stranger] = [await held(h), h.unique('stranger')];
      await h.agent(stranger);
      return {
        input: input(sessionId, stranger),
        data: { agentId: holder, targetAgentId: stranger, collaborators: [other] },
      };
    },
    /it may hand off to 'other-\d+'/,
  ),
  refusal(
    'MaxHandoffsReachedError',
    'agents started maxHandoffs already',
    async (h) => {
      const { sessionId, holder, other } = await held(h, { maxHandoffs: 1 });
      const { handoffId } = await h.initiate(sessionId, other);
      await h.run(acceptHandoff, { handoffId });
      return { input: input(sessionId, holder), data: { count: 1, maxHandoffs: 1 } };
    },
    /started 1 of 1 handoffs in this session: an operator has to reassign it \(reassignSession\) or to raise maxHandoffs/,
  ),
  refusal(
    'HandoffLoopError',
    'the same content was handed off between the same agents before',
    async (h) => {
      const { sessionId, holder, other } = await held(h);
      for (const target of [other, holder]) {
        const { handoffId } = await h.initiate(sessionId, target);
        await h.run(acceptHandoff, { handoffId });
      }
      return { input: input(sessionId, other), data: { agentId: holder, targetAgentId: other } };
    },
    /nothing new since: do some work first/,
  ),
  ...(['DRAINING', 'OFFLINE'] as const).map((status) =>
    refusal(
      'AgentUnavailableError',
      `the target is ${status}`,
      async (h) => {
        const { sessionId, other } = await held(h);
        await h.run(setAgentStatus, { id: other, status });
        return { input: input(sessionId, other), data: { agentId: other, status } };
      },
      /choose another/,
    ),
  ),
  refusal(
    'AgentUnavailableError',
    'the target is archived',
    async (h) => {
      const { sessionId, other } = await held(h);
      await h.run(archiveAgent, { id: other });
      return { input: input(sessionId, other), data: { agentId: other, status: 'OFFLINE' } };
    },
    /is archived/,
  ),
  refusal(
    'AgentAtCapacityError',
    'the target is full',
    async (h) => {
      const { sessionId, other } = await held(h, { maxCapacity: 1 });
      await h.session(other);
      return { input: input(sessionId, other), data: { agentId: other, currentLoad: 1, maxCapacity: 1 } };
    },
    /full capacity \(1 of 1\)/,
  ),
];

testRefusals(home, ['initiateHandoff'], cases);

it('initiateHandoff rejects too many tool calls with LIMIT_EXCEEDED at the top, since its union has no such member', async () => {
  const { sessionId, other } = await held(home);
  const triggeringToolCallIds = Array.from({ length: 201 }, () => unknownId('toolcall'));
  const refused = home.send('initiateHandoff', input(sessionId, other, { triggeringToolCallIds }));
  await expect(refused).rejects.toThrow(TopLevel);
  await expect(refused).rejects.toMatchObject({ code: 'LIMIT_EXCEEDED' });
});
