import type { Pool } from 'pg';
import { statement } from '../../core/changes.ts';
import type { Prisma, SessionStatus } from '../../generated/prisma/client.ts';
import { atMaxHandoffs } from './stuck.ts';

/** Minutes without activity after which the holder of a Session counts as silent. */
export const silentAfterMinutes = 30;

type Condition = Omit<Prisma.SessionWhereInput, 'status'> & { status: SessionStatus | { in: SessionStatus[] } };

/** What the situations are compared with: facts that no condition of a Session's row can say. */
interface Moment {
  /** A Session whose last activity was before this time is silent. */
  silentBefore: Date;
  /** Sessions whose agents started as many Handoffs as `maxHandoffs` allows. */
  atLimit: string[];
}

const waits = { lastHandoff: { status: 'INITIATED' } } satisfies Prisma.SessionWhereInput;
const asksPerson = { approvals: { some: { decidedAt: null } } } satisfies Prisma.SessionWhereInput;
const neither = { OR: [waits, asksPerson] } satisfies Prisma.SessionWhereInput;
const mayGetATurn = { escalated: false } satisfies Prisma.QueueEntryWhereInput;

/** The one definition of a Session's situation: exactly one of these conditions holds for every Session (rule: situation). */
const conditionsAt = ({ silentBefore, atLimit }: Moment) =>
  ({
    WORKING: {
      status: 'RUNNING',
      lastActivityAt: { gte: silentBefore },
      id: { notIn: atLimit },
      NOT: neither,
    },
    SILENT: {
      status: 'RUNNING',
      lastActivityAt: { lt: silentBefore },
      id: { notIn: atLimit },
      NOT: neither,
    },
    LIMIT_REACHED: { status: 'RUNNING', id: { in: atLimit }, NOT: neither },
    WAITING_FOR_ACCEPTANCE: { status: 'RUNNING', ...waits },
    WAITING_FOR_PERSON: { status: { in: ['RUNNING', 'PAUSED'] }, ...asksPerson },
    QUEUED: { status: 'PAUSED', agentId: null, queueEntry: { ...mayGetATurn, suspended: false } },
    PAUSED: {
      status: 'PAUSED',
      NOT: asksPerson,
      OR: [{ agentId: { not: null } }, { queueEntry: { ...mayGetATurn, suspended: true } }],
    },
    WITHOUT_HOLDER: { status: 'PAUSED', agentId: null, NOT: { queueEntry: mayGetATurn } },
    COMPLETED: { status: 'COMPLETED' },
    FAILED: { status: 'FAILED' },
    CANCELLED: { status: 'CANCELLED' },
  }) satisfies Record<string, Condition>;

export type Situation = keyof ReturnType<typeof conditionsAt>;

const readMoment = statement(`SELECT clock_timestamp() - interval '${silentAfterMinutes} minutes' AS "silentBefore",
  ARRAY(SELECT id FROM (${atMaxHandoffs}) f WHERE $1::uuid[] IS NULL OR id = ANY ($1) ORDER BY id DESC LIMIT 10000) AS "atLimit"`);

/** The condition of each situation now. `ids`: for these Sessions; null for all, of which the newest 10,000 at their limit count as that. */
export async function situations(pool: Pool, ids: readonly string[] | null): Promise<Record<Situation, Condition>> {
  const { rows } = await pool.query<Moment>({ ...readMoment, values: [ids] });
  return conditionsAt(rows[0]!);
}

/** The condition of Sessions that are in one of these situations. */
export async function inSituations(pool: Pool, chosen: readonly Situation[]): Promise<Prisma.SessionWhereInput> {
  const conditions = await situations(pool, null);
  const oneOf = chosen.map((situation) => conditions[situation]);
  // The statuses stand alone for the index of statuses: PostgreSQL finds none in an OR of conditions that look at other tables.
  const statuses = oneOf.flatMap(({ status }) => (typeof status === 'string' ? status : status.in));
  return { status: { in: [...new Set(statuses)] }, OR: oneOf };
}
