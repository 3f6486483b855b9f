import { encodeId } from '../server/core/ids.ts';
import { completeSession } from '../server/work/sessions/changeSession.ts';
import { unknownId, type House, type Mutation, type Refusal } from './refusals.ts';

export const sessionId = (id: string): string => encodeId('session', id);

/** A Session that a new agent holds. */
export async function held({
  unique,
  agent,
  session,
}: House): Promise<{ id: string; sessionId: string; holder: string }> {
  const holder = unique('holder');
  await agent(holder);
  const id = await session(holder);
  return { id, sessionId: sessionId(id), holder };
}

/** The refusals that all mutations of the log share. `input` is valid in any open Session. */
export const refusalsOfLog = (mutation: Mutation, input: object): Refusal[] => [
  {
    mutation,
    error: 'BadUserInputError',
    when: 'the id is that of a handoff',
    given: () => ({ input: { sessionId: unknownId('handoff'), ...input }, data: { path: ['input', 'sessionId'] } }),
    says: /id of a handoff: give the id of a session/,
  },
  {
    mutation,
    error: 'NotFoundError',
    when: 'the session does not exist',
    given: () => {
      const id = unknownId('session');
      return { input: { sessionId: id, ...input }, data: { id } };
    },
    says: /check the id/,
  },
  {
    mutation,
    error: 'InvalidStateError',
    when: 'the session is finished',
    given: async (h) => {
      const here = await held(h);
      await h.run(completeSession, { sessionId: here.id, expectedVersion: null, result: null, summary: null });
      return {
        input: { sessionId: here.sessionId, ...input },
        data: { state: 'COMPLETED', allowed: ['RUNNING', 'PAUSED'] },
      };
    },
    says: /is COMPLETED: it can no longer be changed/,
  },
];

/** The refusal of an idempotency key that was used before. */
export const usedKey = (mutation: Mutation, input: object): Refusal => ({
  mutation,
  error: 'IdempotencyMismatchError',
  when: 'the key was used with another session',
  given: async (h) => {
    const idempotencyKey = h.unique('key');
    const [first, second] = [await held(h), await held(h)];
    await h.send(mutation, { sessionId: first.sessionId, ...input, idempotencyKey });
    return { input: { sessionId: second.sessionId, ...input, idempotencyKey }, data: { idempotencyKey } };
  },
  says: /use a new key/,
});

/** The refusal of a list with more entries than one request may have. */
export const tooMany = (mutation: Mutation, what: string, most: number, advice: string, input: object): Refusal => ({
  mutation,
  error: 'LimitExceededError',
  when: `it has more than ${most} ${what}`,
  given: async (h) => ({
    input: { sessionId: (await held(h)).sessionId, ...input },
    data: { limit: most, actual: most + 1 },
  }),
  says: new RegExp(`${most + 1} ${what} exceed the limit of ${most} in one request: ${advice}`),
});

export const times = <T>(count: number, make: (n: number) => T): T[] =>
  Array.from({ length: count }, (_, n) => make(n));
