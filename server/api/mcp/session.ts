import { type Desk, isHere, type Workspace, workspaceFields } from './ask.ts';
import { pressedFields, type Pressed } from './proposals.ts';
import { Refused, named } from './result.ts';

/** Behind a title: where its work is done. */
export const placeOf = (workspace: Workspace | null): string =>
  workspace === null ? '' : ` in ${named(workspace.folder)} on ${named(workspace.host)}`;

/** The fields of a Session that the tools show, and how. */
export interface HeldSession extends Pressed {
  status: string;
  agentSession: (Pressed['agentSession'] & { state: string }) | null;
  stuckBecause: string[];
  pipeline: {
    stage: string | null;
    guide: string | null;
    pipeline: { transitions: { from: string; outcome: string }[] };
  } | null;
}

export const sessionFields = `${pressedFields} status stuckBecause pipeline { stage guide pipeline { transitions { from outcome } } }`;

/** The most Sessions that answers list. */
const most = 20;

const heldDocument = `query ($agentId: ID!) { sessions(first: ${most}, where: { agentId: $agentId, status: [RUNNING, PAUSED] }, orderBy: { field: UPDATED_AT }) { nodes { ${sessionFields} } } }`;

/** The open Sessions that the agent holds, the last changed first. */
export async function heldSessions({ agentId, query }: Desk): Promise<HeldSession[]> {
  if (agentId === null) return [];
  const { sessions } = await query<{ sessions: { nodes: HeldSession[] } }>(heldDocument, { agentId });
  return sessions.nodes;
}

/** The outcomes of the stage in which a Session is; none outside of pipelines. */
export function outcomesOf({ pipeline }: Pick<HeldSession, 'pipeline'>): string[] {
  if (pipeline === null || pipeline.stage === null) return [];
  return [
    ...new Set(
      pipeline.pipeline.transitions.filter(({ from }) => from === pipeline.stage).map(({ outcome }) => outcome),
    ),
  ];
}

interface Held {
  id: string;
  title: string;
  workspace: Workspace | null;
  agentSession: { state: string } | null;
}

/** More than anybody names in an answer. */
const mostHeld = 100;
const meantDocument = `query ($agentId: ID!, $workspaceId: String) { sessions(first: ${mostHeld}, where: { agentId: $agentId, status: [RUNNING], workspaceId: $workspaceId }, orderBy: { field: UPDATED_AT }) { nodes { id title ${workspaceFields} agentSession { state } } pageInfo { hasNextPage } } }`;

/**
 * The id of the Session that a call means: the one that it names, else the one of the run from which it comes, else the only active
 * one of its workspace. Without a workspace a call means Sessions without one: work in another folder is never guessed.
 * @throws Refused
 */
export async function sessionMeant(desk: Desk, given: string | undefined): Promise<string> {
  const { workspaceId, sessionId } = desk.place;
  if (given !== undefined || sessionId !== null) return (given ?? sessionId)!;
  const [here, isAll] = await activeSessions(desk, workspaceId);
  const meant = here.filter(({ workspace }) => isHere(desk, workspace));
  if (meant.length === 1 && isAll) return meant[0]!.id;
  const active = meant.length > 0 ? meant : (await activeSessions(desk, null))[0];
  if (active.length === 0)
    throw new Refused(
      `You have no active session. Call baton_inbox: it lists what waits for you.${workspaceId === null ? '' : ` ${unrecordedAdvice}`}`,
      'NO_ACTIVE_SESSION',
      { sessions: [] },
    );
  const sessions = active.slice(0, most).map(({ id, title, workspace }) => ({ id, title, workspace }));
  const choice = `Name one of them as session: ${sessions.map(({ id, title, workspace }) => `${id} ${named(title)}${placeOf(workspace)}`).join('; ')}.`;
  throw meant.length > 0
    ? new Refused(`You have ${active.length} active sessions here. ${choice}`, 'SEVERAL_ACTIVE_SESSIONS', { sessions })
    : new Refused(
        `None of your active sessions is of this folder.${workspaceId === null ? '' : ` ${unrecordedAdvice}`} ${choice}`,
        'SESSION_ELSEWHERE',
        { sessions },
      );
}

async function activeSessions({ agentId, query }: Desk, workspaceId: string | null): Promise<[Held[], isAll: boolean]> {
  if (agentId === null) return [[], true];
  const { sessions } = await query<{ sessions: { nodes: Held[]; pageInfo: { hasNextPage: boolean } } }>(meantDocument, {
    agentId,
    workspaceId,
  });
  return [
    sessions.nodes.filter(({ agentSession }) => agentSession?.state === 'ACTIVE'),
    !sessions.pageInfo.hasNextPage,
  ];
}

const recordedDocument = `query ($id: ID!) { session(id: $id) { title agentSession { turns(first: 1) { nodes { id } } } } }`;

/**
 * Refuses to pass on a Session of which this tenure recorded nothing, in a connected folder whose hooks name the Session of each call:
 * they have not run, and the next agent would get nothing of this turn. A call that names the Session is not refused.
 * @throws Refused
 */
export async function demandRecorded({ place, query }: Desk, id: string, given: string | undefined): Promise<void> {
  if (given !== undefined || place.workspaceId === null || place.sessionId !== null) return;
  const { session } = await query<{
    session: Pick<Held, 'title'> & { agentSession: { turns: { nodes: object[] } } | null };
  }>(recordedDocument, { id });
  if (session?.agentSession?.turns.nodes.length !== 0) return;
  throw new Refused(
    `Nothing of your turn is recorded in ${id} ${named(session.title)}, so that the next agent would not get it. ${hooksAdvice} Record what you did and found with baton_note, then call this again with ${id} as session. Or run 'baton handoff <agent>' in the folder: it imports your log first.`,
    'TURN_NOT_RECORDED',
    { session: id },
  );
}

/** In a folder that is connected. */
export const hooksAdvice =
  "Baton's hooks have not run in this folder: in Codex, the user approves them with /hooks. Tell the user.";

/** In a folder that is connected, of an agent that holds no active Session there. It may not read those of others. */
const unrecordedAdvice =
  "If you began work here, it is not recorded: another agent holds the work of this folder, or Baton's hooks have not run in it, which the user of Codex approves with /hooks. Tell the user.";

/** How the work on a Session goes on, as advice to a model. */
export function adviceFor(session: Pick<HeldSession, 'pipeline'>): string {
  const outcomes = outcomesOf(session);
  if (outcomes.length === 0)
    return 'Record what you do with baton_note. To pass the session on, call baton_handoff or a transfer_to_ tool. When all of its work is done, call baton_handoff with outcome COMPLETED.';
  return `Record what you do with baton_note. The session is in stage '${session.pipeline!.stage}' of a pipeline: when its work is done, call baton_handoff with outcome ${outcomes.join(' or ')}.`;
}
