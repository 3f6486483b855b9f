import { Background, Controls, ReactFlow, type Edge as FlowEdge } from '@xyflow/react';
import '@xyflow/react/dist/base.css';
import { useMemo, useSyncExternalStore } from 'react';
import { AgentNode, type AgentFlowNode, type GraphAgent } from './AgentNode.tsx';
import type { GraphView } from './filters.ts';
import { HandoffEdge, type HandoffFlowEdge } from './HandoffEdge.tsx';
import styles from './GraphDrawing.module.css';
import { edgeKey, nodeSize, place } from './layout.ts';
import { mostly, outcomes, type Edge } from './outcomes.ts';

const nodeTypes = { agent: AgentNode };
const edgeTypes = { handoff: HandoffEdge };

// Layers run from left to right, and from the top down on a phone.
const narrow = matchMedia('(max-width: 48rem)');

function onNarrow(listener: () => void): () => void {
  narrow.addEventListener('change', listener);
  return () => narrow.removeEventListener('change', listener);
}

/** The graph in layers. The table has the same content. */
export function GraphDrawing({ nodes, edges, view }: { nodes: readonly GraphAgent[]; edges: readonly Edge[]; view: GraphView }) {
  const direction = useSyncExternalStore(onNarrow, () => (narrow.matches ? 'TB' : 'LR'));
  const drawn = useMemo(() => draw(nodes, edges, view, direction), [nodes, edges, view, direction]);
  const shape = `${direction} ${edges.map(({ source, target }) => edgeKey(source.id, target.id)).join(' ')}`;
  return (
    <figure className={`card ${styles.drawing}`}>
      <div className={styles.canvas} role="group" aria-label="Graph of handoffs">
        {/* A new set of pairs is a new picture, so it is fitted again. */}
        <ReactFlow<AgentFlowNode, FlowEdge>
          key={shape}
          nodes={drawn.nodes}
          edges={drawn.edges}
          nodeTypes={nodeTypes}
          edgeTypes={edgeTypes}
          fitView
          fitViewOptions={{ padding: 0.08, maxZoom: 1.15 }}
          minZoom={0.2}
          maxZoom={2}
          nodesDraggable={false}
          nodesConnectable={false}
          nodesFocusable={false}
          edgesFocusable={false}
          elementsSelectable={false}
          zoomOnScroll={false}
          preventScrolling={false}
          disableKeyboardA11y
        >
          <Background gap={22} size={1} />
          <Controls showInteractive={false} />
        </ReactFlow>
      </div>
      <figcaption className={styles.legend}>
        {outcomes.map(({ name, word, tone }) => (
          <span key={name} data-tone={tone}>
            <span className={styles.swatch} aria-hidden="true" /> {word}
          </span>
        ))}
      </figcaption>
    </figure>
  );
}

function draw(agents: readonly GraphAgent[], edges: readonly Edge[], view: GraphView, direction: 'LR' | 'TB'): { nodes: AgentFlowNode[]; edges: HandoffFlowEdge[] } {
  const placed = place(
    agents.map(({ agent }) => agent.id),
    edges.map(({ source, target }) => ({ source: source.id, target: target.id })),
    direction,
  );
  const maxCount = Math.max(...edges.map(({ count }) => count));
  return {
    nodes: agents.map((each) => {
      const { x, y } = placed.nodes.get(each.agent.id)!;
      return { id: each.agent.id, type: 'agent', position: { x: x - nodeSize.width / 2, y: y - nodeSize.height / 2 }, data: { ...each, view }, ...nodeSize };
    }),
    edges: edges.map((edge) => {
      const [source, target] = [edge.source.id, edge.target.id];
      const way = placed.edges.get(edgeKey(source, target))!;
      return { id: edgeKey(source, target), source, target, type: 'handoff', data: { ...way, edge, outcome: mostly(edge), width: widthOf(edge.count, maxCount), view } };
    }),
  };
}

/** 1.5 px for one handoff, 8 px for the most frequent pair. Logarithmic, so that one busy pair does not make all others too thin. */
const widthOf = (count: number, maxCount: number): number => (maxCount <= 1 ? 2.5 : 1.5 + 6.5 * (Math.log(count) / Math.log(maxCount)));
