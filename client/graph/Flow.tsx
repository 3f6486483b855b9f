import {
  Controls,
  ReactFlow,
  useReactFlow,
  useStore,
  type Edge as FlowEdge,
  type FitViewOptions,
  type Node,
  type ReactFlowProps,
} from '@xyflow/react';
import '@xyflow/react/dist/base.css';
import { useEffect, type CSSProperties } from 'react';
import type { AgentFlowNode } from './AgentNode.tsx';
import styles from './GraphDrawing.module.css';
import type { Size } from './layout.ts';

/** Lines run beyond their agents: a corner at each end makes the fit include them. */
type Corner = Node<Record<string, never>, 'corner'>;
export type GraphNode = AgentFlowNode | Corner;

export const cornersOf = ({ width, height }: Size): Corner[] =>
  [
    { x: 0, y: 0 },
    { x: width, y: height },
  ].map((position) => ({ id: `corner ${position.x}`, type: 'corner', position, data: {}, width: 1, height: 1 }));

export const Corner = (): null => null;

// The buttons are below the drawing.
const fit: FitViewOptions = { padding: { x: '4%', top: '12px', bottom: '52px' }, maxZoom: 1.15 };

/** A drawing that is fitted into its frame, and can be dragged and enlarged. */
export function Flow({ size, children, ...props }: { size: Size } & ReactFlowProps<GraphNode, FlowEdge>) {
  return (
    <div
      className={styles.canvas}
      style={{ '--width': size.width, '--height': size.height } as CSSProperties}
      role="group"
      aria-label="Graph of handoffs"
    >
      <ReactFlow<GraphNode, FlowEdge>
        {...props}
        fitView
        fitViewOptions={fit}
        minZoom={0.05}
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
        {children}
        <Controls showInteractive={false} orientation="horizontal" position="bottom-left" fitViewOptions={fit} />
      </ReactFlow>
    </div>
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
