import fc from 'fast-check';
import pg from 'pg';
import { beforeAll, describe, expect, it } from 'vitest';
import { atEnd, testDatabase } from '../../../test/database.ts';
import { brokenInvariants } from '../../../test/invariants.ts';
import { agentCaller, operator, world } from '../../../test/world.ts';
import type { HandoffStatus } from '../../generated/prisma/client.ts';
import { silentLog } from '../../infra/log.ts';
import { updateAgent } from '../../work/agents/updateAgent.ts';
import { acceptHandoff, completeHandoff, rejectHandoff } from '../../work/handoffs/changeHandoff.ts';
import { foldPaths } from '../../work/learning/foldPaths.ts';
import { handoffGraph, type GraphEdge, type GraphFilter } from '../../work/learning/handoffGraph.ts';

const histories = await testDatabase();
const raced = await testDatabase();

interface Handoff {
  session: number;
  /** Number of the target's tenure in its Session. */
  tenure: number;
  source: string | null;
  target: string;
  status: HandoffStatus;
  via: 'API' | 'OPERATOR';
  at: number;
  acceptMs: number | null;
  completeMs: number | null;
}

/** Every holder of a Session in turn. */
type Tenures = { agent: string; readsAll: boolean }[];

interface Asked {
  filter: { session: number | null; agent: string | null; after: number | null; before: number | null };
  reader: string | null;
}

/** The slow reference: it looks at every Handoff. */
function slowEdges(sessions: Tenures[], handoffs: Handoff[], { filter, reader }: Asked): object[] {
  const mayRead = ({ session, source, target, via }: Handoff): boolean => {
    const own = sessions[session]!.filter(({ agent }) => agent === reader);
    return (
      reader === null ||
      (own.length > 0 &&
        (own.some(({ readsAll }) => readsAll) || target === reader || (source === reader && via !== 'OPERATOR')))
    );
  };
  const matching = handoffs.filter(
    (each) =>
      each.source !== null &&
      mayRead(each) &&
      (filter.session === null || each.session === filter.session) &&
      (filter.agent === null || each.source === filter.agent || each.target === filter.agent) &&
      (filter.after === null || each.at > filter.after) &&
      (filter.before === null || each.at < filter.before),
  );
  const edges = groupBy(matching, ({ source, target }) => `${source} ${target}`);
  return [...edges.values()]
    .map((of) => {
      const { source, target } = of[0]!;
      const closed = of.filter(({ status }) => status !== 'INITIATED' && status !== 'ACCEPTED');
      const completed = closed.filter(({ status }) => status === 'COMPLETED').length;
      const accepts = of.flatMap(({ acceptMs }) => acceptMs ?? []);
      return {
        source,
        target,
        count: of.length,
        byStatus: Object.fromEntries(
          [...groupBy(of, ({ status }) => status)].map(([status, with_]) => [status, with_.length]),
        ),
        successRate: closed.length === 0 ? null : completed / closed.length,
        bouncedBack: of.filter(({ session, tenure }) =>
          sessions[session]!.slice(tenure + 1, tenure + 3).some(({ agent }) => agent === source),
        ).length,
        medianAcceptMs: percentile(accepts, 0.5),
        p90AcceptMs: percentile(accepts, 0.9),
        medianCompleteMs: percentile(
          of.flatMap(({ completeMs }) => completeMs ?? []),
          0.5,
        ),
      };
    })
    .sort((a, b) => b.count - a.count || compare(a.source!, b.source!) || compare(a.target, b.target));
}

function groupBy<T>(all: readonly T[], keyOf: (each: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const each of all) groups.set(keyOf(each), [...(groups.get(keyOf(each)) ?? []), each]);
  return groups;
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

function percentile(values: number[], share: number): number | null {
  if (values.length === 0) return null;
  const sorted = values.toSorted((a, b) => a - b);
  const place = share * (sorted.length - 1);
  const [low, high] = [sorted[Math.floor(place)]!, sorted[Math.ceil(place)]!];
  return rounded(low + (high - low) * (place - Math.floor(place)));
}

const rounded = (value: number | null): number | null => value && Math.round(value * 1_000) / 1_000;

const comparable = ({ byStatus, medianAcceptMs, p90AcceptMs, medianCompleteMs, ...edge }: GraphEdge): object => ({
  ...edge,
  byStatus: Object.fromEntries(byStatus.map(({ status, count }) => [status, count])),
  medianAcceptMs: rounded(medianAcceptMs),
  p90AcceptMs: rounded(p90AcceptMs),
  medianCompleteMs: rounded(medianCompleteMs),
});

const hour = 3_600_000;
const start = Date.UTC(2026, 0, 1);
const agent = fc.constantFrom('ada', 'bob', 'cyd');
const atHour = fc.nat({ max: 100 }).map((hours) => start + hours * hour);
const bound = fc.option(fc.tuple(atHour, fc.constantFrom(-1, 0, 0, 1, hour / 2)).map(([at, by]) => at + by));
const step = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constant('move' as const),
      session: fc.nat({ max: 2 }),
      agent,
      readsAll: fc.boolean(),
      handoff: fc.constantFrom('API' as const, 'API' as const, 'OPERATOR' as const, null),
      unheld: fc.boolean(),
      at: atHour,
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('change' as const),
      n: fc.nat(),
      to: fc.constantFrom<HandoffStatus>('ACCEPTED', 'COMPLETED', 'REJECTED', 'CANCELLED', 'TIMED_OUT', 'FAILED'),
      ms: fc.nat({ max: 5_000 }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('fold' as const) }) },
);
const asked = fc.record({
  filter: fc.record({
    session: fc.option(fc.nat({ max: 2 }), { freq: 2 }),
    agent: fc.option(agent),
    after: bound,
    before: bound,
  }),
  reader: fc.option(agent, { freq: 2 }),
});

const id = (kind: number, session: number, number: number): string =>
  `00000000-0000-7000-800${kind}-${(session * 1_000 + number).toString(16).padStart(12, '0')}`;

describe('the graph of random histories', () => {
  let client: pg.Client;
  beforeAll(async () => {
    client = new pg.Client({ connectionString: histories.url });
    await client.connect();
    atEnd(() => client.end());
    // Rows of any day, without all that they refer to: only the triggers that count run.
    await client.query(`SET session_replication_role = replica; ALTER TABLE handoffs ENABLE ALWAYS TRIGGER handoff_path_of_new; ALTER TABLE handoffs ENABLE ALWAYS TRIGGER handoff_path_of_changed;
      ALTER TABLE agent_sessions ENABLE ALWAYS TRIGGER handoff_path_of_tenure;
      DO $$ DECLARE part text; BEGIN FOR part IN
        SELECT format('ALTER TABLE %s DROP CONSTRAINT %I', conrelid::regclass, conname) FROM pg_constraint WHERE conrelid IN ('handoffs'::regclass, 'agent_sessions'::regclass) AND contype = 'c'
        UNION ALL SELECT 'DROP INDEX ' || indexrelid::regclass FROM pg_index WHERE indrelid IN ('handoffs'::regclass, 'agent_sessions'::regclass) AND indisunique AND NOT indisprimary AND indpred IS NOT NULL
      LOOP EXECUTE part; END LOOP; END $$`);
  });

  const move = (
    session: number,
    tenure: number,
    at: number,
    readsAll: boolean,
    handoff: Handoff | null,
    agentId: string,
  ) =>
    client.query(
      `WITH tenure AS (INSERT INTO agent_sessions (id, session_id, agent_id, state, start_sequence, started_at, reads_from) VALUES ($1, $2, $3, 'COMPLETED', 1, $4, $5))
       INSERT INTO handoffs (id, session_id, status, via, summary, context, depth, circular, operator_epoch, token_estimate, redaction_count, content_hash, source_agent_id, target_agent_id, target_agent_type,
         target_agent_session_id, snapshot_id, actor_principal, initiated_at, deadline_at)
       SELECT $1, $2, 'INITIATED', $6::handoff_via, '', '{}', $7, false, 0, 0, 0, '', $8, $3, 'CLAUDE', $1, $1, 'test', $4, $4 WHERE $9`,
      // Tenures of equal times are in the order of their ids.
      [
        id(1, session, tenure),
        id(0, session, 0),
        agentId,
        new Date(at),
        readsAll ? null : 3,
        handoff?.via ?? null,
        tenure,
        handoff?.source ?? null,
        handoff !== null,
      ],
    );

  it('equals that of a slow reference, whatever is folded', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { minLength: 5, maxLength: 40, size: 'max' }),
        fc.array(asked, { minLength: 6, maxLength: 6 }),
        async (steps, questions) => {
          await client.query(
            'DELETE FROM handoffs; DELETE FROM agent_sessions; DELETE FROM handoff_path_counts; DELETE FROM handoff_path_changes; DELETE FROM handoff_path_times',
          );
          const sessions: Tenures[] = [[], [], []];
          const times = [0, 0, 0];
          const handoffs: Handoff[] = [];
          for (const each of steps) {
            if (each.kind === 'fold') {
              await foldPaths({ pool: histories.pool, log: silentLog });
            } else if (each.kind === 'move') {
              const { session } = each;
              const held = sessions[session]!;
              const source = each.unheld ? null : (held.at(-1)?.agent ?? null);
              if (source === each.agent) continue;
              const at = (times[session] = Math.max(times[session]!, each.at));
              const handoff: Handoff | null = each.handoff && {
                session,
                tenure: held.length,
                source,
                target: each.agent,
                status: 'INITIATED',
                via: each.handoff,
                at,
                acceptMs: null,
                completeMs: null,
              };
              await move(session, held.length, at, each.readsAll, handoff, each.agent);
              held.push({ agent: each.agent, readsAll: each.readsAll });
              if (handoff !== null) handoffs.push(handoff);
            } else if (handoffs.length > 0) {
              const handoff = handoffs[each.n % handoffs.length]!;
              // Times change with the status only.
              if (handoff.status === each.to) continue;
              handoff.status = each.to;
              if (each.to === 'ACCEPTED') handoff.acceptMs = each.ms;
              if (each.to === 'COMPLETED') handoff.completeMs = each.ms;
              await client.query(
                `UPDATE handoffs SET status = $2, accepted_at = initiated_at + $3 * interval '1 millisecond', completed_at = initiated_at + $4 * interval '1 millisecond' WHERE id = $1`,
                [id(1, handoff.session, handoff.tenure), handoff.status, handoff.acceptMs, handoff.completeMs],
              );
            }
          }
          for (const question of [
            { filter: { session: null, agent: null, after: null, before: null }, reader: null },
            ...questions,
          ]) {
            const { session, agent: agentId, after, before } = question.filter;
            const date = (at: number | null): Date | null => (at === null ? null : new Date(at));
            const filter: GraphFilter = {
              sessionId: session === null ? null : id(0, session, 0),
              project: null,
              agentId,
              initiatedAfter: date(after),
              initiatedBefore: date(before),
            };
            const graph = await handoffGraph(
              histories.pool,
              filter,
              null,
              question.reader === null ? operator : agentCaller(question.reader),
            );
            expect(graph.edges.map(comparable)).toEqual(slowEdges(sessions, handoffs, question));
          }
        },
      ),
      { numRuns: 20, endOnFailure: true },
    );
  }, 60_000);

  it('takes times of the newest 10,000 handoffs of an edge, and counts all', async () => {
    await client.query(
      'DELETE FROM handoffs; DELETE FROM agent_sessions; DELETE FROM handoff_path_counts; DELETE FROM handoff_path_changes; DELETE FROM handoff_path_times',
    );
    await client.query(
      `INSERT INTO handoffs (id, session_id, status, via, summary, context, depth, circular, operator_epoch, token_estimate, redaction_count, content_hash, source_agent_id, target_agent_id, target_agent_type,
         target_agent_session_id, snapshot_id, actor_principal, initiated_at, accepted_at, completed_at, deadline_at)
       SELECT id, id, 'COMPLETED', 'API', '', '{}', n, false, 0, 0, 0, '', 'ada', 'bob', 'CLAUDE', id, id, 'test', at, at + CASE WHEN n <= 100 THEN interval '1 hour' ELSE interval '2 seconds' END, at + interval '3 seconds', at
       FROM (SELECT n, ('00000000-0000-7000-8009-' || lpad(n::text, 12, '0'))::uuid AS id, timestamptz '2026-01-01' + n * interval '1 second' AS at FROM generate_series(1, 10100) n) h`,
    );
    const edge = { count: 10_100, medianAcceptMs: 2_000, p90AcceptMs: 2_000, medianCompleteMs: 3_000 };
    const ask = async (filter: Partial<GraphFilter> = {}) =>
      (
        await handoffGraph(
          histories.pool,
          { sessionId: null, project: null, agentId: null, initiatedAfter: null, initiatedBefore: null, ...filter },
          1,
          operator,
        )
      ).edges;
    expect(await ask()).toMatchObject([edge]);
    await foldPaths({ pool: histories.pool, log: silentLog });
    expect(await ask()).toMatchObject([edge]);
    expect(await ask({ initiatedBefore: new Date('2026-01-01T00:01:41Z') })).toMatchObject([
      { count: 100, medianAcceptMs: hour },
    ]);
    const graph = await handoffGraph(
      histories.pool,
      {
        sessionId: null,
        project: null,
        agentId: 'bob',
        initiatedAfter: new Date('2026-01-01T00:01:40Z'),
        initiatedBefore: null,
      },
      1,
      operator,
    );
    expect(graph.edges).toMatchObject([{ ...edge, count: 10_000 }]);
  });
});

describe('the counts of handoffs that start and end at once', () => {
  const { agent: register, session, initiate, reassign, run } = world(raced.pool);

  it('are exact while they are folded and counted anew, and a reader never sees fewer than before', async () => {
    const ids = ['one', 'two', 'three'];
    for (const each of ids) await register(each, { maxCapacity: 100 });
    for (const each of ids) await run(updateAgent, { id: each, collaborators: ids.filter((other) => other !== each) });
    const sessions = await Promise.all(Array.from({ length: 6 }, () => session('one', { maxHandoffs: 100 })));
    let busy = true;
    const work = sessions.map(async (sessionId, number) => {
      let holder = 0;
      for (let time = 0; time < 8; time += 1) {
        const target = (holder + 1 + ((time + number) % 2)) % 3;
        const { handoffId } =
          time % 4 === 3
            ? await reassign(sessionId, { agentId: ids[target]! })
            : await initiate(sessionId, ids[target]!, { summary: `${time}` });
        if (time % 5 === 4) {
          await run(rejectHandoff, { handoffId: handoffId!, reason: 'no' });
        } else {
          await run(acceptHandoff, { handoffId: handoffId! });
          await run(completeHandoff, { handoffId: handoffId! });
          holder = target;
        }
      }
    });
    const folding = [0, 1].map(async () => {
      while (busy) await foldPaths({ pool: raced.pool, log: silentLog });
    });
    const recounting = (async () => {
      for (let time = 0; time < 5 && busy; time += 1) await raced.pool.query('SELECT recount_handoff_paths()');
    })();
    const reading = (async () => {
      let seen = 0;
      while (busy) {
        const { handoffCount } = await handoffGraph(
          raced.pool,
          { sessionId: null, project: null, agentId: null, initiatedAfter: null, initiatedBefore: null },
          null,
          operator,
        );
        expect(handoffCount).toBeGreaterThanOrEqual(seen);
        seen = handoffCount;
      }
    })();
    await Promise.all(work).finally(() => (busy = false));
    await Promise.all([...folding, recounting, reading]);
    expect(await brokenInvariants(raced.pool)).toEqual([]);
    await foldPaths({ pool: raced.pool, log: silentLog });
    expect((await raced.pool.query('SELECT FROM handoff_path_changes')).rowCount).toBe(0);
    expect(await brokenInvariants(raced.pool)).toEqual([]);
  }, 60_000);

  it('let no handoff wait while they are counted anew, and miss none', async () => {
    const counter = await raced.pool.connect();
    await counter.query('BEGIN; SELECT recount_handoff_paths()');
    const { handoffId } = await initiate(await session('one'), 'two');
    await run(acceptHandoff, { handoffId });
    await counter.query('COMMIT');
    counter.release();
    expect(await brokenInvariants(raced.pool)).toEqual([]);
    await foldPaths({ pool: raced.pool, log: silentLog });
    expect(await brokenInvariants(raced.pool)).toEqual([]);
  });
});
