import { house, somebodyElse, testRefusals, unknownId, type House, type Refusal } from '../../../test/refusals.ts';
import { agentCaller } from '../../../test/world.ts';
import { encodeId } from '../../core/ids.ts';
import type { HandoffStatus } from '../../generated/prisma/client.ts';
import { declineHandoff } from '../approvals/declineHandoff.ts';
import { handoffTransitions, statesBefore } from '../custody/rules.ts';
import {
  acceptHandoff,
  cancelHandoff,
  completeHandoff,
  failHandoff,
  rejectHandoff,
  timeOutHandoff,
} from './changeHandoff.ts';

const home = await house();

const changes = {
  acceptHandoff: 'ACCEPTED',
  completeHandoff: 'COMPLETED',
  rejectHandoff: 'REJECTED',
  failHandoff: 'FAILED',
  cancelHandoff: 'CANCELLED',
  timeOutHandoff: 'TIMED_OUT',
} as const;
type Change = keyof typeof changes;
const mutations = Object.keys(changes) as Change[];
const verbs = {
  ACCEPTED: [acceptHandoff],
  COMPLETED: [acceptHandoff, completeHandoff],
  REJECTED: [rejectHandoff],
  FAILED: [failHandoff],
  CANCELLED: [cancelHandoff],
  TIMED_OUT: [timeOutHandoff],
  DECLINED: [declineHandoff],
};

const inputOf = (mutation: Change, handoffId: string): object => ({
  handoffId,
  ...(mutation === 'rejectHandoff' || mutation === 'failHandoff' ? { reason: 'because' } : {}),
});

/** A handoff that somebody else brought into this status. */
async function handoffIn(status: HandoffStatus, h: House): Promise<string> {
  const { unique, agent, session, reassign, initiate, run } = h;
  const [source, target] = [unique('source'), unique('target')];
  await agent(target);
  await agent(source, { collaborators: [target] });
  const isProposed = status === 'PROPOSED' || status === 'DECLINED';
  const sessionId = await session(source, { handoffApproval: isProposed ? 'REQUIRED' : 'NONE' });
  const { handoffId } = isProposed
    ? await initiate(sessionId, target, {}, { caller: agentCaller(source) })
    : await reassign(sessionId, { agentId: target });
  if (handoffId === null) throw new Error('no handoff was made');
  for (const verb of status === 'INITIATED' || status === 'PROPOSED' ? [] : verbs[status])
    await run(verb, { handoffId, reason: 'because' }, { caller: somebodyElse });
  return encodeId('handoff', handoffId);
}

const hints: Partial<Record<HandoffStatus, RegExp>> = {
  PROPOSED: /a person has to approve it first \(approveHandoff\)/,
  INITIATED: /accept it first \(acceptHandoff\)/,
  ACCEPTED: /complete it, fail it, or reassign the session/,
};

const changing: Refusal[] = mutations.flatMap((mutation) => [
  {
    mutation,
    error: 'BadUserInputError',
    when: 'the id is that of a session',
    given: () => ({ input: inputOf(mutation, unknownId('session')), data: { path: ['input', 'handoffId'] } }),
    says: /id of a session: give the id of a handoff/,
  },
  {
    mutation,
    error: 'NotFoundError',
    when: 'the handoff does not exist',
    given: () => {
      const id = unknownId('handoff');
      return { input: inputOf(mutation, id), data: { id } };
    },
    says: /no handoff 'handoff_.*check the id/,
  },
  // Every pair that the life cycle does not have, what somebody else did already included.
  ...(Object.keys(handoffTransitions) as HandoffStatus[])
    .filter((status) => !handoffTransitions[status].includes(changes[mutation]))
    .map((status): Refusal => ({
      mutation,
      error: 'InvalidStateError',
      when: `another principal has made it ${status}`,
      given: async (h) => ({
        input: inputOf(mutation, await handoffIn(status, h)),
        data: { state: status, allowed: statesBefore(handoffTransitions, changes[mutation]) },
      }),
      says: hints[status] ?? /is final/,
    })),
]);

const keyed: Refusal[] = [
  {
    mutation: 'acceptHandoff',
    error: 'IdempotencyMismatchError',
    when: 'the key was used with another handoff',
    given: async (h) => {
      const idempotencyKey = h.unique('key');
      await h.send('acceptHandoff', { handoffId: await handoffIn('INITIATED', h), idempotencyKey });
      return { input: { handoffId: await handoffIn('INITIATED', h), idempotencyKey }, data: { idempotencyKey } };
    },
    says: /use a new key/,
  },
  {
    mutation: 'acceptHandoff',
    error: 'InvalidStateError',
    when: 'the caller has accepted it with another key',
    given: async (h) => {
      const handoffId = await handoffIn('INITIATED', h);
      await h.send('acceptHandoff', { handoffId, idempotencyKey: h.unique('key') });
      return {
        input: { handoffId, idempotencyKey: h.unique('key') },
        data: { state: 'ACCEPTED', allowed: ['INITIATED'] },
      };
    },
    says: /its target has accepted it/,
  },
];

const pending: Refusal[] = [
  {
    mutation: 'cancelPendingHandoffs',
    error: 'BadUserInputError',
    when: 'the id is that of a handoff',
    given: () => ({ input: { sessionId: unknownId('handoff') }, data: { path: ['input', 'sessionId'] } }),
    says: /give the id of a session/,
  },
  {
    mutation: 'cancelPendingHandoffs',
    error: 'NotFoundError',
    when: 'the session does not exist',
    given: () => {
      const id = unknownId('session');
      return { input: { sessionId: id }, data: { id } };
    },
    says: /check the id/,
  },
];

const wrongIds = [
  {
    error: 'BadUserInputError' as const,
    when: 'the id is that of a session',
    given: () => ({ input: { handoffId: unknownId('session') } }),
    says: /give the id of a handoff/,
  },
  {
    error: 'NotFoundError' as const,
    when: 'the handoff does not exist',
    given: () => ({ input: { handoffId: unknownId('handoff') } }),
    says: /check the id/,
  },
];

const confirming: Refusal[] = [
  {
    error: 'BadUserInputError' as const,
    when: 'the id is that of a session',
    given: () => ({ input: { noticeId: unknownId('session') } }),
    says: /give the id of a handoff or a question/,
  },
  {
    error: 'NotFoundError' as const,
    when: 'the handoff does not exist',
    given: () => ({ input: { noticeId: unknownId('handoff') } }),
    says: /check the id/,
  },
  ...(['PROPOSED', 'INITIATED', 'ACCEPTED', 'COMPLETED'] as const).map((status) => ({
    error: 'InvalidStateError' as const,
    when: `the handoff is ${status}`,
    given: async (h: House) => ({
      input: { noticeId: await handoffIn(status, h) },
      data: { state: status, allowed: ['REJECTED', 'FAILED', 'TIMED_OUT', 'CANCELLED', 'DECLINED'] },
    }),
    says: /it did not come back/,
  })),
].map((refusal) => ({ mutation: 'confirmNotice', ...refusal }));

const touching: Refusal[] = [
  ...wrongIds,
  ...(['PROPOSED', 'ACCEPTED', 'COMPLETED', 'REJECTED', 'CANCELLED', 'FAILED', 'TIMED_OUT', 'DECLINED'] as const).map(
    (status) => ({
      error: 'InvalidStateError' as const,
      when: `the handoff is ${status}`,
      given: async (h: House) => ({
        input: { handoffId: await handoffIn(status, h) },
        data: { state: status, allowed: ['INITIATED'] },
      }),
      says: /only one that waits to be accepted/,
    }),
  ),
  {
    error: 'InvalidStateError' as const,
    when: 'it was extended three times',
    given: async (h: House) => {
      const handoffId = await handoffIn('INITIATED', h);
      for (let n = 0; n < 3; n += 1) await h.send('touchHandoff', { handoffId });
      return { input: { handoffId }, data: { state: 'EXTENDED 3' } };
    },
    says: /accept it, or reject it/,
  },
].map((refusal) => ({ mutation: 'touchHandoff', ...refusal }));

testRefusals(
  home,
  [
    'acceptHandoff',
    'completeHandoff',
    'rejectHandoff',
    'failHandoff',
    'cancelHandoff',
    'timeOutHandoff',
    'cancelPendingHandoffs',
    'touchHandoff',
    'confirmNotice',
  ],
  [...changing, ...keyed, ...pending, ...touching, ...confirming],
);
