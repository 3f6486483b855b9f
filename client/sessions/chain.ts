import type { AgentSessionState, HandoffStatus } from '../gql/graphql.ts';
import type { Ended } from '../handoffs/ended.ts';

/** The part of a tenure that the drawing needs. */
export interface Tenure {
  id: string;
  state: AgentSessionState;
  agent: { id: string };
  /** Null when it began without a handoff: with the session, by a return, or by a move that skipped it. */
  initiatedByHandoff?:
    ({ id: string; status: HandoffStatus; sourceAgentSession?: { id: string } | null } & Ended) | null;
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
  handoff: NonNullable<Tenure['initiatedByHandoff']> | null;
  path: string;
  title: string;
}

/** The agents with a lane of their own, and those that share the last lane. */
export interface Lanes {
  own: string[];
  shared: string[];
}

export const mostLanes = 8;

/** A lane for each agent, in order of appearance; with many agents the busiest and the last holder first, and one lane for the others. */
export function lanesOf(tenures: readonly Tenure[], unfolded: boolean): Lanes {
  const counts = new Map<string, number>();
  for (const { agent } of tenures) counts.set(agent.id, (counts.get(agent.id) ?? 0) + 1);
  if (counts.size <= mostLanes) return { own: [...counts.keys()], shared: [] };
  const holder = tenures.at(-1)?.agent.id;
  const rank = ([id, count]: [string, number]): number => (id === holder ? Infinity : count);
  const agents = [...counts]
    .sort((one, other) => (rank(one) === rank(other) ? 0 : rank(other) - rank(one)))
    .map(([id]) => id);
  return unfolded
    ? { own: agents, shared: [] }
    : { own: agents.slice(0, mostLanes - 1), shared: agents.slice(mostLanes - 1) };
}

/** A step for each tenure in order of time, and links between tenures. */
export function drawChain(
  tenures: readonly Tenure[],
  { own, shared }: Lanes,
): { bars: Bar[]; links: Link[]; width: number; height: number } {
  const laneOf = (id: string): number => (own.includes(id) ? own.indexOf(id) : own.length);
  const bars = tenures.map((tenure, index) => ({
    tenure,
    x: index * step.width,
    y: step.top + laneOf(tenure.agent.id) * step.lane,
  }));
  const byId = new Map(bars.map((bar) => [bar.tenure.id, bar]));
  const links = bars.slice(1).map((bar, index): Link => {
    const handoff = bar.tenure.initiatedByHandoff ?? null;
    // A handoff that supersedes another starts at the source of that one.
    const from = byId.get(handoff?.sourceAgentSession?.id ?? '') ?? bars[index]!;
    return {
      key: bar.tenure.id,
      handoff,
      path: curve({ x: from.x + step.bar, y: from.y }, { x: bar.x - 4, y: bar.y }),
      title: handoff
        ? `${from.tenure.agent.id} to ${bar.tenure.agent.id}`
        : `${bar.tenure.agent.id} has it without a handoff`,
    };
  });
  return {
    bars,
    links,
    width: Math.max(1, bars.length) * step.width,
    height: Math.max(1, own.length + Math.min(1, shared.length)) * step.lane,
  };
}

function curve(from: { x: number; y: number }, to: { x: number; y: number }): string {
  const bend = Math.max(8, (to.x - from.x) / 2);
  return `M${from.x} ${from.y}C${from.x + bend} ${from.y} ${to.x - bend} ${to.y} ${to.x} ${to.y}`;
}
