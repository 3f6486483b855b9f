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
  agentSession: { proposal: { metadata: Proposal } | null } | null;
}

export const pressedFields = 'id title agentSession { state proposal { metadata } }';

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

const pressedDocument = `query ($agentId: ID!) { sessions(first: 20, where: { agentId: $agentId, status: [RUNNING] }, orderBy: { field: UPDATED_AT }) { nodes { ${pressedFields} } } }`;

/** The answer of a tool, with a line for each proposed handoff of the agent (rule: context pressure). */
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
  const lines = nodes.flatMap((session) => proposalLine(session) ?? []);
  if (lines.length === 0) return result;
  const message = [first.text, ...lines].join('\n');
  return {
    ...result,
    content: [{ ...first, text: message }, ...texts],
    structuredContent: { ...result.structuredContent, message },
  };
}
