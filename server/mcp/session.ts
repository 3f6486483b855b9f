import type { Desk } from './ask.ts';
import { pressedFields, type Pressed } from './proposals.ts';
import { Refused, named } from './result.ts';

/** The fields of a Session that the tools show, and how. */
export interface HeldSession extends Pressed {
  status: string;
  agentSession: (Pressed['agentSession'] & { state: string }) | null;
  pipeline: {
    stage: string | null;
    guide: string | null;
    pipeline: { transitions: { from: string; outcome: string }[] };
  } | null;
}

export const sessionFields = `${pressedFields} status pipeline { stage guide pipeline { transitions { from outcome } } }`;

/** The most Sessions that answers list. */
const most = 20;

const heldDocument = `query ($agentId: ID!) { sessions(first: ${most}, where: { agentId: $agentId, status: [RUNNING, PAUSED] }, orderBy: { field: UPDATED_AT }) { nodes { ${sessionFields} } } }`;

/** The open Sessions that the agent holds, the last changed first. */
export async function heldSessions({ agentId, query }: Desk): Promise<HeldSession[]> {
  if (agentId === null) return [];
  const { sessions } = await query<{ sessions: { nodes: HeldSession[] } }>(heldDocument, { agentId });
  return sessions.nodes;
}

export const isActive = ({ agentSession }: HeldSession): boolean => agentSession?.state === 'ACTIVE';

/** The outcomes of the stage in which a Session is; none outside of pipelines. */
export function outcomesOf({ pipeline }: Pick<HeldSession, 'pipeline'>): string[] {
  if (pipeline === null || pipeline.stage === null) return [];
  return [
    ...new Set(
      pipeline.pipeline.transitions.filter(({ from }) => from === pipeline.stage).map(({ outcome }) => outcome),
    ),
  ];
}

/** The id of the Session that a call means: the one that it names, else the only one that is ACTIVE. @throws Refused */
export async function sessionMeant(desk: Desk, given: string | undefined): Promise<string> {
  if (given !== undefined) return given;
  const held = await heldSessions(desk);
  const active = held.filter(isActive);
  if (active.length === 1) return active[0]!.id;
  if (active.length === 0)
    throw new Refused(
      'You have no active session. Call baton_inbox: it lists what waits for you.',
      'NO_ACTIVE_SESSION',
      { sessions: [] },
    );
  const sessions = active.map(({ id, title }) => ({ id, title }));
  throw new Refused(
    `You have ${active.length} active sessions. Name one of them as session: ${sessions.map(({ id, title }) => `${id} ${named(title)}`).join('; ')}.`,
    'SEVERAL_ACTIVE_SESSIONS',
    { sessions },
  );
}

/** How the work on a Session goes on, as advice to a model. */
export function adviceFor(session: Pick<HeldSession, 'pipeline'>): string {
  const outcomes = outcomesOf(session);
  if (outcomes.length === 0)
    return 'Record what you do with baton_note. To pass the session on, call baton_handoff or a transfer_to_ tool. When all of its work is done, call baton_handoff with outcome COMPLETED.';
  return `Record what you do with baton_note. The session is in stage '${session.pipeline!.stage}' of a pipeline: when its work is done, call baton_handoff with outcome ${outcomes.join(' or ')}.`;
}
