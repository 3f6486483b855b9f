import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { testDatabase } from '../../../test/database.ts';
import { hashAllTables } from '../../../test/hash.ts';
import { brokenInvariants, waitInVain } from '../../../test/invariants.ts';
import {
  Model,
  situationOf,
  type HandoffStatus,
  type ModelAgent,
  type ModelSession,
  type Status,
} from '../../../test/model.ts';
import { operator, world } from '../../../test/world.ts';
import { matching } from '../../api/graphql/matching.ts';
import { DomainError } from '../../core/errors.ts';
import type { Caller } from '../../core/work.ts';
import { silentLog } from '../../infra/log.ts';
import { tablesOf } from '../../reads/tables.ts';
import { archiveAgent } from '../agents/archiveAgent.ts';
import { setAgentStatus } from '../agents/setAgentStatus.ts';
import {
  acceptHandoff,
  cancelHandoff,
  cancelPendingHandoffs,
  completeHandoff,
  failHandoff,
  rejectHandoff,
  timeOutHandoff,
} from '../handoffs/changeHandoff.ts';
import { assignQueued } from '../queue/assign.ts';
import { cancelSession, completeSession, failSession, pauseSession, resumeSession } from '../sessions/changeSession.ts';
import { inSituations, silentAfterMinutes, situations, type Situation } from '../sessions/situation.ts';

const db = await testDatabase();
const { agent, session, reassign, initiate, turn, run } = world(db.pool);

const pool: Omit<ModelAgent, 'status' | 'archived'>[] = [
  { id: 'ada', type: 'CLAUDE', capacity: 1, collaborators: ['bob', 'cyd'] },
  { id: 'bob', type: 'CLAUDE', capacity: 2, collaborators: ['ada'] },
  { id: 'cyd', type: 'CODEX', capacity: 2, collaborators: ['ada', 'bob'] },
  { id: 'dee', type: 'CODEX', capacity: 1, collaborators: [] },
];
const ids = pool.map(({ id }) => id);

const agentId = fc.constantFrom(...ids);
const type = fc.constantFrom('CLAUDE', 'CODEX', 'GEMINI');
const whose = fc.constantFrom('olga', 'otto');
const nth = fc.nat({ max: 7 });

const command = fc.oneof(
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('create' as const),
      agent: fc.option(agentId),
      type: fc.option(type),
      max: fc.constantFrom(0, 1, 5),
      key: fc.boolean(),
      queue: fc.boolean(),
      recording: fc.boolean(),
      priority: fc.constantFrom('LOW' as const, 'NORMAL' as const, 'HIGH' as const),
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant('reassign' as const),
      n: nth,
      agent: fc.option(agentId),
      type,
      skip: fc.boolean(),
      queue: fc.boolean(),
      by: whose,
      stale: fc.boolean(),
      key: fc.boolean(),
    }),
  },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('initiate' as const), n: nth, agent: agentId, by: whose }) },
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constant('handoff' as const),
      n: nth,
      which: fc.nat({ max: 3 }),
      to: fc.constantFrom<Exclude<HandoffStatus, 'INITIATED'>>(
        'ACCEPTED',
        'ACCEPTED',
        'COMPLETED',
        'REJECTED',
        'CANCELLED',
        'TIMED_OUT',
        'FAILED',
      ),
      by: whose,
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('cancelPending' as const), n: nth, by: whose }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('status' as const),
      n: nth,
      to: fc.constantFrom<Status>('PAUSED', 'RUNNING', 'PAUSED', 'RUNNING', 'COMPLETED', 'FAILED', 'CANCELLED'),
      by: whose,
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('turn' as const),
      n: nth,
      words: fc.option(fc.constantFrom('yes', 'no')),
      by: whose,
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('agentStatus' as const),
      agent: agentId,
      to: fc.constantFrom<ModelAgent['status']>('AVAILABLE', 'AVAILABLE', 'DRAINING', 'OFFLINE'),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('archive' as const), agent: agentId }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('silence' as const), n: nth }) },
);
type Command = typeof command extends fc.Arbitrary<infer C> ? C : never;

const changes = {
  ACCEPTED: acceptHandoff,
  COMPLETED: completeHandoff,
  REJECTED: rejectHandoff,
  CANCELLED: cancelHandoff,
  TIMED_OUT: timeOutHandoff,
  FAILED: failHandoff,
};
const statuses = {
  PAUSED: pauseSession,
  RUNNING: resumeSession,
  COMPLETED: completeSession,
  FAILED: failSession,
  CANCELLED: cancelSession,
};

const callerOf = (principal: string): Caller => ({ ...operator, principal });

/** One run of the model and the real thing, side by side. */
class Run {
  readonly model = new Model();
  readonly sessionIds: string[] = [];
  #keys = 0;

  async stepAndGiveAway(c: Command): Promise<void> {
    const loads = this.model.loads();
    const versions = new Map(this.model.sessions.map((s) => [s, s.version]));
    await this.step(c);
    await assignQueued({ pool: db.pool, log: silentLog });
    this.model.giveAway(loads);
    for (const [s, version] of versions) if (s.version !== version) s.silent = false;
  }

  async step(c: Command): Promise<void> {
    const s = 'n' in c ? this.model.sessions[c.n % Math.max(1, this.model.sessions.length)] : undefined;
    if ('n' in c && s === undefined) return;
    const id = s === undefined ? '' : this.sessionIds[this.model.sessions.indexOf(s)]!;
    const caller = callerOf('by' in c ? c.by : 'olga');
    switch (c.kind) {
      case 'create':
        return this.create(c);
      case 'reassign':
        return this.reassign(c, s!, id, caller);
      case 'initiate':
        return this.agree(this.model.initiate(s!, c.agent, c.by), () => initiate(id, c.agent, {}, { caller }));
      case 'handoff': {
        if (s!.handoffs.length === 0) return;
        const index = Math.max(0, s!.handoffs.length - 1 - c.which);
        const handoff = await db.prisma.handoff.findFirstOrThrow({
          where: { sessionId: id, depth: index + 1 },
          select: { id: true },
        });
        const input = { handoffId: handoff.id, reason: 'because' };
        return this.agree(this.model.changeHandoff(s!, index, c.to, c.by), () => run(changes[c.to], input, { caller }));
      }
      case 'cancelPending':
        return this.agree(this.model.cancelPending(s!, c.by), () =>
          run(cancelPendingHandoffs, { sessionId: id }, { caller }),
        );
      case 'status': {
        const input = { sessionId: id, expectedVersion: null, reason: 'because', result: null, summary: null };
        return this.agree(this.model.changeStatus(s!, c.to, c.by), () => run(statuses[c.to], input, { caller }));
      }
      case 'turn':
        return this.agree(this.model.turn(s!, c.words, c.by), () =>
          turn(
            id,
            {
              messages: [
                c.words === null ? { role: 'USER', content: 'well?' } : { role: 'ASSISTANT', content: c.words },
              ],
            },
            { caller },
          ),
        );
      case 'agentStatus':
        return this.agree(this.model.setAgentStatus(c.agent, c.to), () =>
          run(setAgentStatus, { id: c.agent, status: c.to }),
        );
      case 'archive':
        return this.agree(this.model.archive(c.agent), () => run(archiveAgent, { id: c.agent }));
      case 'silence':
        s!.silent = true;
        await db.pool.query(
          `UPDATE sessions SET last_activity_at = clock_timestamp() - interval '${silentAfterMinutes} minutes 1 second' WHERE id = $1`,
          [id],
        );
    }
  }

  async create(c: Extract<Command, { kind: 'create' }>): Promise<void> {
    const type = c.agent === null ? c.type : null;
    const queue = c.queue && type !== null;
    const recording = c.recording && c.agent !== null;
    const fields = { agentType: type, maxHandoffs: c.max, queue, priority: c.priority, recording };
    const idempotencyKey = `key-${(this.#keys += 1)}`;
    await this.agree(
      this.model.create(c.agent, type, c.max, {
        queue,
        recording,
        priority: ['LOW', 'NORMAL', 'HIGH'].indexOf(c.priority),
      }),
      async () => {
        this.sessionIds.push(await session(c.agent, fields, { idempotencyKey }));
      },
    );
    if (!c.key || this.sessionIds.length === 0) return;
    const before = await hashAllTables(db.pool);
    const repeat = await outcome(() => session(c.agent, fields, { idempotencyKey }));
    if (repeat.code === null) expect(repeat.value).toBe(this.sessionIds.at(-1));
    expect(await hashAllTables(db.pool)).toEqual(before);
  }

  async reassign(
    c: Extract<Command, { kind: 'reassign' }>,
    s: ModelSession,
    id: string,
    caller: Caller,
  ): Promise<void> {
    const to = {
      agentId: c.agent,
      agentType: c.agent === null ? c.type : null,
      skipHandoff: c.skip,
      queue: c.queue && c.agent === null,
    };
    if (c.stale) {
      const before = await hashAllTables(db.pool);
      expect((await outcome(() => reassign(id, { ...to, expectedVersion: s.version + 1 }, { caller }))).code).toBe(
        'CONFLICT',
      );
      expect(await hashAllTables(db.pool)).toEqual(before);
    }
    const as = { caller, idempotencyKey: `key-${(this.#keys += 1)}` };
    let first: unknown;
    await this.agree(
      this.model.reassign(s, { agent: to.agentId, type: to.agentType, skip: c.skip, queue: to.queue }, c.by),
      async () => {
        first = await reassign(id, to, as);
      },
    );
    if (!c.key || first === undefined) return;
    const before = await hashAllTables(db.pool);
    expect(await reassign(id, to, as)).toEqual(first);
    expect((await outcome(() => reassign(id, { ...to, reason: 'another' }, as))).code).toBe('IDEMPOTENCY_MISMATCH');
    expect(await hashAllTables(db.pool)).toEqual(before);
  }

  /** The real thing answers as the model does; a refusal leaves the invariants' tables alone. */
  async agree(expected: string | null, act: () => Promise<unknown>): Promise<void> {
    const before = expected === null ? null : await hashAllTables(db.pool);
    expect((await outcome(act)).code).toBe(expected);
    if (before !== null) expect(await hashAllTables(db.pool)).toEqual(before);
  }

  /** What is stored is what the model says, and the invariants hold. */
  async check(): Promise<void> {
    expect(await brokenInvariants(db.pool)).toEqual([]);
    expect(await waitInVain(db.pool)).toEqual([]);
    const stored = await db.prisma.session.findMany({
      where: { id: { in: this.sessionIds } },
      orderBy: { id: 'asc' },
      select: {
        status: true,
        agentId: true,
        version: true,
        lastAgentSession: { select: { state: true } },
        queueEntry: { select: { agentType: true, sourceAgentId: true, suspended: true } },
        handoffs: { orderBy: { depth: 'asc' }, select: { status: true, sourceAgentId: true, targetAgentId: true } },
      },
    });
    expect(stored.map((row) => ({ ...row, lastAgentSession: openState(row.lastAgentSession?.state) }))).toEqual(
      this.model.sessions.map((s) => ({
        status: s.status,
        agentId: s.holder,
        version: s.version,
        lastAgentSession: s.tenure,
        queueEntry: s.queue && {
          agentType: s.queue.type,
          sourceAgentId: s.queue.finisher,
          suspended: s.queue.suspended,
        },
        handoffs: s.handoffs.map(({ status, source, target }) => ({
          status,
          sourceAgentId: source,
          targetAgentId: target,
        })),
      })),
    );
    await this.checkSituations();
    const loads = await db.prisma.agent.findMany({ select: { id: true, currentLoad: true } });
    expect(Object.fromEntries(loads.map((row) => [row.id, row.currentLoad]))).toEqual(
      Object.fromEntries(ids.map((id) => [id, this.model.load(id)])),
    );
  }

  /** Every Session is in the one situation of the model: as its field says, and as the filter finds it. */
  async checkSituations(): Promise<void> {
    const expected = new Map(this.model.sessions.map((s, at) => [this.sessionIds[at]!, situationOf(s)]));
    const conditions = await situations(db.pool, this.sessionIds);
    expect(await matching(reads, 'Session', this.sessionIds, conditions)).toEqual(expected);
    for (const situation of Object.keys(conditions) as Situation[]) {
      const found = await matching(reads, 'Session', this.sessionIds, {
        found: await inSituations(db.pool, [situation]),
      });
      expect([...found.keys()].sort()).toEqual(this.sessionIds.filter((id) => expected.get(id) === situation).sort());
    }
  }
}

const reads = { pool: db.pool, tables: tablesOf(db.prisma) };

const openState = (state: string | undefined): string | null =>
  state === 'PENDING' || state === 'ACTIVE' || state === 'PAUSED' ? state : null;

async function outcome<T>(act: () => Promise<T>): Promise<{ code: string | null; value?: T }> {
  try {
    return { code: null, value: await act() };
  } catch (error) {
    if (error instanceof DomainError) return { code: error.code };
    throw error;
  }
}

async function freshRun(): Promise<Run> {
  await db.pool
    .query(`TRUNCATE search_entries, handoff_path_counts, handoff_path_changes, handoff_path_times, agents, agent_collaborators, sessions, agent_sessions, turns, messages, tool_calls, decisions, tasks, handoffs,
    handoff_tool_calls, context_snapshots, events, inbox_entries, idempotency_answers, keys CASCADE`);
  const fresh = new Run();
  for (const a of pool) {
    await agent(a.id, { type: a.type, maxCapacity: a.capacity });
    fresh.model.agents.set(a.id, { ...a, status: 'AVAILABLE', archived: false });
  }
  for (const a of pool)
    for (const [position, collaboratorId] of a.collaborators.entries()) {
      await db.prisma.agentCollaborator.create({ data: { agentId: a.id, collaboratorId, position } });
    }
  // Something to work on from the first command on: two held, of which one soon reaches its limit, one not.
  for (const [agent, max] of [
    ['ada', 5],
    ['bob', 1],
    [null, 5],
  ] as const)
    await fresh.step({
      kind: 'create',
      agent,
      type: null,
      max,
      key: false,
      queue: false,
      recording: false,
      priority: 'NORMAL',
    });
  return fresh;
}

describe('any sequence of commands', () => {
  it('gives the answers and the records of the model, and keeps the invariants after every step', async () => {
    const tally: Record<string, number> = {};
    await fc.assert(
      fc.asyncProperty(fc.array(command, { minLength: 10, maxLength: 50, size: 'max' }), async (commands) => {
        const current = await freshRun();
        for (const c of commands) {
          await current.stepAndGiveAway(c);
          await current.check();
          tally[c.kind] = (tally[c.kind] ?? 0) + 1;
        }
      }),
      {
        numRuns: Number(process.env['BATON_MODEL_RUNS'] ?? 8),
        ...(process.env['BATON_MODEL_SEED'] === undefined ? {} : { seed: Number(process.env['BATON_MODEL_SEED']) }),
      },
    );
    // Every kind was tried, and not in passing.
    expect(Object.keys(tally).length).toBe(10);
  }, 600_000);
});
