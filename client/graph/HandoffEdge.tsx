import { EdgeLabelRenderer, type Edge as FlowEdge, type EdgeProps } from '@xyflow/react';
import { Link } from 'wouter';
import { Icon } from '../ui/Icon.tsx';
import { Tooltip } from '../ui/Tooltip.tsx';
import { listOf, type GraphView } from './filters.ts';
import styles from './GraphDrawing.module.css';
import { smooth, type Point } from './layout.ts';
import { PathStory } from './PathStory.tsx';
import { countText, failuresOf, rateText, type Edge, type Outcome, wordsOfPair } from './outcomes.ts';

interface Data extends Record<string, unknown> {
  points: Point[];
  label: Point;
  edge: Edge;
  outcome: Outcome;
  width: number;
  view: GraphView;
  /** Whether there is room for success and time below the number. */
  showsRates: boolean;
}

export type HandoffFlowEdge = FlowEdge<Data, 'handoff'>;

/** The handoffs from one agent to another: width by number, colour by most frequent outcome. Links to their list. */
export function HandoffEdge({ id, source, target, data }: EdgeProps<HandoffFlowEdge>) {
  if (!data) return null;
  const { points, label, edge, outcome, width, view, showsRates } = data;
  const href = listOf({ source, target }, view);
  const path = smooth(points);
  const failures = failuresOf(edge);
  const marker = `arrow-${id}`;
  return (
    <>
      {/* The same link as on its number, which is for keyboards and screen readers. */}
      <Link href={href} className="nopan" tabIndex={-1} aria-hidden="true">
        <g className={styles.edge} data-tone={outcome.tone}>
          <defs>
            <marker
              id={marker}
              viewBox="0 0 8 8"
              refX="7"
              refY="4"
              markerWidth={10 + width}
              markerHeight={10 + width}
              markerUnits="userSpaceOnUse"
              orient="auto"
            >
              <path className={styles.tip} d="M0 0 8 4 0 8z" />
            </marker>
          </defs>
          <path className={styles.line} d={path} strokeWidth={width} markerEnd={`url("#${marker}")`} />
          <path className={styles.reach} d={path} />
        </g>
      </Link>
      <EdgeLabelRenderer>
        <Tooltip content={<PathStory edge={edge} view={view} />}>
          <Link
            href={href}
            className={`${styles.label} nodrag nopan`}
            data-tone={outcome.tone}
            style={{ transform: `translate(-50%, -50%) translate(${label.x}px, ${label.y}px)` }}
            aria-label={`${countText(edge.count)} from ${source} to ${target}: ${wordsOfPair(edge)}`}
          >
            {edge.count.toLocaleString()}
          </Link>
        </Tooltip>
        {/* The name and the tooltip of the link say the same. */}
        {(showsRates ? rateText(edge) !== '' || failures.length > 0 : failures.length > 0) && (
          <span
            className={styles.rates}
            aria-hidden="true"
            style={{ transform: `translate(-50%, 0.75rem) translate(${label.x}px, ${label.y}px)` }}
          >
            {showsRates && <span>{rateText(edge)}</span>}
            {failures.length > 0 && (
              <span className={styles.failures}>
                {failures.map(({ icon, word, share }) => (
                  <span key={word}>
                    <Icon name={icon} size={10} />
                    {share}
                  </span>
                ))}
              </span>
            )}
          </span>
        )}
      </EdgeLabelRenderer>
    </>
  );
}
