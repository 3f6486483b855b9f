import fc from 'fast-check';
import { beforeAll, expect, it } from 'vitest';
import { seed } from '../../../prisma/seed.ts';
import { testDatabase } from '../../../test/database.ts';
import { client } from '../../../test/graphql.ts';
import { adminKey, secretFor } from '../../../test/keyring.ts';
import { startApp } from '../../../test/server.ts';
import { encodeId } from '../../core/ids.ts';
import { silentLog } from '../../infra/log.ts';

const db = await testDatabase();
await seed({ pool: db.pool, log: silentLog });
const { url } = await startApp(db, { variables: { BATON_ADMIN_KEY: adminKey } });
const { post } = client(url, { key: adminKey });

interface Row {
  id: string;
  status: string;
  stage: string | null;
  outcome: string | null;
  sentBack: boolean;
  waitedMs: number | null;
  lastedMs: number | null;
  reason: string | null;
  rejectionReason: string | null;
  failureReason: string | null;
  cancelReason: string | null;
  initiatedAt: string;
  acceptedAt: string | null;
  closedAt: string | null;
  actor: { principal: string };
  returnOf: { id: string } | null;
  previous: { stage: string | null } | null;
  session: { project: string | null; pipeline: { pipeline: { slug: string } } | null };
}
const columns = `id status stage outcome sentBack waitedMs lastedMs reason rejectionReason failureReason cancelReason initiatedAt acceptedAt closedAt
  actor { principal } returnOf { id } previous { stage } session { project pipeline { pipeline { slug } } }`;

async function handoffs(where: object): Promise<{ totalCount: number; nodes: Row[] }> {
  const { data, errors } = await post<{ handoffs: { totalCount: number; nodes: Row[] } }>(
    `query ($where: HandoffFilter) { handoffs(where: $where, first: 100) { totalCount nodes { ${columns} } } }`,
    { where },
  );
  expect(errors).toBeUndefined();
  return data.handoffs;
}

let all: Row[] = [];
beforeAll(async () => {
  await secretFor(db.pool, 'AGENT', 'codex-1');
  const { rows } = await db.pool.query<{ id: string }>(`SELECT id FROM keys WHERE agent_id = 'codex-1'`);
  await db.pool.query(`UPDATE sessions SET project = 'shop' WHERE title LIKE 'A%' OR title LIKE 'L%'`);
  await db.pool.query(
    `UPDATE handoffs SET accepted_at = initiated_at + depth * interval '7 seconds' WHERE accepted_at IS NOT NULL`,
  );
  await db.pool.query(
    `UPDATE handoffs SET closed_at = initiated_at + depth * interval '19 seconds', completed_at = CASE WHEN completed_at IS NOT NULL THEN initiated_at + depth * interval '19 seconds' END WHERE closed_at IS NOT NULL`,
  );
  await db.pool.query(
    `UPDATE handoffs SET actor_principal = $1, actor_role = 'AGENT' WHERE source_agent_id = 'codex-1'`,
    [encodeId('key', rows[0]!.id)],
  );
  all = (await handoffs({})).nodes;
  expect(all.length).toBeGreaterThan(12);
});

const msBetween = (from: string, to: string | null): number =>
  (to === null ? Date.now() : Date.parse(to)) - Date.parse(from);
const waited = ({ initiatedAt, acceptedAt, closedAt }: Row): number => msBetween(initiatedAt, acceptedAt ?? closedAt);
const lasted = ({ initiatedAt, closedAt }: Row): number => msBetween(initiatedAt, closedAt);

/** What each filter says, computed from the fields of a Handoff. */
const meaning: Record<string, (row: Row, value: never) => boolean> = {
  pipeline: (row, slug: string) => row.session.pipeline?.pipeline.slug === slug,
  stage: (row, name: string) => row.stage === name,
  fromStage: (row, name: string) => row.outcome !== null && row.previous?.stage === name,
  outcome: (row, name: string) => row.outcome === name,
  sentBack: (row, value: boolean) => row.sentBack === value,
  project: (row, value: string) => row.session.project === value,
  reasonContains: (row, text: string) =>
    [row.reason, row.rejectionReason, row.failureReason, row.cancelReason].some(
      (each) => each?.toLowerCase().includes(text.toLowerCase()) === true,
    ),
  actor: (row, value: string) =>
    row.actor.principal === value || (value === 'codex-1' && row.actor.principal.startsWith('key_')),
  waitedAtLeastSeconds: (row, seconds: number) => waited(row) >= seconds * 1_000,
  waitedAtMostSeconds: (row, seconds: number) => waited(row) <= seconds * 1_000,
  lastedAtLeastSeconds: (row, seconds: number) => lasted(row) >= seconds * 1_000,
  lastedAtMostSeconds: (row, seconds: number) => lasted(row) <= seconds * 1_000,
};

const seconds = fc.constantFrom(0, 7, 14, 15, 19, 38, 60, 1_000_000);
const filter = fc.record(
  {
    pipeline: fc.constantFrom('story', 'other'),
    stage: fc.constantFrom('reviewer', 'implementer', 'documenter', 'nowhere'),
    fromStage: fc.constantFrom('reviewer', 'implementer', 'analyst', 'nowhere'),
    outcome: fc.constantFrom('DONE', 'REJECT', 'APPROVE', 'done'),
    sentBack: fc.boolean(),
    project: fc.constantFrom('shop', 'none'),
    reasonContains: fc.constantFrom('review', 'RETRY', '%', '_', '\\', 'staging', 'forgot', 'generated', 'zebra'),
    actor: fc.constantFrom('demo', 'codex-1', 'claude-1', 'nobody'),
    waitedAtLeastSeconds: seconds,
    waitedAtMostSeconds: seconds,
    lastedAtLeastSeconds: seconds,
    lastedAtMostSeconds: seconds,
  },
  { requiredKeys: [] },
);
const most = (given: object, count: number): object => Object.fromEntries(Object.entries(given).slice(0, count));

it('handoffs are filtered by what their fields say, by each filter and by several together', async () => {
  const asked = async (where: object): Promise<void> => {
    const expected = all.filter((row) =>
      Object.entries(where).every(([name, value]) => meaning[name]!(row, value as never)),
    );
    const { nodes, totalCount } = await handoffs(where);
    expect(
      nodes.map(({ id }) => id),
      JSON.stringify(where),
    ).toEqual(expected.map(({ id }) => id));
    expect(totalCount).toBe(expected.length);
  };
  await fc.assert(
    fc.asyncProperty(filter, fc.integer({ min: 1, max: 3 }), (given, count) => asked(most(given, count))),
    { numRuns: 150 },
  );
  const found = async (where: object): Promise<number> => (await handoffs(where)).totalCount;
  expect(await found({ pipeline: 'story' })).toBe(7);
  expect(await found({ outcome: 'REJECT' })).toBe(1);
  expect(await found({ actor: 'codex-1' })).toBe(await found({ sourceAgentId: 'codex-1' }));
  expect(await found({ reasonContains: 'STAGING' })).toBe(1);
});

it('a handoff was sent back in a pipeline by an outcome that leads back, otherwise to the agent that handed it off', () => {
  for (const { outcome, sentBack, returnOf } of all)
    expect(sentBack).toBe(outcome === null ? returnOf !== null : outcome === 'REJECT');
  expect(all.filter(({ sentBack }) => sentBack)).toHaveLength(2);
});

it('a handoff waited until its acceptance, else until its end, and lasted until its end', () => {
  for (const row of all) {
    expect(row.waitedMs).toBe(row.acceptedAt === null && row.closedAt === null ? null : waited(row));
    expect(row.lastedMs).toBe(row.closedAt === null ? null : lasted(row));
  }
});

it.each(
  Object.entries({
    'a negative time': { waitedAtLeastSeconds: -1 },
    'half a second': { lastedAtMostSeconds: 1.5 },
    'a pipeline that is no slug': { pipeline: 'Not a slug' },
    'a stage of 65 characters': { stage: 'x'.repeat(65) },
    'a reason of 501 characters': { reasonContains: 'x'.repeat(501) },
    'an actor of 201 characters': { actor: 'x'.repeat(201) },
  }),
)('a filter by %s is refused', async (_name, where) => {
  const { errors } = await post(`query ($where: HandoffFilter) { handoffs(where: $where) { totalCount } }`, { where });
  expect(errors).toMatchObject([{ extensions: { code: 'BAD_USER_INPUT' } }]);
});
