import { encodeId } from '../core/ids.ts';
import { completeSession, pauseSession } from '../sessions/changeSession.ts';
import { house, testRefusals, unknownId, type House, type Mutation, type Refusal } from '../../test/refusals.ts';

const home = await house();

const publicId = (id: string): string => encodeId('session', id);
const inputs = {
  appendTurn: { messages: [{ role: 'ASSISTANT', content: 'Working on it.' }] },
  recordDecision: { text: 'Use PostgreSQL' },
  setTasks: { tasks: [{ content: 'Write it down', status: 'PENDING' }] },
  captureSnapshot: {},
  importTranscript: { content: '{"type":"user","message":{"content":"Well?"}}' },
} as const;
type LogMutation = keyof typeof inputs;
const mutations = Object.keys(inputs) as LogMutation[];
const forEach = (make: (mutation: LogMutation) => Omit<Refusal, 'mutation'>, some: LogMutation[] = mutations): Refusal[] =>
  some.map((mutation) => ({ mutation, ...make(mutation) }));

async function held({ unique, agent, session }: House): Promise<{ sessionId: string; holder: string }> {
  const holder = unique('holder');
  await agent(holder);
  return { sessionId: await session(holder), holder };
}

const everywhere: Refusal[] = [
  ...forEach((mutation) => ({
    error: 'BadUserInputError',
    when: 'the id is that of a handoff',
    given: () => ({ input: { sessionId: unknownId('handoff'), ...inputs[mutation] }, data: { path: ['input', 'sessionId'] } }),
    says: /id of a handoff: give the id of a session/,
  })),
  ...forEach((mutation) => ({
    error: 'NotFoundError',
    when: 'there is no such session',
    given: () => {
      const id = unknownId('session');
      return { input: { sessionId: id, ...inputs[mutation] }, data: { id } };
    },
    says: /check the id/,
  })),
  ...forEach((mutation) => ({
    error: 'InvalidStateError',
    when: 'the session is finished',
    given: async (h) => {
      const { sessionId } = await held(h);
      await h.run(completeSession, { sessionId, expectedVersion: null, result: null, summary: null });
      return { input: { sessionId: publicId(sessionId), ...inputs[mutation] }, data: { state: 'COMPLETED', allowed: ['RUNNING', 'PAUSED'] } };
    },
    says: /is COMPLETED: it can no longer be changed/,
  })),
  ...forEach(
    (mutation) => ({
      error: 'IdempotencyMismatchError',
      when: 'the key was used with another session',
      given: async (h) => {
        const idempotencyKey = h.unique('key');
        const [first, second] = [await held(h), await held(h)];
        await h.send(mutation, { sessionId: publicId(first.sessionId), ...inputs[mutation], idempotencyKey });
        return { input: { sessionId: publicId(second.sessionId), ...inputs[mutation], idempotencyKey }, data: { idempotencyKey } };
      },
      says: /use a new key/,
    }),
    ['appendTurn', 'recordDecision', 'captureSnapshot'],
  ),
];

const turn = (error: Refusal['error'], when: string, given: Refusal['given'], says: RegExp): Refusal => ({ mutation: 'appendTurn', error, when, given, says });
const agentTurns = {
  'an assistant message': inputs.appendTurn,
  'the answer of a tool': { messages: [{ role: 'TOOL', content: 'ok' }] },
  'a tool call': { messages: [], toolCalls: [{ callId: 'c1', name: 'Read' }] },
};

const turns: Refusal[] = [
  turn(
    'NotFoundError',
    'there is no such agent',
    async (h) => ({ input: { sessionId: publicId((await held(h)).sessionId), agentId: 'nobody', ...inputs.appendTurn }, data: { id: 'nobody' } }),
    /no agent 'nobody'/,
  ),
  ...Object.entries(agentTurns).flatMap(([what, input]) => [
    turn(
      'InvalidStateError',
      `its ${what} comes while the handoff is INITIATED`,
      async (h) => {
        const { sessionId } = await held(h);
        const target = h.unique('target');
        await h.agent(target);
        await h.reassign(sessionId, { agentId: target });
        return { input: { sessionId: publicId(sessionId), ...input }, data: { state: 'PENDING', allowed: ['ACTIVE'] } };
      },
      /has not accepted its handoff yet: accept it first \(acceptHandoff\)/,
    ),
    turn(
      'InvalidStateError',
      `its ${what} comes while the session is paused`,
      async (h) => {
        const { sessionId } = await held(h);
        await h.run(pauseSession, { sessionId, expectedVersion: null });
        return { input: { sessionId: publicId(sessionId), ...input }, data: { state: 'PAUSED', allowed: ['ACTIVE'] } };
      },
      /resumeSession/,
    ),
    turn(
      'InvalidStateError',
      `its ${what} comes while nobody holds the session`,
      async ({ session }) => ({ input: { sessionId: publicId(await session(null)), ...input }, data: { state: 'UNASSIGNED' } }),
      /reassignSession/,
    ),
  ]),
  turn(
    'InvalidStateError',
    'it comes from another agent than the holder, who is named',
    async (h) => {
      const { sessionId, holder } = await held(h);
      const other = h.unique('other');
      await h.agent(other);
      return { input: { sessionId: publicId(sessionId), agentId: other, ...inputs.appendTurn }, data: { state: `HELD BY ${holder}` } };
    },
    /is held by 'holder-\d+', not by 'other-\d+'/,
  ),
];

const imports: Refusal[] = [
  {
    mutation: 'importTranscript',
    error: 'BadUserInputError',
    when: 'it is no transcript',
    given: async (h) => ({ input: { sessionId: publicId((await held(h)).sessionId), content: '{"role":"user"}' }, data: { path: ['input', 'content'] } }),
    says: /not a known transcript \(its first line is a JSON object with the fields role\): give the JSON lines of Claude Code/,
  },
  {
    mutation: 'importTranscript',
    error: 'NotFoundError',
    when: 'there is no such agent',
    given: async (h) => ({ input: { sessionId: publicId((await held(h)).sessionId), agentId: 'nobody', ...inputs.importTranscript }, data: { id: 'nobody' } }),
    says: /no agent 'nobody'/,
  },
  {
    mutation: 'importTranscript',
    error: 'InvalidStateError',
    when: 'the agent that is named never had the session',
    given: async (h) => {
      const { sessionId, holder } = await held(h);
      const other = h.unique('other');
      await h.agent(other);
      return { input: { sessionId: publicId(sessionId), agentId: other, ...inputs.importTranscript }, data: { state: `HELD BY ${holder}`, allowed: ['ACTIVE'] } };
    },
    says: /never had the session \('holder-\d+' holds it\): leave agentId out/,
  },
];

const limit = (mutation: Mutation, what: string, most: number, advice: string, input: object): Refusal => ({
  mutation,
  error: 'LimitExceededError',
  when: `it has more than ${most} ${what}`,
  given: async (h) => ({ input: { sessionId: publicId((await held(h)).sessionId), ...input }, data: { limit: most, actual: most + 1 } }),
  says: new RegExp(`${most + 1} ${what} exceed the limit of ${most} in one request: ${advice}`),
});
const times = <T>(count: number, make: (n: number) => T): T[] => Array.from({ length: count }, (_, n) => make(n));
const say = { role: 'ASSISTANT', content: '' };

const limits: Refusal[] = [
  limit('appendTurn', 'messages', 200, 'append them in several turns', { messages: times(201, () => say) }),
  limit('appendTurn', 'tool calls', 200, 'append them in several turns', { messages: [say], toolCalls: times(201, (n) => ({ callId: `c${n}`, name: 'Read' })) }),
  limit('appendTurn', 'files of a tool call', 200, 'name the most important ones', {
    messages: [say],
    toolCalls: [{ callId: 'c', name: 'Write', filesModified: times(201, (n) => `src/${n}.ts`) }],
  }),
  limit('setTasks', 'tasks', 500, 'the list replaces the previous one: combine or drop some', { tasks: times(501, (n) => ({ content: `Step ${n}`, status: 'PENDING' })) }),
];

testRefusals(home, ['appendTurn', 'recordDecision', 'setTasks', 'captureSnapshot', 'importTranscript'], [...everywhere, ...turns, ...imports, ...limits]);
