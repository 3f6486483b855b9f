import { statement } from '../../core/changes.ts';
import { fromColumns } from '../../core/rows.ts';
import { batonItself, type Work } from '../../core/work.ts';
import type { QueueEntry } from '../../generated/prisma/client.ts';
import { addressedTo, type StoredVariables } from '../context/context.ts';
import { fitContext } from '../context/fitContext.ts';
import { Custody } from '../custody/custody.ts';
import { takesSessions } from '../custody/mayChangeHands.ts';
import {
  custodyColumns,
  pipelineOf,
  pipelineSql,
  type PipelineRow,
  type HeldSession,
  type LastHandoff,
  type LockedAgent,
  type QueuedSession,
  type Tenure,
} from '../custody/read.ts';
import { readVisible } from '../custody/snapshot.ts';
import { giveStage } from '../custody/stages.ts';
import { handOver } from '../handoffs/handOver.ts';
import { type CarriedEntry, finisherAmong } from './entry.ts';
import { wantedOf } from './rules.ts';

export const queueItself = batonItself('queue');

/** Sessions that one statement takes from the queue. */
const most = 100;

/** Entries beyond the asked number, in case other transactions are giving places to the first ones. */
const slack = 32;

// The only locks on Sessions that are taken after locks on agents: SKIP LOCKED, so that nobody waits (rule: lock order).
// The entries are found by one index scan for each of the wanted texts, whatever the length of the queue. An agent does
// not get a Session that it has just let go. PostgreSQL would read the whole queue with a parameter as LIMIT, and with
// "wanted =": another index gives that order too.
const takeHeads = statement(`
WITH best AS MATERIALIZED (
  SELECT x.id FROM unnest($1::text[]) AS k (wanted) CROSS JOIN LATERAL (
    SELECT e.id, e.effective_at FROM queue_entries e
    WHERE e.wanted >= k.wanted AND e.wanted <= k.wanted AND NOT e.suspended AND NOT e.escalated AND NOT $2 = ANY (e.excluded_agent_ids) AND NOT e.id = ANY ($4::uuid[])
    ORDER BY e.wanted, e.effective_at, e.id LIMIT ${most + slack}) x
  ORDER BY x.effective_at, x.id LIMIT ${most + slack}),
e AS MATERIALIZED (
  SELECT * FROM queue_entries WHERE id IN (SELECT id FROM best) AND NOT suspended AND NOT escalated
  ORDER BY effective_at, id LIMIT $3::int FOR UPDATE SKIP LOCKED),
s AS MATERIALIZED (
  SELECT ${custodyColumns.session} FROM sessions WHERE id IN (SELECT session_id FROM e) FOR NO KEY UPDATE SKIP LOCKED)
SELECT clock_timestamp() AS now,
  (SELECT row_to_json(q) FROM (SELECT ${custodyColumns.queued}) q) AS queued,
  e.reason, e.summary, e.metadata, e.via, e.carried, e.accept_within_minutes AS "acceptWithinMinutes",
  (SELECT row_to_json(s) FROM s WHERE s.id = e.session_id) AS session,
  (SELECT row_to_json(x) FROM (SELECT ${custodyColumns.tenure} FROM agent_sessions t JOIN s ON t.id = s.last_agent_session_id WHERE s.id = e.session_id) x) AS tenure,
  (SELECT row_to_json(x) FROM (SELECT ${custodyColumns.handoff} FROM handoffs h JOIN s ON h.id = s.last_handoff_id WHERE s.id = e.session_id) x) AS handoff,
  (SELECT coalesce(json_agg(agent_id), '[]') FROM (
    SELECT agent_id FROM agent_sessions WHERE session_id = e.session_id AND activated_at IS NOT NULL
    GROUP BY agent_id ORDER BY max(started_at) DESC, max(id::text) DESC) x) AS active,
  ${pipelineSql('s', 'e.session_id')} AS pipeline
FROM e ORDER BY e.effective_at, e.id`);

const findAny = statement('SELECT 1 FROM queue_entries WHERE NOT suspended AND NOT escalated LIMIT 1');

/** How a queued Session moves at its turn, as its entry keeps it. */
export interface QueuedMove extends Pick<
  QueueEntry,
  'reason' | 'summary' | 'metadata' | 'via' | 'acceptWithinMinutes'
> {
  carried: CarriedEntry;
}

interface Row extends QueuedMove {
  now: Date;
  queued: object;
  /** Null when another transaction has locked the Session. */
  session: object | null;
  tenure: object | null;
  handoff: object | null;
  active: string[];
  pipeline: PipelineRow;
}

/**
 * Gives the free places of the agents that this work has freed to the Sessions that wait longest for them. A Session that is
 * locked keeps its place before the later ones: the free place is left to `assignQueued`, which passes over it.
 */
export async function giveFreedPlaces(work: Work, { passOver = false } = {}): Promise<void> {
  if (work.nobodyWaits) return;
  const agents = [...work.freed.values()].map((agent) => agent as LockedAgent).filter(takesSessions);
  if (agents.length > 1 && (await work.query(findAny, [])).length === 0) return;
  const seen: string[] = [];
  for (const agent of agents) {
    for (let more = true; more && takesSessions(agent);) {
      const asked = Math.min(agent.maxCapacity - agent.currentLoad, most);
      const rows = await work.query<Row>(takeHeads, [wantedOf(agent), agent.id, asked, seen]);
      for (const { session, ...row } of rows) {
        const queued = fromColumns<QueuedSession>(row.queued);
        seen.push(queued.id);
        // A Session may have been queued after this work began: its next events may not have an earlier time.
        work.now = row.now;
        if (session !== null)
          await work.as(queueItself, () => giveTo(work, agent, queued, fromColumns<HeldSession>(session), row));
        else if (!passOver) return;
      }
      more = rows.length === asked;
    }
  }
}

function giveTo(
  work: Work,
  agent: LockedAgent,
  queued: QueuedSession,
  session: HeldSession,
  row: Omit<Row, 'session'>,
): Promise<void> {
  const custody = new Custody(work, {
    session,
    tenure: row.tenure && fromColumns<Tenure>(row.tenure),
    handoff: row.handoff && fromColumns<LastHandoff>(row.handoff),
    agents: [agent],
    active: row.active,
    limits: {},
    pipeline: pipelineOf(row.pipeline),
    queued,
    approval: null,
    isAwaited: false,
    contextWindow: null,
  });
  return giveQueued(custody, agent, queued, row);
}

/** Gives a queued Session to an agent with a free place. */
export async function giveQueued(
  custody: Custody,
  agent: LockedAgent,
  queued: QueuedSession,
  { carried, reason, summary, metadata, via, acceptWithinMinutes }: QueuedMove,
): Promise<void> {
  const { work, session } = custody;
  custody.leaveQueue();
  const log = Object.entries(carried.log).every(
    ([name, count]) => session[name as keyof CarriedEntry['log']] === count,
  );
  const visible = log ? carried.visible : await readVisible(work, session);
  if (carried.handoff === null || via === null || acceptWithinMinutes === null) {
    custody.setStatus('RUNNING', { lastReassignedAt: work.now });
    custody.beginTenure(agent, 'ACTIVE', visible, carried.limit);
    giveStage(custody, agent.id);
    custody.recordCustody('SESSION_REASSIGNED', { reason, summary, metadata });
    return;
  }
  const { context, contentHash, carry, limit, lastTurnId, lastTurnCallIds } = carried.handoff;
  const finisher = finisherAmong(queued);
  handOver(
    custody,
    {
      context: fitContext(
        addressedTo(context, { from: finisher?.agentId ?? null, to: agent.id, instructions: agent.instructions }),
      ),
      sources: { visible, lastTurnId, lastTurnCallIds: [...lastTurnCallIds] },
      contentHash,
      carry,
      limit,
      variables: session.contextVariables as StoredVariables,
    },
    { target: agent, via, reason, summary, metadata, staleAfterMinutes: acceptWithinMinutes, finisher },
  );
}
