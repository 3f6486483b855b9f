import fc from 'fast-check';
import { expect } from 'vitest';
import { DomainError, ForbiddenError } from '../server/core/errors.ts';
import { silentLog } from '../server/infra/log.ts';
import { setAgentStatus } from '../server/work/agents/setAgentStatus.ts';
import {
  acceptHandoff,
  cancelHandoff,
  failHandoff,
  rejectHandoff,
  timeOutHandoff,
} from '../server/work/handoffs/changeHandoff.ts';
import { assignQueued } from '../server/work/queue/assign.ts';
import { cancelSession, completeSession, pauseSession, resumeSession } from '../server/work/sessions/changeSession.ts';
import type { testDatabase } from './database.ts';
import { brokenInvariants, waitInVain } from './invariants.ts';
import { agentCaller, world } from './world.ts';

/** Runs random Sessions through random pipelines, and checks after each run that none is lost and none is in two stages. */

const stage = fc.record({
  agents: fc.array(fc.integer({ min: 1, max: 3 }), { minLength: 1, maxLength: 3 }),
  /** How many stages each further outcome leads back; 0 for itself. */
  back: fc.array(fc.nat({ max: 4 }), { maxLength: 2 }),
  /** A second way of DONE, by a condition, to the end. */
  shortcut: fc.boolean(),
  /** Where it escalates to; the number chooses a stage or an agent. */
  escalates: fc.option(
    fc.record({ to: fc.constantFrom('agent' as const, 'role' as const, 'operators' as const), n: fc.nat({ max: 20 }) }),
  ),
});

const n = fc.nat({ max: 9 });
const act = fc.oneof(
  {
    weight: 10,
    arbitrary: fc.record({
      kind: fc.constant('advance' as const),
      n,
      outcome: fc.constantFrom('DONE', 'DONE', 'DONE', 'BACK_0', 'BACK_1', 'OTHER'),
      byAgent: fc.boolean(),
    }),
  },
  { weight: 8, arbitrary: fc.record({ kind: fc.constant('accept' as const), n }) },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constantFrom('reject' as const, 'cancel' as const, 'fail' as const), n }),
  },
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('timeOut' as const), n }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constantFrom('reassign' as const, 'initiate' as const, 'skip' as const, 'leave' as const),
      n,
      agent: fc.nat({ max: 20 }),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constantFrom('pause' as const, 'resume' as const, 'turn' as const, 'assign' as const),
      n,
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constantFrom('complete' as const, 'end' as const), n }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('status' as const),
      n,
      agent: fc.nat({ max: 20 }),
      to: fc.constantFrom('AVAILABLE' as const, 'AVAILABLE' as const, 'OFFLINE' as const),
    }),
  },
);
type RandomAct = typeof act extends fc.Arbitrary<infer A> ? A : never;

const storiesOfARun = 5;

export async function runRandomStories(
  { pool, prisma }: Awaited<ReturnType<typeof testDatabase>>,
  sessions: number,
  size: 'small' | 'max' = 'small',
): Promise<void> {
  const { agent, pipeline, session, advance, initiate, reassign, turn, run } = world(pool);
  let round = 0;
  const assign = () => assignQueued({ pool, log: silentLog });
  const given = fc.record({
    stages: fc.array(stage, { minLength: 2, maxLength: 5 }),
    acts: fc.array(act, { minLength: 20, maxLength: 80, size }),
    lines: fc.array(fc.option(fc.nat({ max: 200 })), { minLength: storiesOfARun, maxLength: storiesOfARun }),
  });

  await fc.assert(
    fc.asyncProperty(given, async ({ stages, acts, lines }) => {
      const slug = `random-${(round += 1)}`;
      const name = (index: number): string => `s${index}`;
      const ids: string[] = [];
      for (const [index, { agents }] of stages.entries()) {
        for (const [at, maxCapacity] of agents.entries()) {
          const id = `a${round}-${index}-${at}`;
          await agent(id, { role: `${slug} ${name(index)}`, maxCapacity });
          ids.push(id);
        }
      }
      const short = (index: number): string => `${name(index)} DONE end`;
      const ways = stages.flatMap(({ back, shortcut }, index) => [
        ...(shortcut && index < stages.length - 1 ? [short(index)] : []),
        `${name(index)} DONE ${index === stages.length - 1 ? 'end' : name(index + 1)}`,
        ...back.map((steps, at) => `${name(index)} BACK_${at} ${name(Math.max(0, index - steps))}`),
      ]);
      const when = { variable: 'lines', op: 'LT' as const, value: 100 };
      const conditions = Object.fromEntries(
        stages.flatMap(({ shortcut }, index) =>
          shortcut && index < stages.length - 1 ? [[short(index), { when }]] : [],
        ),
      );
      const role = (index: number): string => `${slug} ${name(index)}`;
      const escalateTo = ({ escalates }: (typeof stages)[number]) =>
        escalates && {
          agentId: escalates.to === 'agent' ? ids[escalates.n % ids.length]! : null,
          role: escalates.to === 'role' ? role(escalates.n % stages.length) : null,
          operators: escalates.to === 'operators',
        };
      await pipeline(
        slug,
        ways,
        Object.fromEntries(
          stages.map((each, index) => [name(index), { role: role(index), escalateTo: escalateTo(each) }]),
        ),
        conditions,
      );

      const started: string[] = [];
      for (const value of lines) {
        const made = session(null, {
          pipeline: slug,
          maxHandoffs: 20,
          contextVariables: value === null ? null : { lines: value },
        });
        await made.then((id) => started.push(id), refused);
      }
      for (const each of acts) {
        const id = started[each.n % Math.max(1, started.length)];
        if (id === undefined) break;
        await perform(each, id, ids).catch(refused);
      }
      await assign();
      expect(await brokenInvariants(pool)).toEqual([]);
      expect(await waitInVain(pool)).toEqual([]);
      for (const id of started) {
        const { status, agentId, pipelineId, queueEntry } = await prisma.session.findUniqueOrThrow({
          where: { id },
          include: { queueEntry: true },
        });
        const isOpen = status === 'RUNNING' || status === 'PAUSED';
        if (isOpen && pipelineId !== null && agentId === null) expect(queueEntry).not.toBeNull();
      }
    }),
    { numRuns: Math.ceil(sessions / storiesOfARun), endOnFailure: true },
  );

  async function perform(given: RandomAct, sessionId: string, ids: readonly string[]): Promise<unknown> {
    const { agentId, lastHandoffId } = await prisma.session.findUniqueOrThrow({ where: { id: sessionId } });
    const handoffId = lastHandoffId ?? sessionId;
    const plain = { sessionId, expectedVersion: null, result: null, summary: null, reason: 'because' };
    const other = ids['agent' in given ? given.agent % ids.length : 0]!;
    switch (given.kind) {
      case 'advance':
        return advance(
          sessionId,
          given.outcome,
          { payload: { at: round } },
          given.byAgent && agentId !== null ? { caller: agentCaller(agentId) } : {},
        );
      case 'accept':
        return run(acceptHandoff, { handoffId });
      case 'reject':
        return run(rejectHandoff, { handoffId, reason: 'no' });
      case 'cancel':
        return run(cancelHandoff, { handoffId, reason: null });
      case 'fail':
        return run(failHandoff, { handoffId, reason: 'no' });
      case 'timeOut':
        return run(timeOutHandoff, { handoffId });
      case 'reassign':
        return reassign(sessionId, { agentId: other });
      case 'skip':
        return reassign(sessionId, { agentId: other, skipHandoff: true });
      case 'leave':
        return reassign(sessionId, { agentId: other, leavePipeline: true });
      case 'initiate':
        return initiate(sessionId, other);
      case 'pause':
        return run(pauseSession, plain);
      case 'resume':
        return run(resumeSession, plain);
      case 'turn':
        return turn(sessionId);
      case 'assign':
        return assign();
      case 'complete':
        return run(completeSession, plain);
      case 'end':
        return run(cancelSession, plain);
      case 'status':
        return run(setAgentStatus, { id: other, status: given.to });
    }
  }
}

function refused(error: unknown): void {
  if (!(error instanceof DomainError) && !(error instanceof ForbiddenError)) throw error;
}
