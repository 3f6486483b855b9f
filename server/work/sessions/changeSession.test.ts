import { house, somebodyElse, testRefusals, unknownId, type House, type Refusal } from '../../../test/refusals.ts';
import { encodeId } from '../../core/ids.ts';
import type { SessionStatus } from '../../generated/prisma/client.ts';
import { sessionTransitions, statesBefore } from '../custody/rules.ts';
import { cancelSession, completeSession, failSession, pauseSession } from './changeSession.ts';

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

const forEach = (make: (mutation: Change) => Omit<Refusal, 'mutation'>): Refusal[] =>
  mutations.map((mutation) => ({ mutation, ...make(mutation) }));

const changing: Refusal[] = [
  ...forEach((mutation) => ({
    error: 'BadUserInputError',
    when: 'the id is that of a handoff',
    given: () => ({ input: inputOf(mutation, unknownId('handoff')), data: { path: ['input', 'sessionId'] } }),
    says: /id of a handoff: give the id of a session/,
  })),
  ...forEach((mutation) => ({
    error: 'NotFoundError',
    when: 'the session does not exist',
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
      return {
        input: inputOf(mutation, publicId(id), { expectedVersion: 7 }),
        data: { expectedVersion: 7, actualVersion },
      };
    },
    says: /read it again before you retry/,
  })),
  // Every pair that the life cycle does not have, what somebody else did already included.
  ...mutations.flatMap((mutation) =>
    (Object.keys(sessionTransitions) as SessionStatus[])
      .filter((status) => !sessionTransitions[status].includes(changes[mutation]))
      .map((status): Refusal => ({
        mutation,
        error: 'InvalidStateError',
        when: `another principal has made the session ${status}`,
        given: async (h) => ({
          input: inputOf(mutation, publicId(await sessionIn(status, h))),
          data: { state: status, allowed: statesBefore(sessionTransitions, changes[mutation]) },
        }),
        says: new RegExp(`is ${status}.*cannot become ${changes[mutation]}`),
      })),
  ),
  {
    mutation: 'resumeSession',
    error: 'InvalidStateError',
    when: 'the session is unassigned',
    given: async ({ session }) => ({ input: { sessionId: publicId(await session(null)) }, data: { state: 'PAUSED' } }),
    says: /reassignSession/,
  },
];

changing.push({
  mutation: 'resumeSession',
  error: 'InvalidStateError',
  when: 'the token budget is used up',
  given: async (h) => {
    const holder = h.unique('holder');
    await h.agent(holder);
    const id = await h.session(holder, { tokenBudget: 10 });
    await h.turn(id, {
      usage: {
        inputTokens: 7,
        outputTokens: 5,
        cacheCreationInputTokens: null,
        cacheReadInputTokens: null,
        model: null,
      },
    });
    return { input: inputOf('resumeSession', publicId(id)), data: { state: 'TOKEN_BUDGET_USED', allowed: ['PAUSED'] } };
  },
  says: /has used 12 of 10 tokens: give it a higher tokenBudget/,
});

const updating: Refusal[] = [
  {
    error: 'BadUserInputError' as const,
    when: 'the title is blank',
    given: () => ({ input: { sessionId: unknownId('session'), title: ' ' }, data: { path: ['input', 'title'] } }),
    says: /is blank/,
  },
  {
    error: 'BadUserInputError' as const,
    when: 'all context variables together would exceed the limit',
    given: async (h: House) => {
      const contextVariables = { first: 'x'.repeat(40_000) };
      return {
        input: {
          sessionId: publicId(await h.session(null, { contextVariables })),
          contextVariables: { second: 'x'.repeat(40_000) },
        },
        data: { path: ['input', 'contextVariables'] },
      };
    },
    says: /larger than 65536 bytes/,
  },
  {
    error: 'NotFoundError' as const,
    when: 'the session does not exist',
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
    says: /read it again before you retry/,
  },
  {
    error: 'ConflictError' as const,
    when: 'another open session has the external id',
    given: async (h: House) => {
      const externalId = h.unique('ticket');
      const sessionId = publicId(await h.session(null, { externalId }));
      return {
        input: { sessionId: publicId(await h.session(null)), title: 'Other words', externalId },
        data: { sessionId },
      };
    },
    says: /is that of the open session/,
  },
  ...(['COMPLETED', 'FAILED', 'CANCELLED'] as const).map((status) => ({
    error: 'InvalidStateError' as const,
    when: `the session is ${status}`,
    given: async (h: House) => ({
      input: { sessionId: publicId(await sessionIn(status, h)), title: 'Other words' },
      data: { state: status, allowed: ['RUNNING', 'PAUSED'] },
    }),
    says: /it can no longer be changed/,
  })),
].map((refusal) => ({ mutation: 'updateSession', ...refusal }));

testRefusals(
  home,
  ['pauseSession', 'resumeSession', 'completeSession', 'failSession', 'cancelSession', 'updateSession'],
  [...changing, ...updating],
);
