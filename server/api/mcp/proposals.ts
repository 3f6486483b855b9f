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
  } | null;
  lastHandoff: { id: string; targetAgent: { id: string } } | null;
  /** What a person has to decide. */
  approval: { kind: 'HANDOFF' | 'QUESTION' } | null;
}

export const pressedFields = `id title ${workspaceFields} agentSession { state proposal { metadata } agent { id } } approval { kind } lastHandoff { id targetAgent { id } }`;

/** What others decided about the agent's work, in words of the API. */
export interface Notice {
  id: string;
  sessionId: string;
  workspaceId: string | null;
  text: string;
  toldAt: string | null;
}
export const noticesField = 'agent(id: $agentId) { notices { id sessionId workspaceId text toldAt } }';
export interface NoticesRead {
  agent: { notices: Notice[] } | null;
}

/** Those that this answer says: the agent was not told. Only an answer to the folder of the Session counts as telling it. */
export const toSay = (desk: Desk, { agent }: NoticesRead): Notice[] =>
  (agent?.notices ?? []).filter(
    (notice) =>
      notice.toldAt === null && !(desk.works && isOf(desk, placeOfNotice(notice)) && !desk.saysNotice(notice.id)),
  );

const placeOfNotice = ({ sessionId, workspaceId }: Notice): Whereabouts => ({
  id: sessionId,
  workspace: workspaceId === null ? null : { id: workspaceId },
});

interface Whereabouts {
  id: string;
  workspace: { id: string | null } | null;
}

/** Whether a Session is the one of the run, or the folder, from which a call comes. */
const isOf = (desk: Desk, { id, workspace }: Whereabouts): boolean =>
  id === desk.place.sessionId || isHere(desk, workspace);

/** How an agent takes back its handoff. */
export const takesBack = (handoffId: string | undefined): string =>
  `baton_reject with handoff ${handoffId} takes it back`;

/** What a Session waits for a person to decide, for its holder; empty when it waits for nobody. */
export function waitsForPerson({ approval, lastHandoff }: Pick<Pressed, 'approval' | 'lastHandoff'>): string {
  if (approval === null) return '';
  return approval.kind === 'QUESTION'
    ? ' A person has to answer your question first.'
    : ` A person has to approve your handoff ${lastHandoff?.id} to '${lastHandoff?.targetAgent.id}' first; ${takesBack(lastHandoff?.id)}.`;
}

const confirmDocument = mutation('confirmNotice', 'session { id }');

/** Records that the agent was told. When that fails, it is told again. */
export async function confirmNotice({ mutate }: Desk, noticeId: string): Promise<void> {
  await mutate(confirmDocument, { noticeId }).catch((error: unknown) => {
    if (!(error instanceof Refused)) throw error;
  });
}

/** The proposed handoff of a Session as one line with the call that makes it; null without one. */
export function proposalLine({ id, title, agentSession }: Pressed): string | null {
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

const pressedDocument = `query ($agentId: ID!) { ${noticesField} sessions(first: 20, where: { agentId: $agentId, status: [RUNNING] }, orderBy: { field: UPDATED_AT }) { nodes { ${pressedFields} } } }`;

/** The answer of a tool, with a line for each notice of the folder's work, and each handoff that is proposed (rule: context pressure). */
export async function withNotices(desk: Desk, result: CallToolResult): Promise<CallToolResult> {
  const { agentId, works, place, query } = desk;
  const [first, ...texts] = result.content;
  if (agentId === null || !works || first?.type !== 'text') return result;
  let read: NoticesRead & { sessions: { nodes: Pressed[] } };
  try {
    read = await query<typeof read>(pressedDocument, { agentId });
  } catch (error) {
    // The call itself is done: its answer must arrive.
    if (error instanceof Refused) return result;
    throw error;
  }
  const isAnywhere = place.workspaceId === null && place.sessionId === null;
  const isConcerned = (of: Whereabouts): boolean => isAnywhere || isOf(desk, of);
  const notices = (read.agent?.notices ?? []).filter((notice) => isConcerned(placeOfNotice(notice)));
  const lines = [
    ...toSay(desk, { agent: { notices } }).map(({ text }) => text),
    ...read.sessions.nodes
      .filter(isConcerned)
      .map(proposalLine)
      .filter((line) => line !== null),
  ];
  if (lines.length === 0) return result;
  const message = [first.text, ...lines].join('\n');
  return {
    ...result,
    content: [{ ...first, text: message }, ...texts],
    structuredContent: { ...result.structuredContent, message },
  };
}
