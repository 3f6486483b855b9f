import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { seed } from '../../../prisma/seed.ts';
import { testDatabase } from '../../../test/database.ts';
import { client } from '../../../test/graphql.ts';
import { adminKey, secretFor } from '../../../test/keyring.ts';
import { startApp } from '../../../test/server.ts';
import { silentLog } from '../../infra/log.ts';

const db = await testDatabase();
await seed({ pool: db.pool, log: silentLog });
const { url } = await startApp(db, { variables: { BATON_ADMIN_KEY: adminKey } });
const admin = client(url, { key: adminKey });
const agent = client(url, { key: await secretFor(db.pool, 'AGENT', 'codex-1') });

interface Row {
  id: string;
  status: string;
  stage: string | null;
  outcome: string | null;
  sentBack: boolean;
  waitedMs: number | null;
  initiatedAt: string;
  acceptedAt: string | null;
  sourceAgent: { id: string } | null;
  targetAgent: { id: string };
  session: { project: string | null; agentSessions: { nodes: { id: string; agent: { id: string } }[] } };
  targetAgentSession: {
    id: string;
    endedAt: string | null;
    turns: { nodes: { usage: { inputTokens: number; outputTokens: number } | null }[] };
  };
}
type Proposal = Omit<Row, 'targetAgentSession'> & { targetAgentSession: null };
const columns = `id status stage outcome sentBack waitedMs initiatedAt acceptedAt sourceAgent { id } targetAgent { id }
  session { project agentSessions(first: 12) { nodes { id agent { id } } } }
  targetAgentSession { id endedAt turns(first: 5) { nodes { usage { inputTokens outputTokens } } } }`;

interface Stat {
  agent: { id: string } | null;
  source: { id: string } | null;
  target: { id: string } | null;
  stage: string | null;
  outcome: string | null;
  status: string | null;
  day: string | null;
  project: string | null;
  count: number;
}
const document = `query ($groupBy: [HandoffStatsKey!]!, $where: HandoffFilter, $first: Int) { handoffStats(groupBy: $groupBy, where: $where, first: $first) {
  agent { id } source { id } target { id } stage outcome status day project count byStatus { status count } acceptance
  medianWaitingMs p95WaitingMs medianWorkingMs p95WorkingMs sentBack bounced usage { inputTokens outputTokens } } }`;

async function stats({ post }: typeof admin, groupBy: readonly string[], where: object, first = 100): Promise<Stat[]> {
  const { data, errors } = await post<{ handoffStats: Stat[] }>(document, { groupBy, where, first });
  expect(errors).toBeUndefined();
  return data.handoffStats;
}
async function listed({ post }: typeof admin, where: object): Promise<Row[]> {
  const { data, errors } = await post<{ handoffs: { nodes: (Row | Proposal)[] } }>(
    `query ($where: HandoffFilter) { handoffs(where: $where, first: 100) { nodes { ${columns} } } }`,
    { where },
  );
  expect(errors).toBeUndefined();
  // One that was never approved moved nothing.
  return data.handoffs.nodes.filter((row) => row.targetAgentSession !== null);
}

beforeAll(async () => {
  await db.pool.query(`UPDATE sessions SET project = 'shop' WHERE title LIKE 'A%' OR title LIKE 'L%'`);
  await db.pool.query(
    `UPDATE handoffs SET accepted_at = initiated_at + depth * interval '7 seconds' WHERE accepted_at IS NOT NULL`,
  );
  await db.pool
    .query(`UPDATE handoffs SET closed_at = initiated_at + depth * interval '19 seconds', completed_at = CASE WHEN completed_at IS NOT NULL
    THEN initiated_at + depth * interval '19 seconds' END WHERE closed_at IS NOT NULL`);
  await db.pool.query(
    `UPDATE agent_sessions SET ended_at = ended_at + (1 + length(agent_id)) * interval '11 seconds' WHERE ended_at IS NOT NULL`,
  );
  await db.pool.query(
    `UPDATE handoffs SET initiated_at = initiated_at - interval '3 days', accepted_at = accepted_at - interval '3 days' WHERE depth = 2`,
  );
});

const keyOf: Record<string, (row: Row) => object> = {
  AGENT: ({ targetAgent }) => ({ agent: targetAgent }),
  PAIR: ({ sourceAgent, targetAgent }) => ({ source: sourceAgent, target: targetAgent }),
  STAGE: ({ stage }) => ({ stage }),
  OUTCOME: ({ outcome }) => ({ outcome }),
  STATUS: ({ status }) => ({ status }),
  DAY: ({ initiatedAt }) => ({ day: `${initiatedAt.slice(0, 10)}T00:00:00.000Z` }),
  PROJECT: ({ session }) => ({ project: session.project }),
};
const none = {
  agent: null,
  source: null,
  target: null,
  stage: null,
  outcome: null,
  status: null,
  day: null,
  project: null,
};

function percentile(values: (number | null)[], share: number): unknown {
  const sorted = values.filter((value) => value !== null).toSorted((a, b) => a - b);
  if (sorted.length === 0) return null;
  const at = share * (sorted.length - 1);
  const [low, high] = [sorted[Math.floor(at)]!, sorted[Math.ceil(at)]!];
  return expect.closeTo(low + (high - low) * (at % 1), 3);
}

function bounced({ sourceAgent, targetAgentSession, session }: Row): boolean {
  // Newest first.
  const tenures = session.agentSessions.nodes.toReversed();
  const at = tenures.findIndex(({ id }) => id === targetAgentSession.id);
  return tenures.slice(at + 1, at + 3).some(({ agent: { id } }) => id === sourceAgent?.id);
}

/** The slow reference: it looks at every Handoff. */
function summed(rows: readonly Row[]): object {
  const accepted = rows.filter(({ acceptedAt }) => acceptedAt !== null);
  const declined = rows.filter((row) => row.acceptedAt === null && ['REJECTED', 'TIMED_OUT'].includes(row.status));
  const working = accepted.map(({ acceptedAt, targetAgentSession: { endedAt } }) =>
    endedAt === null ? null : Date.parse(endedAt) - Date.parse(acceptedAt!),
  );
  const usage = rows.flatMap(({ targetAgentSession }) =>
    targetAgentSession.turns.nodes.flatMap((turn) => turn.usage ?? []),
  );
  const statuses = [...new Set(rows.map(({ status }) => status))];
  return {
    count: rows.length,
    byStatus: expect.toSatisfy(
      (found: { status: string; count: number }[]) =>
        found.length === statuses.length &&
        found.every(({ status, count }) => rows.filter((row) => row.status === status).length === count),
    ) as unknown,
    acceptance: accepted.length + declined.length === 0 ? null : accepted.length / (accepted.length + declined.length),
    medianWaitingMs: percentile(
      rows.map(({ waitedMs }) => waitedMs),
      0.5,
    ),
    p95WaitingMs: percentile(
      rows.map(({ waitedMs }) => waitedMs),
      0.95,
    ),
    medianWorkingMs: percentile(working, 0.5),
    p95WorkingMs: percentile(working, 0.95),
    sentBack: rows.filter(({ sentBack }) => sentBack).length,
    bounced: rows.filter(bounced).length,
    usage: {
      inputTokens: usage.reduce((sum, { inputTokens }) => sum + inputTokens, 0),
      outputTokens: usage.reduce((sum, { outputTokens }) => sum + outputTokens, 0),
    },
  };
}

function grouped(rows: readonly Row[], groupBy: readonly string[]): Map<string, Row[]> {
  const groups = new Map<string, Row[]>();
  for (const row of rows) {
    const key = JSON.stringify({ ...none, ...Object.assign({}, ...groupBy.map((name) => keyOf[name]!(row))) });
    groups.set(key, [...(groups.get(key) ?? []), row]);
  }
  return groups;
}
const keyed = ({ agent: a, source, target, stage, outcome, status, day, project }: Stat): string =>
  JSON.stringify({ agent: a, source, target, stage, outcome, status, day, project });

const groupings = fc.uniqueArray(fc.constantFrom(...Object.keys(keyOf)), { maxLength: 3 });
const filters = fc.record(
  {
    agentId: fc.constantFrom('claude-1', 'codex-1', 'implementer'),
    status: fc.subarray(['COMPLETED', 'REJECTED', 'TIMED_OUT', 'INITIATED', 'FAILED', 'CANCELLED']),
    via: fc.subarray(['OPERATOR', 'API', 'PIPELINE']),
    pipeline: fc.constantFrom('story', 'none'),
    stage: fc.constantFrom('reviewer', 'implementer'),
    fromStage: fc.constantFrom('reviewer', 'implementer'),
    outcome: fc.constantFrom('DONE', 'REJECT'),
    project: fc.constantFrom('shop', 'none'),
    sentBack: fc.boolean(),
    circular: fc.boolean(),
    reasonContains: fc.constantFrom('review', '%', 'zebra'),
    actor: fc.constantFrom('demo', 'codex-1'),
    externalId: fc.constantFrom('STORY-1', 'none'),
    staleForMinutes: fc.constantFrom(0, 10_000_000),
    initiatedAfter: fc.constantFrom('2020-01-01T00:00:00Z', '2100-01-01T00:00:00Z'),
    initiatedBefore: fc.constantFrom('2020-01-01T00:00:00Z', '2100-01-01T00:00:00Z'),
    waitedAtLeastSeconds: fc.constantFrom(0, 14, 60),
    waitedAtMostSeconds: fc.constantFrom(0, 14, 60),
    lastedAtLeastSeconds: fc.constantFrom(0, 38, 60),
    lastedAtMostSeconds: fc.constantFrom(0, 38, 60),
  },
  { requiredKeys: [] },
);
const most = (given: object, count: number): object => Object.fromEntries(Object.entries(given).slice(0, count));

describe('handoffStats', () => {
  it.each([
    ['everything', admin],
    ['what an agent may read', agent],
  ])('sums %s as the list of the same filter shows it, by any keys', async (_name, reader) => {
    await fc.assert(
      fc.asyncProperty(groupings, filters, fc.nat({ max: 2 }), async (groupBy, filter, count) => {
        const where = most(filter, count);
        const groups = grouped(await listed(reader, where), groupBy);
        const found = await stats(reader, groupBy, where);
        expect(found.map(keyed).toSorted(), JSON.stringify({ groupBy, where })).toEqual([...groups.keys()].toSorted());
        for (const stat of found) expect(stat).toMatchObject(summed(groups.get(keyed(stat))!));
      }),
      { numRuns: 30 },
    );
  });

  it('returns the largest groups first, with days the newest days first, and no more than asked for', async () => {
    const byStatus = await stats(admin, ['STATUS'], {});
    expect(byStatus.map(({ count }) => count)).toEqual(byStatus.map(({ count }) => count).toSorted((a, b) => b - a));
    expect(await stats(admin, ['STATUS'], {}, 2)).toEqual(byStatus.slice(0, 2));
    const days = (await stats(admin, ['DAY', 'AGENT'], {})).map(({ day }) => day!);
    expect(new Set(days).size).toBe(2);
    expect(days).toEqual(days.toSorted().toReversed());
    expect(await stats(admin, [], {}, 0)).toEqual([]);
    expect(await stats(admin, [], { status: [] })).toEqual([]);
  });
});
