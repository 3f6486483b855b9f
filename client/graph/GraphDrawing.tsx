import { useId, useMemo, useSyncExternalStore } from 'react';
import type { GraphAgent } from './AgentNode.tsx';
import { busiest, type Busiest } from './busiest.ts';
import { choicesOf, chosenOf } from './choices.ts';
import { CirclePicture } from './CirclePicture.tsx';
import type { GraphView } from './filters.ts';
import { Icon } from '../ui/Icon.tsx';
import styles from './GraphDrawing.module.css';
import { isDense } from './layout.ts';
import { Layers } from './Layers.tsx';
import { outcomes, type Edge } from './outcomes.ts';

const narrow = matchMedia('(max-width: 48rem)');

function onNarrow(listener: () => void): () => void {
  narrow.addEventListener('change', listener);
  return () => narrow.removeEventListener('change', listener);
}

export interface GraphDrawingProps {
  /** The busiest pairs, and the counts of all. */
  graph: {
    nodes: readonly GraphAgent[];
    edges: readonly Edge[];
    pairCount: number;
    agentCount: number;
    handoffCount: number;
  };
  view: GraphView;
  onChange: (view: GraphView) => void;
}

/** As many of the busiest pairs as are chosen: few in layers, many in a circle. The table has all of them. */
export function GraphDrawing({ graph, view, onChange }: GraphDrawingProps) {
  const { nodes, edges, pairCount, agentCount } = graph;
  const id = useId();
  const isNarrow = useSyncExternalStore(onNarrow, () => narrow.matches);
  const choices = useMemo(() => choicesOf({ pairCount, agentCount }, isNarrow), [pairCount, agentCount, isNarrow]);
  const { value, pairs, agents: mostAgents } = chosenOf(choices, view.pairs);
  const part = useMemo(() => busiest(edges, { pairs, agents: mostAgents ?? Infinity }), [edges, pairs, mostAgents]);
  const drawn = useMemo(
    () => ({ agents: nodes.filter(({ agent }) => part.agents.has(agent.id)), edges: part.edges, view }),
    [nodes, part, view],
  );
  const inLayers = mostAgents !== undefined;
  return (
    <figure className={`card ${styles.drawing}`}>
      {choices.length > 1 && (
        <div className={styles.fold}>
          <span role="status">
            {pairs > edges.length && mostAgents === undefined ? 'Reading …' : foldText(part, graph)}
          </span>
          <div className={styles.choice}>
            <label htmlFor={id}>Draw</label>
            <select
              id={id}
              className="select"
              value={value}
              onChange={({ target }) => onChange({ ...view, pairs: target.value })}
            >
              {choices.map((each) => (
                <option key={each.value} value={each.value}>
                  {each.word}
                </option>
              ))}
            </select>
          </div>
        </div>
      )}
      {inLayers ? <Layers {...drawn} isNarrow={isNarrow} /> : <CirclePicture {...drawn} />}
      <figcaption className={styles.legend}>
        {outcomes.map(({ name, word, tone }) => (
          <span key={name} data-tone={tone}>
            <span className={styles.swatch} aria-hidden="true" /> {word}
          </span>
        ))}
        <span>A thicker line has more handoffs.</span>
        {inLayers && (
          <span className={styles.failures}>
            Of a pair's handoffs: <Icon name="cross" size={10} /> declined <Icon name="hourglass" size={10} /> timed out{' '}
            <Icon name="back" size={10} /> soon back at the source
          </span>
        )}
        {inLayers && !isDense(part.edges.length, isNarrow) && (
          <span>Below a number: completed of closed handoffs, and the median time until acceptance.</span>
        )}
      </figcaption>
    </figure>
  );
}

function foldText(part: Busiest<Edge>, { pairCount, agentCount, handoffCount }: GraphDrawingProps['graph']): string {
  if (part.edges.length === pairCount) return `All ${pairCount.toLocaleString()} pairs are drawn.`;
  const rest = [
    `${(pairCount - part.edges.length).toLocaleString()} pairs`,
    `${(agentCount - part.agents.size).toLocaleString()} agents`,
    `${(handoffCount - part.handoffs).toLocaleString()} handoffs`,
  ];
  return `Drawn: ${part.agents.size.toLocaleString()} agents and ${part.edges.length.toLocaleString()} of the busiest pairs. Only in the table: ${rest.join(', ')}.`;
}
