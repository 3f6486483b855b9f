import type { Carry } from '../../tools/carry.ts';

/** A way to hand off between two agents: the agent at its other end, and the tools that lead there. */
export interface Way<Agent> {
  agent: Agent;
  tools: { id: string; name: string; when: string | null; carry: Carry | null }[];
}

interface Tool {
  id: string;
  name: string;
  description: string;
  generated: boolean;
  /** What the tool or its collaboration passes on; null for everything. */
  carry?: Carry | null | undefined;
}

interface Collaboration {
  agent: { id: string };
  when?: string | null | undefined;
}

/** The description of a generated tool says more than when to use it: the collaboration has that alone. */
const whenOf = (
  { generated, description }: Tool,
  collaborations: readonly Collaboration[],
  targetId: string,
): string | null =>
  generated ? (collaborations.find(({ agent }) => agent.id === targetId)?.when ?? null) : description;

const toolOf = (
  tool: Tool,
  collaborations: readonly Collaboration[],
  targetId: string,
): Way<unknown>['tools'][number] => ({
  id: tool.id,
  name: tool.name,
  when: whenOf(tool, collaborations, targetId),
  carry: tool.carry ?? null,
});

/** The ways from an agent, by the tools that are offered to it. */
export function waysOut<Agent extends { id: string }>(
  tools: readonly (Tool & { targetAgent: Agent })[],
  collaborations: readonly Collaboration[],
): Way<Agent>[] {
  return gathered(
    tools.map((tool) => ({ agent: tool.targetAgent, tool: toolOf(tool, collaborations, tool.targetAgent.id) })),
  );
}

/** The ways to an agent, by the tools that hand off to it. `sources` are agents with their collaborations. */
export function waysIn<Agent extends { id: string }>(
  tools: readonly (Tool & { agents: readonly Agent[] })[],
  sources: readonly { id: string; collaborations: readonly Collaboration[] }[],
  targetId: string,
): Way<Agent>[] {
  const collaborationsOf = (id: string) => sources.find((source) => source.id === id)?.collaborations ?? [];
  return gathered(
    tools.flatMap((tool) =>
      tool.agents.map((agent) => ({ agent, tool: toolOf(tool, collaborationsOf(agent.id), targetId) })),
    ),
  );
}

function gathered<Agent extends { id: string }>(
  steps: { agent: Agent; tool: Way<Agent>['tools'][number] }[],
): Way<Agent>[] {
  const ways = new Map<string, Way<Agent>>();
  for (const { agent, tool } of steps) {
    const way = ways.get(agent.id) ?? { agent, tools: [] };
    way.tools.push(tool);
    ways.set(agent.id, way);
  }
  return [...ways.values()].sort((one, other) => (one.agent.id < other.agent.id ? -1 : 1));
}
