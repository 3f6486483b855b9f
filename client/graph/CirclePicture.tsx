import { useStore, useViewport, type ReactFlowInstance } from '@xyflow/react';
import { useLayoutEffect, useMemo, useRef, useState, useSyncExternalStore, type MouseEvent } from 'react';
import { Link } from 'wouter';
import { useTheme } from '../app/theme.ts';
import { agentAt, lineAt, placeInCircle } from './circle.ts';
import { Corner, cornersOf, Flow, type GraphNode } from './Flow.tsx';
import { listOf, writeGraphView } from './filters.ts';
import styles from './GraphDrawing.module.css';
import type { PictureProps } from './Layers.tsx';
import { edgeKey } from './layout.ts';
import { countText, wordsOfPair, type Edge } from './outcomes.ts';
import { outsideOf, paintAll, paintChosen, readColours, type Picture } from './paint.ts';

const nodeTypes = { corner: Corner };
/** In pixels: how far from a line still means it. */
const reach = 8;

/** A pair by its key, or an agent by its id. */
type Thing = { pair: string } | { agent: string };
const isSame = (one: Thing | null, other: Thing | null): boolean => JSON.stringify(one) === JSON.stringify(other);

/**
 * All agents in a circle, and a line for each pair: thousands of them, so it is a canvas. The pairs are chosen by a click, or one after
 * the other by buttons; the table has the same content.
 */
export function CirclePicture({ agents, edges, view }: PictureProps) {
  const circle = useMemo(
    () =>
      placeInCircle(
        agents.map(({ agent }) => agent.id),
        edges.map(({ source, target }) => ({ source: source.id, target: target.id })),
      ),
    [agents, edges],
  );
  const nodes = useMemo(() => cornersOf(circle.size), [circle]);
  const keys = useMemo(() => edges.map(({ source, target }) => edgeKey(source.id, target.id)), [edges]);
  const picture = useMemo(() => ({ circle, edges }), [circle, edges]);
  const flow = useRef<ReactFlowInstance<GraphNode>>(null);
  const [pointed, setPointed] = useState<Thing | null>(null);
  const [chosen, setChosen] = useState<Thing | null>(null);
  const shown = pointed ?? chosen;

  const at = ({ clientX, clientY }: MouseEvent): Thing | null => {
    const { current } = flow;
    if (current === null) return null;
    const [point, zoom] = [current.screenToFlowPosition({ x: clientX, y: clientY }), current.getZoom()];
    const agent = agentAt(circle, point, outsideOf(circle, zoom));
    if (agent !== null) return { agent: circle.agents[agent]!.id };
    const line = lineAt(circle, point, reach / zoom);
    return line === null ? null : { pair: keys[line]! };
  };
  const point = (thing: Thing | null): void => setPointed((now) => (isSame(now, thing) ? now : thing));

  const index = chosen !== null && 'pair' in chosen ? keys.indexOf(chosen.pair) : -1;
  const step = (by: 1 | -1): void => {
    // The mouse may rest on the picture.
    setPointed(null);
    setChosen({ pair: keys[Math.min(keys.length - 1, Math.max(0, index + by))]! });
  };
  return (
    <>
      <Flow
        size={circle.size}
        nodes={nodes}
        nodeTypes={nodeTypes}
        maxZoom={8}
        className={pointed === null ? '' : styles.pointing!}
        onInit={(instance) => void (flow.current = instance)}
        onPaneMouseMove={(event) => point(at(event))}
        onPaneMouseLeave={() => point(null)}
        onPaneClick={(event) => setChosen(at(event))}
      >
        <Painted
          picture={picture}
          pair={indexIn(keys, shown)}
          agent={shown !== null && 'agent' in shown ? shown.agent : null}
        />
      </Flow>
      <div className={styles.chosen}>
        <div role="status">
          {shown === null ? (
            <span className="soft">Click a line or an agent to see its numbers.</span>
          ) : 'pair' in shown ? (
            <PairWords edge={edges[keys.indexOf(shown.pair)]} view={view} />
          ) : (
            <AgentWords of={agents.find(({ agent }) => agent.id === shown.agent)} view={view} />
          )}
        </div>
        <button type="button" className="button small" aria-disabled={index <= 0} onClick={() => index > 0 && step(-1)}>
          Busier pair
        </button>
        <button
          type="button"
          className="button small"
          aria-disabled={index === keys.length - 1}
          onClick={() => index < keys.length - 1 && step(1)}
        >
          {index === -1 ? 'Busiest pair' : 'Next pair'}
        </button>
      </div>
    </>
  );
}

const indexIn = (keys: readonly string[], thing: Thing | null): number =>
  thing !== null && 'pair' in thing ? keys.indexOf(thing.pair) : -1;

function PairWords({ edge, view }: { edge: Edge | undefined; view: PictureProps['view'] }) {
  if (edge === undefined) return 'This pair is no longer drawn.';
  const [source, target] = [edge.source.id, edge.target.id];
  return (
    <>
      <Link href={listOf({ source, target }, view)}>
        {countText(edge.count)} from {source} to {target}
      </Link>
      : {wordsOfPair(edge)}
    </>
  );
}

function AgentWords({ of, view }: { of: PictureProps['agents'][number] | undefined; view: PictureProps['view'] }) {
  if (of === undefined) return 'This agent is no longer drawn.';
  const { id } = of.agent;
  return (
    <>
      <Link href={`/agents/${encodeURIComponent(id)}`}>{id}</Link>: {of.given.toLocaleString()} given,{' '}
      {of.received.toLocaleString()} received.{' '}
      {view.agent === id ? (
        <Link href={writeGraphView({ ...view, agent: '' })}>Show every agent</Link>
      ) : (
        <Link href={writeGraphView({ ...view, agent: id })}>Show only its handoffs</Link>
      )}
    </>
  );
}

const dark = matchMedia('(prefers-color-scheme: dark)');

function onDark(listener: () => void): () => void {
  dark.addEventListener('change', listener);
  return () => dark.removeEventListener('change', listener);
}

/** Two layers, so that what is pointed at is painted without the thousands of lines below it. */
function Painted({ picture, pair, agent }: { picture: Picture; pair: number; agent: string | null }) {
  const { x, y, zoom } = useViewport();
  const width = useStore((state) => state.width);
  const height = useStore((state) => state.height);
  const [theme] = useTheme();
  const isDark = useSyncExternalStore(onDark, () => dark.matches);
  const below = useRef<HTMLCanvasElement>(null);
  const above = useRef<HTMLCanvasElement>(null);
  const isDimmed = pair !== -1 || agent !== null;
  const frame = useMemo(() => ({ x, y, zoom, width, height }), [x, y, zoom, width, height]);
  const look = `${theme} ${isDark}`;
  useLayoutEffect(() => {
    if (below.current) paintAll(below.current, picture, frame, readColours(below.current));
  }, [picture, frame, look]);
  useLayoutEffect(() => {
    if (above.current) paintChosen(above.current, picture, frame, readColours(above.current), { pair, agent });
  }, [picture, frame, look, pair, agent]);
  return (
    <>
      <canvas ref={below} className={styles.lines} data-dimmed={isDimmed} aria-hidden="true" />
      <canvas ref={above} className={styles.lines} aria-hidden="true" />
    </>
  );
}
