/** A proposed handoff: `metadata` of HANDOFF_PROPOSED. */
export interface Proposal {
  windowTokens: number | null;
  contextWindow: number | null;
  compaction: boolean;
  targets: { agentId: string; freePlaces: number; outcome: string | null }[];
}

/** How full the window is, in words. */
export const fullnessOf = ({ windowTokens, contextWindow, compaction }: Proposal): string =>
  compaction || windowTokens === null || contextWindow === null
    ? 'nearly full'
    : `${Math.floor((100 * windowTokens) / contextWindow)} % full`;

export const reasonOf = (proposal: Proposal, holder: string): string =>
  `The context window of ${holder} is ${fullnessOf(proposal)}`;
