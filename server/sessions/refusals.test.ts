import { encodeId } from '../core/ids.ts';
import { archiveAgent } from '../agents/archiveAgent.ts';
import { setAgentStatus } from '../agents/setAgentStatus.ts';
import { sessionTransitions, statesBefore } from '../custody/rules.ts';
import type { SessionStatus } from '../generated/prisma/client.ts';
import { house, somebodyElse, testRefusals, unknownId, type House, type Mutation, type Refusal } from '../../test/refusals.ts';
import { cancelSession } from './cancelSession.ts';
import { completeSession } from './completeSession.ts';
import { failSession } from './failSession.ts';
import { pauseSession } from './pauseSession.ts';

const home = await house();

const changes = {
  pauseSession: 'PAUSED',
  resumeSession: 'RUNNING',
  completeSession: 'COMPLETED',
  failSession: 'FAILED',
  cancelSession: 'CANCELLED',
} as const;
type Change = keyof typeof changes;
const mutations = Object.keys(changes) as Change[];

const publicId = (id: string): string => encodeId('session', id);
const inputOf = (mutation: Change, sessionId: string, fields: object = {}): object => ({
  sessionId,
  ...(mutation === 'failSession' ? { reason: 'because' } : {}),
  ...fields,
});

/** A session that somebody else brought into this status, with a holder. */
async function sessionIn(status: SessionStatus, { unique, agent, session, run }: House): Promise<string> {
  const holder = unique('holder');
  await agent(holder);
  const sessionId = await session(holder);
  const input = { sessionId, expectedVersion: null, reason: 'because', result: null, summary: null };
  const verbs = { PAUSED: pauseSession, COMPLETED: completeSession, FAILED: failSession, CANCELLED: cancelSession };
  if (status !== 'RUNNING') await run(verbs[status], input, { caller: somebodyElse });
  return sessionId;
}

const forEach = (make: (mutation: Change) => Omit<Refusal, 'mutation'>): Refusal[] => mutations.map((mutation) => ({ mutation, ...make(mutation) }));

const changing: Refusal[] = [
  ...forEach((mutation) => ({
    error: 'BadUserInputError',
    when: 'the id is that of a handoff',
    given: () => ({ input: inputOf(mutation, unknownId('handoff')), data: { path: ['input', 'sessionId'] } }),
    says: /id of a handoff: give the id of a session/,
  })),
  ...forEach((mutation) => ({
    error: 'NotFoundError',
    when: 'there is no such session',
    given: () => {
      const id = unknownId('session');
      return { input: inputOf(mutation, id), data: { id } };
    },
    says: /no session 'session_.*check the id/,
  })),
  ...forEach((mutation) => ({
    error: 'ConflictError',
    when: 'the session is at another version',
    given: async (h) => {
      const id = await sessionIn(mutation === 'resumeSession' ? 'PAUSED' : 'RUNNING', h);
      const actualVersion = mutation === 'resumeSession' ? 2 : 1;
      return { input: inputOf(mutation, publicId(id), { expectedVersion: 7 }), data: { expectedVersion: 7, actualVersion } };
    },
    says: /read it again and decide anew/,
  })),
  // Every pair that the life cycle does not have, what somebody else did already included.
  ...mutations.flatMap((mutation) =>
    (Object.keys(sessionTransitions) as SessionStatus[])
      .filter((status) => !sessionTransitions[status].includes(changes[mutation]))
      .map(
        (status): Refusal => ({
          mutation,
          error: 'InvalidStateError',
          when: `somebody else has made the session ${status}`,
          given: async (h) => ({
            input: inputOf(mutation, publicId(await sessionIn(status, h))),
            data: { state: status, allowed: statesBefore(sessionTransitions, changes[mutation]) },
          }),
          says: new RegExp(`is ${status}.*cannot become ${changes[mutation]}`),
        }),
      ),
  ),
  {
    mutation: 'resumeSession',
    error: 'InvalidStateError',
    when: 'nobody holds the session',
    given: async ({ session }) => ({ input: { sessionId: publicId(await session(null)) }, data: { state: 'PAUSED' } }),
    says: /reassignSession/,
  },
];

const create = (error: Refusal['error'], when: string, given: Refusal['given'], says: RegExp): Refusal => ({ mutation: 'createSession', error, when, given, says });

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

const creating: Refusal[] = [
  create('BadUserInputError', 'the title is blank', () => ({ input: { title: ' \n' }, data: { path: ['input', 'title'] } }), /is blank: say something/),
  create('NotFoundError', 'there is no such agent', () => ({ input: { title: 'Work', agentId: 'nobody' }, data: { id: 'nobody' } }), /check the id/),
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
      const idempotencyKey = await used(h, 'captureSnapshot', { sessionId: publicId(await h.session(null)) });
      return { input: { title: 'Work', idempotencyKey }, data: { idempotencyKey } };
    },
    /another mutation/,
  ),
  create(
    'AgentTypeMismatchError',
    'the agent is not of the type',
    async ({ unique, agent }) => {
      const id = unique('codex');
      await agent(id, { type: 'CODEX' });
      return { input: { title: 'Work', agentId: id, agentType: 'CLAUDE' }, data: { agentId: id, expectedType: 'CLAUDE', actualType: 'CODEX' } };
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
    'no agent is of the type',
    (h) => {
      const agentType = h.uniqueType();
      return { input: { title: 'Work', agentType }, data: { agentType } };
    },
    /wait, free one, or name another type/,
  ),
  create(
    'NoAgentAvailableError',
    'every agent of the type is full or closed',
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

const updating: Refusal[] = [
  {
    error: 'BadUserInputError' as const,
    when: 'the title is blank',
    given: () => ({ input: { sessionId: unknownId('session'), title: ' ' }, data: { path: ['input', 'title'] } }),
    says: /is blank/,
  },
  {
    error: 'BadUserInputError' as const,
    when: 'the variables would be larger than a session may keep',
    given: async (h: House) => {
      const contextVariables = { first: 'x'.repeat(40_000) };
      return { input: { sessionId: publicId(await h.session(null, { contextVariables })), contextVariables: { second: 'x'.repeat(40_000) } }, data: { path: ['input', 'contextVariables'] } };
    },
    says: /larger than 65536 bytes/,
  },
  {
    error: 'NotFoundError' as const,
    when: 'there is no such session',
    given: () => {
      const id = unknownId('session');
      return { input: { sessionId: id, title: 'Other words' }, data: { id } };
    },
    says: /check the id/,
  },
  {
    error: 'ConflictError' as const,
    when: 'the session is at another version',
    given: async (h: House) => ({
      input: { sessionId: publicId(await h.session(null)), title: 'Other words', expectedVersion: 7 },
      data: { expectedVersion: 7, actualVersion: 1 },
    }),
    says: /read it again and decide anew/,
  },
  ...(['COMPLETED', 'FAILED', 'CANCELLED'] as const).map((status) => ({
    error: 'InvalidStateError' as const,
    when: `the session is ${status}`,
    given: async (h: House) => ({ input: { sessionId: publicId(await sessionIn(status, h)), title: 'Other words' }, data: { state: status, allowed: ['RUNNING', 'PAUSED'] } }),
    says: /nothing can be changed in it any more/,
  })),
].map((refusal) => ({ mutation: 'updateSession', ...refusal }));

testRefusals(home, ['createSession', 'pauseSession', 'resumeSession', 'completeSession', 'failSession', 'cancelSession', 'updateSession'], [...creating, ...changing, ...updating]);
