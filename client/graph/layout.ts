import { graphlib, layout } from '@dagrejs/dagre';

export interface Point {
  x: number;
  y: number;
}

export interface Placed {
  size: Size;
  node: Size;
  nodes: Map<string, Point>;
  /** By `${source}>${target}`: the points of each edge, and the place of its number. */
  edges: Map<string, { points: Point[]; label: Point }>;
}

export interface Size {
  width: number;
  height: number;
}

const nodeSize = { width: 168, height: 58 };
const narrowNodeSize = { width: 148, height: 52 };
const labelSize = { width: 60, height: 42 };
const narrowLabelSize = { width: 44, height: 40 };
/** With success and time below the number, and failures below these. */
const largeLabelSize = { width: 110, height: 62 };

/** Whether only numbers have room beside the lines. */
export const isDense = (pairs: number, isNarrow: boolean): boolean => isNarrow || pairs > 12;

export const edgeKey = (source: string, target: string): string => `${source}>${target}`;

export type Pairs = readonly { source: string; target: string }[];

/** Layers from left to right; on a narrow screen from the top down, if that is narrower. */
export function place(agents: readonly string[], pairs: Pairs, isNarrow: boolean): Placed {
  const across = layers(agents, pairs, 'LR', isNarrow);
  if (!isNarrow) return across;
  const down = layers(agents, pairs, 'TB', isNarrow);
  return down.size.width <= across.size.width ? down : across;
}

/** Opposite edges between the same agents are drawn apart. */
function layers(agents: readonly string[], pairs: Pairs, direction: 'LR' | 'TB', isNarrow: boolean): Placed {
  const node = isNarrow ? narrowNodeSize : nodeSize;
  const dense = isDense(pairs.length, isNarrow);
  const graph = new graphlib.Graph({ multigraph: true });
  graph.setGraph({
    rankdir: direction,
    nodesep: dense ? 18 : 46,
    ranksep: isNarrow ? 30 : 60,
    edgesep: dense ? 8 : 26,
    marginx: 12,
    marginy: 12,
  });
  graph.setDefaultEdgeLabel(() => ({}));
  for (const agent of agents) graph.setNode(agent, { ...node });
  for (const { source, target } of pairs)
    graph.setEdge(
      source,
      target,
      { ...(isNarrow ? narrowLabelSize : dense ? labelSize : largeLabelSize), labelpos: 'c' },
      edgeKey(source, target),
    );
  layout(graph);
  const { width, height } = graph.graph() as Size;
  return {
    size: { width, height },
    node,
    nodes: new Map(agents.map((agent) => [agent, pointOf(graph.node(agent) as Point)])),
    edges: new Map(
      pairs.map(({ source, target }) => {
        const edge = graph.edge(source, target, edgeKey(source, target)) as { points?: Point[] } & Point;
        return [edgeKey(source, target), { points: edge.points ?? [], label: pointOf(edge) }];
      }),
    ),
  };
}

const pointOf = ({ x, y }: Point): Point => ({ x, y });

/** A smooth path through all points (Catmull-Rom as cubic curves). */
export function smooth(points: readonly Point[]): string {
  const [first] = points;
  if (!first) return '';
  const parts = [`M${first.x} ${first.y}`];
  for (const [index, point] of points.entries()) {
    const next = points[index + 1];
    if (!next) break;
    const [before, after] = [points[index - 1] ?? point, points[index + 2] ?? next];
    const bend = [
      point.x + (next.x - before.x) / 6,
      point.y + (next.y - before.y) / 6,
      next.x - (after.x - point.x) / 6,
      next.y - (after.y - point.y) / 6,
    ];
    parts.push(`C${bend.join(' ')} ${next.x} ${next.y}`);
  }
  return parts.join('');
}
