import type { AgentSessionState, HandoffStatus } from '../gql/graphql.ts';

/** The part of a tenure that the drawing needs. */
export interface Tenure {
  id: string;
  state: AgentSessionState;
  agent: { id: string };
  /** Null when it began without a handoff: with the session, by a return, or by a move that skipped it. */
  initiatedByHandoff?: { id: string; status: HandoffStatus; sourceAgentSession?: { id: string } | null } | null;
}

export const step = { width: 52, bar: 34, lane: 30, top: 15 };

export interface Bar {
  tenure: Tenure;
  x: number;
  y: number;
}

export interface Link {
  key: string;
  /** Null for a return, or a move without a handoff. */
  status: HandoffStatus | null;
  path: string;
  title: string;
}

/** A lane for each agent in order of appearance, a step for each tenure in order of time, and links between tenures. */
export function drawChain(tenures: readonly Tenure[]): { lanes: string[]; bars: Bar[]; links: Link[]; width: number; height: number } {
  const lanes = [...new Set(tenures.map(({ agent }) => agent.id))];
  const bars = tenures.map((tenure, index) => ({ tenure, x: index * step.width, y: step.top + lanes.indexOf(tenure.agent.id) * step.lane }));
  const links = bars.slice(1).map((bar, index): Link => {
    const handoff = bar.tenure.initiatedByHandoff ?? null;
    // A handoff that supersedes another starts at the source of that one.
    const from = bars.find(({ tenure }) => tenure.id === handoff?.sourceAgentSession?.id) ?? bars[index]!;
    return {
      key: bar.tenure.id,
      status: handoff?.status ?? null,
      path: curve({ x: from.x + step.bar, y: from.y }, { x: bar.x - 4, y: bar.y }),
      title: handoff ? `${from.tenure.agent.id} to ${bar.tenure.agent.id}` : `${bar.tenure.agent.id} has it without a handoff`,
    };
  });
  return { lanes, bars, links, width: Math.max(1, bars.length) * step.width, height: Math.max(1, lanes.length) * step.lane };
}

function curve(from: { x: number; y: number }, to: { x: number; y: number }): string {
  const bend = Math.max(8, (to.x - from.x) / 2);
  return `M${from.x} ${from.y}C${from.x + bend} ${from.y} ${to.x - bend} ${to.y} ${to.x} ${to.y}`;
}
