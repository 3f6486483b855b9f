import { beforeAll, describe, expect, it } from 'vitest';
import { atEnd, testDatabase } from '../../../test/database.ts';
import { countOnTheWire } from '../../../test/statements.ts';
import { toolCall, world } from '../../../test/world.ts';
import { silentLog } from '../../infra/log.ts';
import { createDatabase } from '../../infra/prisma.ts';
import { archiveAgent } from '../agents/archiveAgent.ts';
import { setAgentStatus } from '../agents/setAgentStatus.ts';
import { updateAgent } from '../agents/updateAgent.ts';
import { captureSnapshot, recordDecision, setTasks } from '../log/addToLog.ts';
import { cancelSession, completeSession, failSession, pauseSession, resumeSession } from '../sessions/changeSession.ts';
import {
  acceptHandoff,
  cancelHandoff,
  cancelPendingHandoffs,
  completeHandoff,
  failHandoff,
  rejectHandoff,
  timeOutHandoff,
} from './changeHandoff.ts';

const wire = await countOnTheWire((await testDatabase()).url);
const database = createDatabase(wire.url, silentLog);
atEnd(() => database.close());
const { agent, session, reassign, initiate, turn, run } = world(database.pool);

let count = 0;
const unique = (stem: string): string => `${stem}-${(count += 1)}`;

/** A session with a log, tasks, decisions and variables, so that a Context has something in every place. */
async function held(): Promise<{ id: string; holder: string; other: string; type: string }> {
  const [holder, other, type] = [unique('holder'), unique('other'), `TYPE_${count}`];
  await agent(other, { type, instructions: 'Mind the tests.' });
  await agent(holder, { collaborators: [other] });
  const id = await session(holder, { contextVariables: { branch: 'main' } });
  for (const n of [1, 2, 3])
    await turn(id, { toolCalls: [toolCall(`c${n}`, 'Write', { filesModified: [`src/${n}.ts`] })] });
  await run(recordDecision, { sessionId: id, text: 'So be it' });
  await run(setTasks, {
    sessionId: id,
    tasks: [
      { content: 'Write', status: 'DONE' },
      { content: 'Test', status: 'PENDING' },
    ],
  });
  return { id, holder, other, type };
}
async function waiting(): Promise<{ handoffId: string; sessionId: string; source: string }> {
  const { id, other, holder } = await held();
  return { handoffId: (await reassign(id, { agentId: other })).handoffId ?? '', sessionId: id, source: holder };
}

/** How often a command waits for PostgreSQL, BEGIN and COMMIT included. */
async function roundTrips(command: () => Promise<unknown>): Promise<number> {
  const traffic = await wire.during(command);
  expect(traffic.statements.join('\n')).toMatch(/^BEGIN;[^]*COMMIT$/);
  return traffic.roundTrips;
}
const most = 6;

beforeAll(async () => {
  // Connecting does not count.
  await waiting();
});

describe('a reassign with handoff takes at most six round trips to PostgreSQL, BEGIN and COMMIT included', () => {
  it.each([
    ['to an agent', 'agentId', false, 5],
    ['to an agent, under an idempotency key', 'agentId', true, 6],
    ['to a type', 'agentType', false, 5],
    ['to a type, under an idempotency key', 'agentType', true, 6],
  ] as const)('%s', async (_how, by, keyed, exactly) => {
    const { id, other, type } = await held();
    const to = { [by]: by === 'agentId' ? other : type };
    const as = keyed ? { idempotencyKey: unique('key') } : {};
    expect(
      await roundTrips(async () =>
        expect(await reassign(id, to, as)).toMatchObject({ handoffCreated: true, assignedAgentId: other }),
      ),
    ).toBe(exactly);
    expect(exactly).toBeLessThanOrEqual(most);
  });

  it('to an agent, when it supersedes a waiting handoff', async () => {
    const { sessionId } = await waiting();
    const { other } = await held();
    expect(
      await roundTrips(() => reassign(sessionId, { agentId: other }, { idempotencyKey: unique('key') })),
    ).toBeLessThanOrEqual(most);
  });

  it('to an agent, with a long log', async () => {
    const { id, other } = await held();
    for (let n = 0; n < 50; n += 1)
      await turn(id, {
        toolCalls: [toolCall(`d${n}`, 'Read'), toolCall(`e${n}`, 'Write', { filesModified: [`lib/${n}.ts`] })],
      });
    expect(await roundTrips(() => reassign(id, { agentId: other }))).toBe(5);
  });
});

describe('another command takes at most six round trips', () => {
  it('reassignSession without a handoff, and back to the source', async () => {
    const { id, other } = await held();
    expect(
      await roundTrips(() => reassign(id, { agentId: other, skipHandoff: true }, { idempotencyKey: unique('key') })),
    ).toBeLessThanOrEqual(most);
    const { sessionId, source } = await waiting();
    expect(
      await roundTrips(() => reassign(sessionId, { agentId: source }, { idempotencyKey: unique('key') })),
    ).toBeLessThanOrEqual(most);
  });

  it('initiateHandoff, or seven under an idempotency key', async () => {
    const [first, second] = [await held(), await held()];
    expect(await roundTrips(() => initiate(first.id, first.other))).toBeLessThanOrEqual(most);
    expect(
      await roundTrips(() => initiate(second.id, second.other, {}, { idempotencyKey: unique('key') })),
    ).toBeLessThanOrEqual(most + 1);
  });

  it.each(Object.entries({ acceptHandoff, rejectHandoff, failHandoff, cancelHandoff, timeOutHandoff }))(
    '%s',
    async (_name, command) => {
      const { handoffId } = await waiting();
      expect(await roundTrips(() => run(command, { handoffId, reason: 'because' }))).toBeLessThanOrEqual(most);
      // And when it is a repeat.
      expect(await roundTrips(() => run(command, { handoffId, reason: 'because' }))).toBeLessThanOrEqual(most);
    },
  );

  it('completeHandoff and cancelPendingHandoffs', async () => {
    const [first, second] = [await waiting(), await waiting()];
    await run(acceptHandoff, first);
    expect(await roundTrips(() => run(completeHandoff, first))).toBeLessThanOrEqual(most);
    expect(await roundTrips(() => run(cancelPendingHandoffs, second))).toBeLessThanOrEqual(most);
  });

  it('createSession without an agent, with an agent and with a type', async () => {
    const { other, type } = await held();
    for (const [agentId, fields] of [
      [null, {}],
      [other, {}],
      [null, { agentType: type }],
    ] as const) {
      expect(await roundTrips(() => session(agentId, fields, { idempotencyKey: unique('key') }))).toBeLessThanOrEqual(
        most,
      );
    }
  });

  it.each(Object.entries({ pauseSession, completeSession, failSession, cancelSession }))(
    '%s',
    async (_name, command) => {
      const { sessionId } = await waiting();
      expect(
        await roundTrips(() =>
          run(command, { sessionId, expectedVersion: null, reason: 'because', result: null, summary: null }),
        ),
      ).toBeLessThanOrEqual(most);
    },
  );

  it('resumeSession', async () => {
    const { id } = await held();
    await run(pauseSession, { sessionId: id, expectedVersion: null });
    expect(await roundTrips(() => run(resumeSession, { sessionId: id, expectedVersion: null }))).toBeLessThanOrEqual(
      most,
    );
  });

  it('appendTurn, with agentId and as the turn that completes a handoff', async () => {
    const { handoffId, sessionId } = await waiting();
    await run(acceptHandoff, { handoffId });
    expect(
      await roundTrips(() => turn(sessionId, { truncated: true }, { idempotencyKey: unique('key') })),
    ).toBeLessThanOrEqual(most);
    const { id, holder } = await held();
    expect(
      await roundTrips(() => turn(id, { agentId: holder }, { idempotencyKey: unique('key') })),
    ).toBeLessThanOrEqual(most);
  });

  it('recordDecision, setTasks and captureSnapshot', async () => {
    const { id: sessionId } = await held();
    const keyed = () => ({ idempotencyKey: unique('key') });
    expect(await roundTrips(() => run(recordDecision, { sessionId, text: 'So be it' }, keyed()))).toBeLessThanOrEqual(
      most,
    );
    expect(await roundTrips(() => run(setTasks, { sessionId, tasks: [] }))).toBeLessThanOrEqual(most);
    expect(await roundTrips(() => run(captureSnapshot, { sessionId }, keyed()))).toBeLessThanOrEqual(most);
  });

  it('registerAgent, updateAgent, setAgentStatus and archiveAgent', async () => {
    const [id, { other }] = [unique('ada'), await held()];
    expect(await roundTrips(() => agent(id, { collaborators: [other] }))).toBeLessThanOrEqual(most);
    expect(await roundTrips(() => run(updateAgent, { id, name: 'Ada', collaborators: [] }))).toBeLessThanOrEqual(most);
    expect(await roundTrips(() => run(setAgentStatus, { id, status: 'OFFLINE' }))).toBeLessThanOrEqual(most);
    expect(await roundTrips(() => run(archiveAgent, { id }))).toBeLessThanOrEqual(most);
  });
});

it('a repeat under an idempotency key takes four round trips, and a refusal three', async () => {
  const { id, other } = await held();
  const as = { idempotencyKey: unique('key') };
  await reassign(id, { agentId: other }, as);
  expect((await wire.during(() => reassign(id, { agentId: other }, as))).roundTrips).toBe(4);
  const refused = await wire.during(() => reassign(id, { agentId: other }).catch((error: unknown) => error));
  expect(refused).toMatchObject({ roundTrips: 3, result: { code: 'ALREADY_ASSIGNED' } });
  expect(refused.statements.at(-1)).toBe('ROLLBACK');
});
