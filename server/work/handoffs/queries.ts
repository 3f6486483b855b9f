/** The number of Handoffs that `chain` returns. */
export const longestChain = 100;

/** The Handoff that began the source's tenure, if it was accepted and came from this target. */
export const returnOf = <H extends { sourceAgentId: string | null; acceptedAt: Date | null }>(
  targetAgentId: string,
  began: H | null,
): H | null => (began !== null && began.acceptedAt !== null && began.sourceAgentId === targetAgentId ? began : null);
