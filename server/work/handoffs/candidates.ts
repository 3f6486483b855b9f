import { statement } from '../../core/changes.ts';
import type { Work } from '../../core/work.ts';
import type { Custody } from '../custody/custody.ts';
import { movedSession } from '../custody/demand.ts';
import type { Move, StartedHandoff, Target } from '../custody/mayChangeHands.ts';
import { readMove, startedHandoff } from './initiateHandoff.ts';

const findFree = statement(`
SELECT id, type, role, administrative_status AS "administrativeStatus", archived_at AS "archivedAt", current_load AS "currentLoad", max_capacity AS "maxCapacity"
FROM agents a
WHERE administrative_status = 'AVAILABLE' AND archived_at IS NULL AND current_load < max_capacity
  AND (id = ANY ($1::text[]) OR EXISTS (SELECT FROM unnest($2::text[], $3::text[]) n (role, type) WHERE (n.role IS NULL OR n.role = a.role) AND (n.type IS NULL OR n.type = a.type)))
ORDER BY current_load::float8 / max_capacity, id LIMIT 1000`);

interface Wanted {
  ids: readonly string[];
  /** Roles and types, such as those of stages; null for any. */
  needs: readonly { role: string | null; agentType: string | null }[];
}

/** The `AVAILABLE` agents with a free place that have one of these ids or meet one of the needs: the 1,000 with the lowest load ratio, lowest first. */
export const findFreeAgents = (work: Work, { ids, needs }: Wanted): Promise<Target[]> =>
  work.query<Target>(findFree, [ids, needs.map(({ role }) => role), needs.map(({ agentType }) => agentType)]);

/** The free agents that the holder could name, and the move to ask the rules about each. */
export async function holdersCandidates(
  custody: Custody,
): Promise<{ agents: Target[]; move: Move & { started: StartedHandoff } }> {
  const read = await readMove(custody, { priorTurnId: null, triggeringToolCallIds: null, targetAgentId: null });
  const started = startedHandoff(custody, read, { byAgent: false });
  const { path, collaborators, cameFrom } = started;
  const needs = (path?.ways ?? []).flatMap(({ to }) => to ?? []);
  const ids = path === null ? [...collaborators, ...(cameFrom === null ? [] : [cameFrom])] : [];
  const agents = await findFreeAgents(custody.work, { ids, needs });
  return {
    agents,
    move: { session: movedSession(custody), expectedVersion: null, target: null, agentType: null, started },
  };
}
