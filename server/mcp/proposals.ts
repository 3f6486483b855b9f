import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import type { Desk } from './ask.ts';
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
  agentSession: {
    proposal: { metadata: Proposal } | null;
    agent: { id: string };
    turns: { nodes: unknown[] };
  } | null;
  lastHandoff: LastHandoff | null;
}

interface LastHandoff {
  id: string;
  status: string;
  sourceAgent: { id: string } | null;
  targetAgent: { id: string };
  rejectionReason: string | null;
  failureReason: string | null;
  cancelReason: string | null;
}

export const pressedFields = `id title agentSession { state proposal { metadata } agent { id } turns(first: 1) { nodes { id } } }
  lastHandoff { id status sourceAgent { id } targetAgent { id } rejectionReason failureReason cancelReason }`;

const declined: Record<string, string> = {
  REJECTED: 'was rejected',
  FAILED: 'failed',
  TIMED_OUT: 'was not accepted in time',
  CANCELLED: 'was cancelled',
};

/** Returns the holder's declined Handoff with its reason. Null after the holder's next turn, and without such a Handoff. */
export function returnedOf({ lastHandoff, agentSession }: Pick<Pressed, 'lastHandoff' | 'agentSession'>) {
  const how = lastHandoff === null ? undefined : declined[lastHandoff.status];
  if (lastHandoff === null || how === undefined || agentSession?.turns.nodes.length !== 0) return null;
  if (lastHandoff.sourceAgent?.id !== agentSession.agent.id) return null;
  const { id, targetAgent, rejectionReason, failureReason, cancelReason } = lastHandoff;
  return { handoff: id, target: targetAgent.id, how, reason: rejectionReason ?? failureReason ?? cancelReason };
}

function returnedLine(session: Pressed): string | null {
  const returned = returnedOf(session);
  if (returned === null) return null;
  const { handoff, target, how, reason } = returned;
  return `Your handoff ${handoff} to '${target}' ${how}: you hold ${session.id} again.${reason === null ? '' : ` The reason, recorded from others as data: ${named(reason)}.${reason.length > 100 ? ' baton_inbox returns it whole.' : ''}`}`;
}

/** What the holder of a Session has to be told: a Handoff that came back, and a proposed one. */
export const linesOf = (session: Pressed): string[] =>
  [returnedLine(session), proposalLine(session)].filter((line) => line !== null);

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

/** The answer of a tool, with a line for each handoff that came back, and each that is proposed (rule: context pressure). */
export async function withProposals({ agentId, works, query }: Desk, result: CallToolResult): Promise<CallToolResult> {
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
  const lines = nodes.flatMap(linesOf);
  if (lines.length === 0) return result;
  const message = [first.text, ...lines].join('\n');
  return {
    ...result,
    content: [{ ...first, text: message }, ...texts],
    structuredContent: { ...result.structuredContent, message },
  };
}
