import { Background } from '@xyflow/react';
import { useMemo } from 'react';
import { AgentNode, type AgentFlowNode, type GraphAgent } from './AgentNode.tsx';
import type { GraphView } from './filters.ts';
import { Corner, cornersOf, Flow, type GraphNode } from './Flow.tsx';
import { HandoffEdge, type HandoffFlowEdge } from './HandoffEdge.tsx';
import { edgeKey, isDense, place, type Size } from './layout.ts';
import { mostly, type Edge } from './outcomes.ts';

const nodeTypes = { agent: AgentNode, corner: Corner };
const edgeTypes = { handoff: HandoffEdge };

export interface PictureProps {
  agents: readonly GraphAgent[];
  edges: readonly Edge[];
  view: GraphView;
}

/** Agents in layers, with a number on each line. */
export function Layers({ agents, edges, view, isNarrow }: PictureProps & { isNarrow: boolean }) {
  const drawn = useMemo(() => draw(agents, edges, view, isNarrow), [agents, edges, view, isNarrow]);
  const shape = `${isNarrow} ${edges.map(({ source, target }) => edgeKey(source.id, target.id)).join(' ')}`;
  // A new set of pairs is a new picture, so it is fitted again.
  return (
    <Flow
      key={shape}
      size={drawn.size}
      nodes={drawn.nodes}
      edges={drawn.edges}
      nodeTypes={nodeTypes}
      edgeTypes={edgeTypes}
      maxZoom={2}
    >
      <Background gap={22} size={1} />
    </Flow>
  );
}

// An image may contain no link.
const inEdge = { ariaRole: 'group' } as const;

function draw(
  agents: readonly GraphAgent[],
  edges: readonly Edge[],
  view: GraphView,
  isNarrow: boolean,
): { nodes: GraphNode[]; edges: HandoffFlowEdge[]; size: Size } {
  const placed = place(
    agents.map(({ agent }) => agent.id),
    edges.map(({ source, target }) => ({ source: source.id, target: target.id })),
    isNarrow,
  );
  const maxCount = Math.max(...edges.map(({ count }) => count));
  const showsRates = !isDense(edges.length, isNarrow);
  return {
    size: placed.size,
    nodes: [
      ...cornersOf(placed.size),
      ...agents.map((each): AgentFlowNode => {
        const { x, y } = placed.nodes.get(each.agent.id)!;
        return {
          id: each.agent.id,
          type: 'agent',
          position: { x: x - placed.node.width / 2, y: y - placed.node.height / 2 },
          data: { ...each, view },
          ...placed.node,
        };
      }),
    ],
    edges: edges.map((edge) => {
      const [source, target] = [edge.source.id, edge.target.id];
      const way = placed.edges.get(edgeKey(source, target))!;
      return {
        id: edgeKey(source, target),
        source,
        target,
        type: 'handoff',
        ...inEdge,
        data: { ...way, edge, outcome: mostly(edge), width: widthOf(edge.count, maxCount), view, showsRates },
      };
    }),
  };
}

/** 1.5 px for one handoff, 8 px for the most frequent pair. Logarithmic, so that one busy pair does not make all others too thin. */
const widthOf = (count: number, maxCount: number): number =>
  maxCount <= 1 ? 2.5 : 1.5 + 6.5 * (Math.log(count) / Math.log(maxCount));
