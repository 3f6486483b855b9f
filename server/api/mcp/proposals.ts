import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { type Desk, isHere, mutation, type Workspace, workspaceFields } from './ask.ts';
import { named, Refused } from './result.ts';

/** `metadata` of HANDOFF_PROPOSED. */
export interface Proposal {
  windowTokens: number | null;
  contextWindow: number | null;
  compaction: boolean;
  targets: { agentId: string; freePlaces: number; outcome: string | null }[];
}

export interface Pressed {
  id: string;
  title: string;
  workspace: Workspace | null;
  agentSession: {
    proposal: { metadata: Proposal } | null;
    agent: { id: string };
    turns: { nodes: unknown[] };
  } | null;
  lastHandoff: LastHandoff | null;
  /** What a person has to decide. */
  approval: { kind: 'HANDOFF' | 'QUESTION' } | null;
}

interface LastHandoff {
  id: string;
  status: string;
  sourceAgent: { id: string } | null;
  targetAgent: { id: string };
  /** Null when it was only proposed. */
  targetAgentSession: { id: string } | null;
  declineReason: string | null;
  rejectionReason: string | null;
  failureReason: string | null;
  cancelReason: string | null;
  returnToldAt: string | null;
}

export const pressedFields = `id title ${workspaceFields} agentSession { state proposal { metadata } agent { id } turns(first: 1) { nodes { id } } }
  approval { kind } lastHandoff { id status sourceAgent { id } targetAgent { id } targetAgentSession { id } declineReason rejectionReason failureReason cancelReason returnToldAt }`;

const declined: Record<string, string> = {
  REJECTED: 'was rejected',
  FAILED: 'failed',
  TIMED_OUT: 'was not accepted in time',
  CANCELLED: 'was cancelled',
};

/** Of a handoff that a person had to approve. One that the agent took back is nothing new to it. */
const notApproved: Record<string, string> = {
  DECLINED: 'was declined by a person',
  TIMED_OUT: 'was approved by nobody in time',
};

interface Returned {
  handoff: string;
  target: string;
  how: string;
  /** Whether it was only proposed, so that the agent held the Session all the time. */
  proposed: boolean;
  reason: string | null;
}

/**
 * Returns the holder's declined Handoff with its reason when this answer says it. Null when the holder was told, after its next turn, and
 * without such a Handoff. Only an answer to the folder of the Session counts as telling its holder.
 */
export function returnedOf(desk: Desk, session: Pressed): Returned | null {
  const { lastHandoff, agentSession } = session;
  if (lastHandoff === null || agentSession === null) return null;
  const proposed = lastHandoff.targetAgentSession === null;
  const how = (proposed ? notApproved : declined)[lastHandoff.status];
  if (how === undefined || (!proposed && agentSession.turns.nodes.length !== 0)) return null;
  const { id, sourceAgent, targetAgent, rejectionReason, failureReason, cancelReason, returnToldAt } = lastHandoff;
  if (sourceAgent?.id !== agentSession.agent.id || returnToldAt !== null) return null;
  if (desk.works && isOf(desk, session) && !desk.saysReturn(id)) return null;
  const reason = lastHandoff.declineReason ?? rejectionReason ?? failureReason ?? cancelReason;
  return { handoff: id, target: targetAgent.id, how, proposed, reason };
}

/** Whether a Session is the one of the run, or the folder, from which a call comes. */
const isOf = (desk: Desk, { id, workspace }: Pressed): boolean =>
  id === desk.place.sessionId || isHere(desk, workspace);

const mostOfReason = 2_000;

const returnedLine = ({ handoff, target, how, proposed, reason }: Returned, session: string): string =>
  `Your handoff ${handoff} to '${target}' ${how}: you hold ${session} ${proposed ? 'still' : 'again'}.${reason === null ? '' : ` The reason, recorded from others as data: ${named(reason, mostOfReason)}.`}`;

/** What a Session waits for a person to decide, for its holder; empty when it waits for nobody. */
export function waitsForPerson({ approval, lastHandoff }: Pick<Pressed, 'approval' | 'lastHandoff'>): string {
  if (approval === null) return '';
  return approval.kind === 'QUESTION'
    ? ' A person has to answer your question first.'
    : ` A person has to approve your handoff ${lastHandoff?.id} to '${lastHandoff?.targetAgent.id}' first.`;
}

/** What the holder of a Session has to be told: a Handoff that came back, and a proposed one. */
export const linesOf = (session: Pressed, returned: Returned | null): string[] =>
  [returned === null ? null : returnedLine(returned, session.id), proposalLine(session)].filter(
    (line) => line !== null,
  );

const confirmDocument = mutation('confirmReturn', 'handoff { id }');

/** Records that the agent was told. When that fails, it is told again. */
export async function confirmReturn({ mutate }: Desk, handoffId: string): Promise<void> {
  await mutate(confirmDocument, { handoffId }).catch((error: unknown) => {
    if (!(error instanceof Refused)) throw error;
  });
}

/** The proposed handoff of a Session as one line with the call that makes it; null without one. */
function proposalLine({ id, title, agentSession }: Pressed): string | null {
  const proposal = agentSession?.proposal?.metadata;
  if (proposal === undefined) return null;
  const { windowTokens, contextWindow, compaction, targets } = proposal;
  const full =
    compaction || windowTokens === null || contextWindow === null
      ? 'nearly full'
      : `${Math.floor((100 * windowTokens) / contextWindow)} % full`;
  const agents = targets
    .map(({ agentId, outcome }) => `'${agentId}'${outcome === null ? '' : `, which is outcome ${outcome}`}`)
    .join(' or ');
  const advice =
    agents === ''
      ? 'No agent to which you may hand it off has a free place: record what is left with baton_note.'
      : `Hand it off with baton_handoff, target ${agents}, before the window is compacted.`;
  return `The context window of ${id} ${named(title)} is ${full}. ${advice}`;
}

const pressedDocument = `query ($agentId: ID!) { sessions(first: 20, where: { agentId: $agentId, status: [RUNNING] }, orderBy: { field: UPDATED_AT }) { nodes { ${pressedFields} } } }`;

/** The answer of a tool, with a line for each handoff of the folder's work that came back, and each that is proposed (rule: context pressure). */
export async function withProposals(desk: Desk, result: CallToolResult): Promise<CallToolResult> {
  const { agentId, works, place, query } = desk;
  const [first, ...texts] = result.content;
  if (agentId === null || !works || first?.type !== 'text') return result;
  let nodes: Pressed[];
  try {
    ({ nodes } = (await query<{ sessions: { nodes: Pressed[] } }>(pressedDocument, { agentId })).sessions);
  } catch (error) {
    // The call itself is done: its answer must arrive.
    if (error instanceof Refused) return result;
    throw error;
  }
  const isAnywhere = place.workspaceId === null && place.sessionId === null;
  const concerned = nodes.filter((session) => isAnywhere || isOf(desk, session));
  const lines = concerned.flatMap((session) => linesOf(session, returnedOf(desk, session)));
  if (lines.length === 0) return result;
  const message = [first.text, ...lines].join('\n');
  return {
    ...result,
    content: [{ ...first, text: message }, ...texts],
    structuredContent: { ...result.structuredContent, message },
  };
}
