import { Background, Controls, ReactFlow, useReactFlow, useStore, type Edge as FlowEdge, type FitViewOptions, type Node } from '@xyflow/react';
import '@xyflow/react/dist/base.css';
import { useEffect, useMemo, useState, useSyncExternalStore, type CSSProperties } from 'react';
import { AgentNode, type AgentFlowNode, type GraphAgent } from './AgentNode.tsx';
import { busiest, type Busiest } from './busiest.ts';
import type { GraphView } from './filters.ts';
import { HandoffEdge, type HandoffFlowEdge } from './HandoffEdge.tsx';
import styles from './GraphDrawing.module.css';
import { edgeKey, isDense, place, type Size } from './layout.ts';
import { mostly, outcomes, type Edge } from './outcomes.ts';

/** Lines run beyond their agents: a corner at each end makes the fit include them. */
type Corner = Node<Record<string, never>, 'corner'>;

const nodeTypes = { agent: AgentNode, corner: () => null };
const edgeTypes = { handoff: HandoffEdge };

const narrow = matchMedia('(max-width: 48rem)');

function onNarrow(listener: () => void): () => void {
  narrow.addEventListener('change', listener);
  return () => narrow.removeEventListener('change', listener);
}

// The buttons are below the drawing.
const fit: FitViewOptions = { padding: { x: '4%', top: '12px', bottom: '52px' }, maxZoom: 1.15 };

/** The greatest numbers drawn at each step of "Draw more"; fewer on a phone, where names must stay readable. */
const steps = {
  wide: [{ agents: 14, pairs: 30 }, { agents: 24, pairs: 60 }, { agents: 40, pairs: 120 }],
  narrow: [{ agents: 7, pairs: 12 }, { agents: 14, pairs: 30 }, { agents: 24, pairs: 60 }],
};

export interface GraphDrawingProps {
  /** The busiest pairs, and the counts of all. */
  graph: { nodes: readonly GraphAgent[]; edges: readonly Edge[]; pairCount: number; agentCount: number; handoffCount: number };
  view: GraphView;
}

/** The busiest pairs of the graph, in layers. The table has all of it. */
export function GraphDrawing({ graph, view }: GraphDrawingProps) {
  const { nodes, edges } = graph;
  const isNarrow = useSyncExternalStore(onNarrow, () => narrow.matches);
  const possible = isNarrow ? steps.narrow : steps.wide;
  const [step, setStep] = useState(0);
  const most = possible[step]!;
  const part = useMemo(() => busiest(edges, most), [edges, most]);
  const drawn = useMemo(() => draw(nodes.filter(({ agent }) => part.agents.has(agent.id)), part.edges, view, isNarrow), [nodes, part, view, isNarrow]);
  const shape = `${isNarrow} ${part.edges.map(({ source, target }) => edgeKey(source.id, target.id)).join(' ')}`;
  const folded = graph.pairCount - part.edges.length;
  return (
    <figure className={`card ${styles.drawing}`}>
      {(folded > 0 || step > 0) && (
        <div className={styles.fold}>
          <span role="status">{foldText(part, graph)}</span>
          {step > 0 && (
            <button type="button" className="button small" onClick={() => setStep(step - 1)}>
              Draw fewer
            </button>
          )}
          {folded > 0 && step + 1 < possible.length && (
            <button type="button" className="button small" onClick={() => setStep(step + 1)}>
              Draw more
            </button>
          )}
        </div>
      )}
      <div className={styles.canvas} style={{ '--width': drawn.size.width, '--height': drawn.size.height } as CSSProperties} role="group" aria-label="Graph of handoffs">
        {/* A new set of pairs is a new picture, so it is fitted again. */}
        <ReactFlow<AgentFlowNode | Corner, FlowEdge>
          key={shape}
          nodes={drawn.nodes}
          edges={drawn.edges}
          nodeTypes={nodeTypes}
          edgeTypes={edgeTypes}
          fitView
          fitViewOptions={fit}
          minZoom={0.05}
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
          <FitToFrame />
          <Background gap={22} size={1} />
          <Controls showInteractive={false} orientation="horizontal" position="bottom-left" fitViewOptions={fit} />
        </ReactFlow>
      </div>
      <figcaption className={styles.legend}>
        {outcomes.map(({ name, word, tone }) => (
          <span key={name} data-tone={tone}>
            <span className={styles.swatch} aria-hidden="true" /> {word}
          </span>
        ))}
        <span>A thicker line has more handoffs.</span>
        {drawn.showsRates && <span>Below a number: completed of closed handoffs, and the median time until acceptance.</span>}
      </figcaption>
    </figure>
  );
}

/** Fits the drawing again when its frame has another size: a turned phone, a resized window. */
function FitToFrame() {
  const { fitView } = useReactFlow();
  const width = useStore((state) => state.width);
  const height = useStore((state) => state.height);
  useEffect(() => {
    if (width > 0 && height > 0) void fitView(fit);
  }, [fitView, width, height]);
  return null;
}

// An image may contain no link.
const inEdge = { ariaRole: 'group' } as const;

function draw(agents: readonly GraphAgent[], edges: readonly Edge[], view: GraphView, isNarrow: boolean): { nodes: (AgentFlowNode | Corner)[]; edges: HandoffFlowEdge[]; size: Size; showsRates: boolean } {
  const placed = place(
    agents.map(({ agent }) => agent.id),
    edges.map(({ source, target }) => ({ source: source.id, target: target.id })),
    isNarrow,
  );
  const maxCount = Math.max(...edges.map(({ count }) => count));
  const showsRates = !isDense(edges.length, isNarrow);
  return {
    showsRates,
    size: placed.size,
    nodes: [
      ...corners(placed.size),
      ...agents.map((each): AgentFlowNode => {
        const { x, y } = placed.nodes.get(each.agent.id)!;
        return { id: each.agent.id, type: 'agent', position: { x: x - placed.node.width / 2, y: y - placed.node.height / 2 }, data: { ...each, view }, ...placed.node };
      }),
    ],
    edges: edges.map((edge) => {
      const [source, target] = [edge.source.id, edge.target.id];
      const way = placed.edges.get(edgeKey(source, target))!;
      return { id: edgeKey(source, target), source, target, type: 'handoff', ...inEdge, data: { ...way, edge, outcome: mostly(edge), width: widthOf(edge.count, maxCount), view, showsRates } };
    }),
  };
}

const corners = ({ width, height }: Size): Corner[] =>
  [{ x: 0, y: 0 }, { x: width, y: height }].map((position) => ({ id: `corner ${position.x}`, type: 'corner', position, data: {}, width: 1, height: 1 }));

/** 1.5 px for one handoff, 8 px for the most frequent pair. Logarithmic, so that one busy pair does not make all others too thin. */
const widthOf = (count: number, maxCount: number): number => (maxCount <= 1 ? 2.5 : 1.5 + 6.5 * (Math.log(count) / Math.log(maxCount)));

function foldText(part: Busiest<Edge>, { pairCount, agentCount, handoffCount }: GraphDrawingProps['graph']): string {
  if (part.edges.length === pairCount) return `All ${pairCount.toLocaleString()} pairs are drawn.`;
  const rest = [
    `${(pairCount - part.edges.length).toLocaleString()} pairs`,
    `${(agentCount - part.agents.size).toLocaleString()} agents`,
    `${(handoffCount - part.handoffs).toLocaleString()} handoffs`,
  ];
  return `Drawn: ${part.agents.size} agents and ${part.edges.length} of the busiest pairs. Only in the table: ${rest.join(', ')}.`;
}
