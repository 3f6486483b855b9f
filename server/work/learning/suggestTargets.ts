import type { Pool } from 'pg';
import { statement } from '../../core/changes.ts';
import { ownAgent, readable } from '../../core/rights.ts';
import { runWork } from '../../core/runWork.ts';
import type { Caller, Work, WorkOptions } from '../../core/work.ts';
import { Custody } from '../custody/custody.ts';
import { movedSession } from '../custody/demand.ts';
import { refusalToMove, type Move, type Target } from '../custody/mayChangeHands.ts';
import { presentStage } from '../custody/stages.ts';
import { hasMoved } from '../custody/rules.ts';
import { findFreeAgents, holdersCandidates } from '../handoffs/candidates.ts';
import { prepareContext } from '../handoffs/handOver.ts';
import { type Beginner, beginners } from './choose.ts';
import type { Outcomes } from './rules.ts';
import { bestFirst, ranked, type Occasion, type Scored, wordsOf } from './score.ts';

interface Allowed {
  sourceAgentId: string | null;
  targets: Target[];
}

const readOnly = statement('SET TRANSACTION READ ONLY');

/** The free agents that the caller may give the Session to now: an agent as initiateHandoff does, others as reassignSession does. Without a Session: as createSession does. */
async function allowedTargets(work: Work, sessionId: string | null): Promise<Allowed> {
  await work.begin();
  await work.query(readOnly, []);
  if (sessionId === null) {
    const move: Move = { session: null, expectedVersion: null, target: null, agentType: null, started: null };
    const agents = await findFreeAgents(work, { ids: [], needs: [{ role: null, agentType: null }] });
    return { sourceAgentId: null, targets: agents.filter((target) => refusalToMove({ ...move, target }) === null) };
  }
  const custody = await Custody.of(work, sessionId, { lock: false });
  return ownAgent(work.caller) === null ? operatorsTargets(custody) : holdersTargets(custody);
}

async function operatorsTargets(custody: Custody): Promise<Allowed> {
  const stage = presentStage(custody);
  const open = custody.openHandoff?.status === 'INITIATED' ? custody.openHandoff : null;
  const agents = await findFreeAgents(custody.work, {
    ids: open?.sourceAgentId == null ? [] : [open.sourceAgentId],
    needs: [{ role: stage?.role ?? null, agentType: stage?.agentType ?? null }],
  });
  const move: Move = {
    session: movedSession(custody),
    expectedVersion: null,
    target: null,
    agentType: null,
    started: null,
  };
  // Its source may take the Session back whatever the stage needs.
  const targets = agents.filter(
    (target) => refusalToMove({ ...move, target, stage: target.id === open?.sourceAgentId ? null : stage }) === null,
  );
  return { sourceAgentId: open === null ? (custody.holder?.id ?? null) : open.sourceAgentId, targets };
}

async function holdersTargets(custody: Custody): Promise<Allowed> {
  const { agents, move } = await holdersCandidates(custody);
  const { agentId } = custody.session;
  const { started } = move;
  let targets = agents.filter((target) => refusalToMove({ ...move, target }) === null);
  // Only a Handoff that repeats an earlier one needs the Context.
  if (
    targets.some(({ id }) =>
      started.earlier.some(
        (handoff) => handoff.accepted && handoff.sourceAgentId === agentId && handoff.targetAgentId === id,
      ),
    )
  ) {
    const { contentHash } = await prepareContext(
      custody,
      { summary: null, reason: null, contextVariables: null, carry: null, byOperator: false },
      null,
    );
    targets = targets.filter(
      (target) => refusalToMove({ ...move, target, started: { ...started, contentHash } }) === null,
    );
  }
  return { sourceAgentId: agentId, targets };
}

interface Asked {
  sessionId: string | null;
  /** Null: the pending tasks of the Session, else its title. */
  text: string | null;
}

/** Runs a piece of work in this turn of the event loop or in a later one. */
type InTurn = <Result>(work: () => Result) => Result | Promise<Result>;

/** The targets that `allowedTargets` finds, best first. */
export async function suggestTargets(
  { pool, log, caller }: Pick<WorkOptions, 'pool' | 'log' | 'caller'>,
  asked: Asked,
  inTurn: InTurn,
): Promise<Scored[]> {
  const allowed = await runWork({ pool, log, caller, mutation: 'suggestTargets', input: {} }, (work) =>
    allowedTargets(work, asked.sessionId),
  );
  return rankTargets(pool, caller, allowed, asked, inTurn);
}

/** The Agents that may begin with a request, best first; of those in `among`, unless it is null. */
export async function suggestBeginners(
  reader: Pick<WorkOptions, 'pool' | 'log' | 'caller'>,
  { text, among }: { text: string; among: readonly string[] | null },
  inTurn: InTurn,
): Promise<Beginner[]> {
  const suggested = (await suggestTargets(reader, { sessionId: null, text }, inTurn)).filter(
    ({ agentId }) => among?.includes(agentId) ?? true,
  );
  const { rows } = await reader.pool.query<{ id: string; sources: number }>({
    name: 'sources_among',
    text: 'SELECT collaborator_id AS id, count(*)::int AS sources FROM agent_collaborators WHERE agent_id = ANY ($1) AND collaborator_id = ANY ($1) GROUP BY 1',
    values: [suggested.map(({ agentId }) => agentId)],
  });
  return beginners(suggested, new Map(rows.map(({ id, sources }) => [id, sources])));
}

/** The allowed targets, best first. Reads only what the caller may read. */
async function rankTargets(
  pool: Pool,
  caller: Caller,
  { sourceAgentId, targets }: Allowed,
  { sessionId, text }: Asked,
  inTurn: InTurn,
): Promise<Scored[]> {
  if (targets.length === 0) return [];
  const ids = targets.map(({ id }) => id);
  const paths = await pathsTo(pool, caller, sourceAgentId, ids);
  const told = await pool.query<{
    id: string;
    role: string | null;
    description: string | null;
    when: string | null;
    costTier: unknown;
  }>(
    `SELECT a.id, a.role, a.description, c.when, a.metadata -> 'costTier' AS "costTier"
     FROM agents a LEFT JOIN agent_collaborators c ON c.agent_id = $2 AND c.collaborator_id = a.id WHERE a.id = ANY ($1)`,
    [ids, sourceAgentId],
  );
  const agents = new Map(told.rows.map((agent) => [agent.id, agent]));
  const candidates = targets.map(({ id, currentLoad, maxCapacity }) => {
    const { role, description, when, costTier } = agents.get(id)!;
    // Metadata is for operators and for the agent itself.
    return {
      id,
      currentLoad,
      maxCapacity,
      texts: [role, description, when],
      outcomes: paths.get(id) ?? {},
      costTier: ownAgent(caller) === null ? costTier : undefined,
    };
  });
  const occasion = { sourceAgentId, words: await wordsOfWork(pool, caller, sessionId, text, inTurn) };
  const found: Scored[] = [];
  for (const candidate of candidates) found.push(...(await inTurn(() => ranked([candidate], occasion))));
  return found.sort(bestFirst);
}

async function wordsOfWork(
  pool: Pool,
  caller: Caller,
  sessionId: string | null,
  text: string | null,
  inTurn: InTurn,
): Promise<Occasion['words']> {
  if (text !== null) return wordsFrom('the text', [text], inTurn);
  const { rows } = await pool.query<{ title: string; tasks: string[] }>(
    `SELECT title, to_json(ARRAY(SELECT content FROM tasks t WHERE t.session_id = s.id AND t.status <> 'DONE' AND ${readable(caller, 'Task', 't')} ORDER BY position)) AS tasks FROM sessions s WHERE id = $1`,
    [sessionId],
  );
  const [session] = rows;
  if (session === undefined) return null;
  return (
    (await wordsFrom('the pending tasks', session.tasks, inTurn)) ??
    (await wordsFrom('the title', [session.title], inTurn))
  );
}

async function wordsFrom(from: string, texts: readonly string[], inTurn: InTurn): Promise<Occasion['words']> {
  const words = new Set<string>();
  for (const text of texts) for (const word of await inTurn(() => wordsOf([text]))) words.add(word);
  return words.size === 0 ? null : { from, in: words };
}

/** What became of the Handoffs from this agent, or from any, that the caller may read, by target. */
async function pathsTo(
  pool: Pool,
  caller: Caller,
  sourceAgentId: string | null,
  targetAgentIds: readonly string[],
): Promise<Map<string, Outcomes>> {
  const path = `target_agent_id = ANY ($1)${sourceAgentId === null ? '' : ' AND source_agent_id = $2'}`;
  const counts =
    ownAgent(caller) === null
      ? `SELECT target_agent_id, outcome, count FROM handoff_path_counts WHERE day = '-infinity' AND ${path}
         UNION ALL SELECT target_agent_id, outcome, count FROM handoff_path_changes WHERE ${path}`
      : `SELECT target_agent_id, status::text AS outcome, 1 AS count FROM handoffs t WHERE ${path} AND ${hasMoved('t')} AND ${readable(caller, 'Handoff', 't')}`;
  const { rows } = await pool.query<{ target: string; outcomes: Outcomes }>(
    `SELECT target_agent_id AS target, jsonb_object_agg(outcome, count) AS outcomes
     FROM (SELECT target_agent_id, outcome, sum(count) AS count FROM (${counts}) c GROUP BY 1, 2) s GROUP BY 1`,
    [targetAgentIds, ...(sourceAgentId === null ? [] : [sourceAgentId])],
  );
  return new Map(rows.map(({ target, outcomes }) => [target, outcomes]));
}
