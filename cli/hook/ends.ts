import { ask, Failed, type Server } from './request.ts';
import { externalIdsHere, type Work } from './work.ts';

/** Sessions that a hook made and that end by themselves. */

const idleDays = 7;
const dayMs = 24 * 60 * 60 * 1_000;
/** Sessions that are looked at in one day. */
const mostLookedAt = 50;

interface Open {
  id: string;
  version: number;
  status: string;
  externalId: string | null;
  lastActivityAt: string;
  previousAgentType: string | null;
  agent: { id: string } | null;
  agentSession: { state: string } | null;
  pipeline: { stage: string | null } | null;
}

const fields =
  'id version status externalId lastActivityAt previousAgentType agent { id } agentSession { state } pipeline { stage }';
const findCleared = `query HookCleared($externalId: String!) { session(externalId: $externalId) { ${fields} } }`;
const findIdle = `query HookIdle($agent: ID!) { sessions(first: ${mostLookedAt}, where: { agentId: $agent, status: [RUNNING] }, orderBy: { field: LAST_ACTIVITY, direction: ASC }) { nodes { ${fields} } } }`;
const complete =
  'mutation HookComplete($input: CompleteSessionInput!) { answer: completeSession(input: $input) { __typename ... on Error { code message } } }';

/** Completes the session of a conversation that was cleared, unless another agent ever had it. @throws Failed */
export async function endCleared(
  server: Server,
  agent: string,
  { externalId }: Work,
  signal: AbortSignal,
): Promise<void> {
  const { session } = await ask<{ session: Open | null }>(server, findCleared, { externalId }, signal);
  if (session !== null && isEndable(agent, session) && session.previousAgentType === null)
    await end(server, session, 'The conversation was cleared.', signal);
}

/** Completes the agent's sessions of this machine in which nothing happened for a week, but not that of this work. @throws Failed */
export async function endIdle(
  server: Server,
  agent: string,
  { externalId: here }: Work,
  signal: AbortSignal,
): Promise<void> {
  const { sessions } = await ask<{ sessions: { nodes: Open[] } }>(server, findIdle, { agent }, signal);
  for (const session of sessions.nodes) {
    const { externalId, lastActivityAt } = session;
    const isIdle = Date.now() - Date.parse(lastActivityAt) > idleDays * dayMs;
    if (
      !isIdle ||
      externalId === null ||
      externalId === here ||
      !externalId.startsWith(externalIdsHere) ||
      !isEndable(agent, session)
    )
      continue;
    // Another change came first: the session is not idle.
    await end(server, session, `No turn for ${idleDays} days.`, signal).catch((error: unknown) => {
      if (!(error instanceof Failed) || error.code !== 'CONFLICT') throw error;
    });
  }
}

/** A paused session waits for a person, one of a pipeline for its outcome. */
const isEndable = (agent: string, { status, agent: holder, agentSession, pipeline }: Open): boolean =>
  status === 'RUNNING' && holder?.id === agent && agentSession?.state === 'ACTIVE' && pipeline === null;

const end = (server: Server, { id, version }: Open, summary: string, signal: AbortSignal): Promise<unknown> =>
  ask(server, complete, { input: { sessionId: id, expectedVersion: version, summary } }, signal);
