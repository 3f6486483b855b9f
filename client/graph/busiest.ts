import type { Edge } from './outcomes.ts';

export interface Busiest<One> {
  edges: One[];
  /** The ids of the agents of these edges. */
  agents: Set<string>;
  /** The number of handoffs of these edges. */
  handoffs: number;
}

/** The pairs with the most handoffs, as long as they fit into these numbers of agents and pairs. */
export function busiest<One extends Pick<Edge, 'source' | 'target' | 'count'>>(
  edges: readonly One[],
  most: { agents: number; pairs: number },
): Busiest<One> {
  const drawn: Busiest<One> = { edges: [], agents: new Set(), handoffs: 0 };
  for (const edge of edges.toSorted((one, other) => other.count - one.count)) {
    if (drawn.edges.length === most.pairs) break;
    const added = new Set([edge.source.id, edge.target.id].filter((id) => !drawn.agents.has(id)));
    if (drawn.agents.size + added.size > most.agents) continue;
    drawn.edges.push(edge);
    for (const id of added) drawn.agents.add(id);
    drawn.handoffs += edge.count;
  }
  return drawn;
}
