import { distance } from 'fastest-levenshtein';
import { statement } from '../../core/changes.ts';
import { NotFoundError, UnknownHandoffTargetError, type TargetCandidate } from '../../core/errors.ts';
import type { Work } from '../../core/work.ts';
import { meantBy } from '../agents/meant.ts';
import { inline } from '../context/neutralise.ts';
import type { Custody } from '../custody/custody.ts';
import { fitsStage } from '../custody/mayChangeHands.ts';
import type { Stage } from '../custody/pipeline.ts';
import type { LockedAgent } from '../custody/read.ts';

/** The agent that a caller names: by its id, else by a display name, a role or a type that one agent alone has. */

/** What a name was found to mean. */
interface Meant {
  /** Null when it means no agent, or several. */
  agentId: string | null;
  candidates: TargetCandidate[];
  isAmbiguous: boolean;
}

/** The stages in which the target may work, and why; null outside of stages. */
export type Stages = readonly { stage: Stage; by: string }[] | null;

/** Where the Session may go. */
interface Reach {
  stages: Stages;
  cameFrom: string | null;
  holderId: string | null;
}

const keyOf = (name: string): string => `agent meant by ${name}`;

/** The id of the agent that is named, as far as it is known: read the custody with it, and call `demandTarget`. */
export const idMeant = (work: Work, name: string): string => work.known<Meant>(keyOf(name))?.agentId ?? name;

/**
 * The locked agent that is named. Names are looked up outside of the transaction, when no agent has the id; the command runs
 * again then. @throws NotFoundError with the candidates
 */
export function demandTarget(custody: Custody, name: string, stages: () => Stages): LockedAgent {
  const found = custody.agent(idMeant(custody.work, name));
  if (found !== null) return found;
  const { candidates, isAmbiguous } = meant(custody, name, stages());
  throw new NotFoundError('agent', name, candidates, isAmbiguous);
}

/** The refusal of a call with the agents that it may name. */
export function withCandidates(
  custody: Custody,
  refusal: UnknownHandoffTargetError,
  stages: Stages,
): UnknownHandoffTargetError {
  const { candidates } = meant(custody, refusal.target, stages);
  return new UnknownHandoffTargetError(refusal.message, refusal.target, refusal.suggestions, candidates);
}

function meant({ work, session, active }: Custody, name: string, stages: Stages): Meant {
  const holderId = session.agentId;
  const reach = { stages, cameFrom: active.find((id) => id !== holderId) ?? null, holderId };
  return work.outside(keyOf(name), () => findMeant(work, name, reach));
}

const readAgents = statement(`
SELECT a.id, a.name, a.role, a.type, a.administrative_status AS status, a.current_load < a.max_capacity AS "isFree",
  c.collaborator_id IS NOT NULL AS collaborates, c."when"
FROM agents a LEFT JOIN agent_collaborators c ON c.agent_id = $1 AND c.collaborator_id = a.id
WHERE a.archived_at IS NULL ORDER BY a.id`);

interface Row {
  id: string;
  name: string;
  role: string | null;
  type: string;
  status: string;
  isFree: boolean;
  collaborates: boolean;
  when: string | null;
}

async function findMeant({ pool }: Work, name: string, reach: Reach): Promise<Meant> {
  const { rows } = await pool.query<Row>({ ...readAgents, values: [reach.holderId] });
  const others = rows.filter(({ id }) => id !== reach.holderId);
  const reasons = new Map(others.flatMap((agent) => (reasonOf(agent, reach) === null ? [] : [[agent.id, agent]])));
  const found = meantBy(others, name, ({ id }) => reasons.has(id));
  const [one] = found.length === 0 ? meantBy(rows, name, () => true) : found;
  if (one !== undefined && found.length <= 1) return { agentId: one.id, candidates: [], isAmbiguous: false };
  const among = found.length > 1 ? found : reasons.size > 0 ? [...reasons.values()] : others;
  return {
    agentId: null,
    candidates: nearest(among, name).map((agent) => candidateOf(agent, reach)),
    isAmbiguous: found.length > 1,
  };
}

/** Why the Session may go to an agent; null when nothing says so. */
function reasonOf({ id, role, type, collaborates, when }: Row, { stages, cameFrom }: Reach): string | null {
  const stage = stages?.find((each) => fitsStage({ role, type }, each.stage));
  if (stages !== null) return stage === undefined ? null : `fits stage '${stage.stage.name}'${stage.by}`;
  if (collaborates) return when === null ? 'a collaborator' : `a collaborator: ${when}`;
  return id === cameFrom ? 'the agent from which the session came' : null;
}

const mostCandidates = 20;
const longest = 120;
const short = (text: string): string => {
  const line = inline(text);
  return line.length <= longest ? line : `${line.slice(0, longest).replace(/[\ud800-\udbff]$/, '')}…`;
};

function nearest(agents: readonly Row[], name: string): Row[] {
  const wanted = name.toLowerCase().slice(0, longest);
  const away = ({ id, name: shown }: Row): number =>
    Math.min(distance(id, wanted), distance(shown.toLowerCase().slice(0, longest), wanted));
  return agents
    .map((agent) => ({ agent, away: away(agent) }))
    .sort((a, b) => a.away - b.away || (a.agent.id < b.agent.id ? -1 : 1))
    .slice(0, mostCandidates)
    .map(({ agent }) => agent);
}

const candidateOf = (agent: Row, reach: Reach): TargetCandidate => {
  const { id, name, role, type, status, isFree } = agent;
  const parts = [
    reasonOf(agent, reach),
    role === null || role === '' ? null : `role ${role}`,
    `type ${type}`,
    status !== 'AVAILABLE' ? status : isFree ? null : 'no free place now',
  ];
  return { id, name: short(name), why: short(parts.filter((part) => part !== null).join(', ')) };
};
