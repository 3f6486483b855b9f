import { isPassing } from './reach.ts';
import { ask, Failed, type Server } from './request.ts';
import type { Work } from './work.ts';
import { type RecordedTree, recordedTreeFields } from './workingTree.ts';

export interface Session {
  id: string;
  title: string;
  status: string;
  agent: { id: string; currentLoad?: number; maxCapacity?: number } | null;
  /** Whether its agent holds more sessions than it has places. */
  overCapacity?: boolean;
  workspace: { id: string } | null;
  openHandoff: { id: string; status: string; reason?: string | null } | null;
  /** As it was recorded last. */
  workingTree?: RecordedTree | null;
  /** The holder's tenure. */
  agentSession?: { proposal: { metadata: Proposal } | null } | null;
}

/** What others decided about the agent's work, in words of the API. */
export interface Notice {
  id: string;
  /** Absent where it was not asked for. */
  decision?: string | null;
  text: string;
  /** When a program was told. */
  toldAt: string | null;
}

/** `metadata` of HANDOFF_PROPOSED. */
export interface Proposal {
  windowTokens: number | null;
  contextWindow: number | null;
  compaction: boolean;
  targets: { agentId: string; outcome: string | null }[];
}

export interface WaitingHandoff {
  id: string;
  reason: string | null;
  sourceAgent: { id: string } | null;
  session: { id: string; title: string; workspace: { host: string; folder: string } | null };
}

const sessionFields =
  'session(id: $id, externalId: $externalId) { id title status agent { id currentLoad maxCapacity } overCapacity workspace { id } openHandoff { id status';
const findSession = `query HookSession($id: ID, $externalId: String) { ${sessionFields} } } }`;
const findWork = `query HookWork($id: ID, $externalId: String, $agent: ID!) { ${sessionFields} reason } ${recordedTreeFields}
  agentSession { proposal { metadata } } }
  agent(id: $agent) { notices(sessionId: $id, externalId: $externalId) { id text toldAt } }
  handoffs(first: 6, where: { targetAgentId: $agent, status: [INITIATED] }) { nodes { id reason sourceAgent { id } session { id title workspace { host folder } } } } }`;
const create = `mutation HookCreate($input: CreateSessionInput!) { answer: createSession(input: $input) {
  ... on CreateSessionPayload { session { id title status agent { id currentLoad maxCapacity } overCapacity workspace { id } } } ... on Error { code message } ... on ConflictError { sessionId } } }`;

/** Which session: the one that is named, else that of the folder and branch. */
const which = ({ sessionId, externalId }: Work): object => (sessionId === null ? { externalId } : { id: sessionId });

/** Returns the last session of the work when it is open, or creates one that the agent holds. The named one may be finished. Null: a session exists, and the agent may not read it. @throws Failed */
export const sessionOf = async (
  server: Server,
  agent: string,
  work: Work,
  last: Session | null,
  signal: AbortSignal,
): Promise<Session | null> => (isOpen(last) || work.sessionId !== null ? last : createFor(server, agent, work, signal));

/** The newest session of the work, open or not. Null: none, or one that the agent may not read. @throws Failed */
export const lastSessionOf = async (server: Server, work: Work, signal: AbortSignal): Promise<Session | null> =>
  (await ask<{ session: Session | null }>(server, findSession, which(work), signal)).session;

/**
 * The same, with the handoffs that wait for the agent. Work that is new on this machine probably has no session: it is
 * created without a look, and looked for when it cannot be; what waits for the agent is then not asked for (null). @throws Failed
 */
export async function workOf(
  server: Server,
  agent: string,
  work: Work,
  isNew: boolean,
  signal: AbortSignal,
): Promise<{ session: Session | null; waiting: WaitingHandoff[] | null; notices: Notice[] }> {
  let refused: Failed | null = null;
  if (isNew && work.sessionId === null) {
    try {
      return { session: await createdFor(server, agent, work, signal), waiting: null, notices: [] };
    } catch (error) {
      if (!(error instanceof Failed) || isPassing(error)) throw error;
      refused = error;
    }
  }
  const found = await ask<{
    session: Session | null;
    agent: { notices: Notice[] } | null;
    handoffs: { nodes: WaitingHandoff[] };
  }>(server, findWork, { ...which(work), agent }, signal);
  const { session } = found;
  const [waiting, notices] = [found.handoffs.nodes, found.agent?.notices ?? []];
  if (isOpen(session) || work.sessionId !== null) return { session, waiting, notices };
  // A session that this agent may not read.
  if (refused?.code === 'CONFLICT') return { session: null, waiting, notices };
  if (refused !== null) throw refused;
  return { session: await createFor(server, agent, work, signal), waiting, notices };
}

const isOpen = (session: Session | null): session is Session =>
  session?.status === 'RUNNING' || session?.status === 'PAUSED';

export const isEnded = (session: Session): boolean => !isOpen(session);

/** @throws Failed */
async function createdFor(server: Server, agent: string, work: Work, signal: AbortSignal): Promise<Session> {
  const { externalId, title, project } = work;
  const { id: _, ...workspace } = work.workspace;
  const { answer } = await ask<{ answer: { session: Session } }>(
    server,
    create,
    { input: { title, externalId, project, workspace, agentId: agent, recording: true } },
    signal,
  );
  return { ...answer.session, openHandoff: null };
}

async function createFor(server: Server, agent: string, work: Work, signal: AbortSignal): Promise<Session | null> {
  try {
    return await createdFor(server, agent, work, signal);
  } catch (error) {
    // Another process was faster, or the session is one that this agent may not read.
    if (!(error instanceof Failed) || error.code !== 'CONFLICT') throw error;
    const session = await lastSessionOf(server, work, signal);
    return isOpen(session) ? session : null;
  }
}

const confirm = `mutation HookNotice($input: ConfirmNoticeInput!) { answer: confirmNotice(input: $input) { __typename ... on Error { code message } } }`;

/** Records that the agent was told. @throws Failed */
export const confirmNotice = (server: Server, noticeId: string, signal: AbortSignal): Promise<unknown> =>
  ask(server, confirm, { input: { noticeId } }, signal);

const place = `mutation HookPlace($input: UpdateSessionInput!) { answer: updateSession(input: $input) { __typename ... on Error { code message } } }`;

/** Says where a session's work is done, of one for which nobody said it. @throws Failed */
export async function placeOnce(server: Server, session: Session, work: Work, signal: AbortSignal): Promise<void> {
  if (session.workspace !== null) return;
  const { id: _, ...workspace } = work.workspace;
  await ask(server, place, { input: { sessionId: session.id, workspace } }, signal);
}

/** Whether the agent may write: it holds the session and has accepted it. */
export const isHeldBy = (agent: string, session: Session): boolean =>
  session.agent?.id === agent && session.openHandoff?.status !== 'INITIATED';

/** Whether a handoff of the work waits for the agent, or has come to it and nothing is recorded of it yet. */
export const isTakenOver = (agent: string, { agent: holder, openHandoff }: Session): boolean =>
  holder?.id === agent && (openHandoff?.status === 'INITIATED' || openHandoff?.status === 'ACCEPTED');
