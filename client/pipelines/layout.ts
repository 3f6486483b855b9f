import { graphlib, layout } from '@dagrejs/dagre';
import type { Point, Size } from '../graph/layout.ts';

export interface DrawnStage {
  name: string;
  role?: string | null;
  agentType?: string | null;
}

export interface DrawnTransition {
  from: string;
  outcome: string;
  /** Null or absent completes the Session. */
  to?: string | null;
  when?: { variable: string; op: string; value?: unknown } | null;
}

/** A definition, also an unfinished one: what names an unknown stage is left out, and the first of two equal names counts. */
export interface DrawnDefinition {
  stages: readonly DrawnStage[];
  transitions: readonly DrawnTransition[];
  start: string;
}

/** All transitions from one stage to another, which share a line. */
export interface Way {
  from: string;
  /** Null for the end. */
  to: string | null;
  transitions: DrawnTransition[];
  /** Leads against the direction of the drawing. */
  isBack: boolean;
  points: Point[];
  /** Null when the stage has no other way. */
  label: (Point & { text: string }) | null;
}

export interface Drawing {
  direction: 'across' | 'down';
  size: Size;
  stageSize: Size;
  /** The upper left corner of each stage, in the order of the definition. */
  stages: Map<string, Point>;
  /** The middle of the mark before the first stage, and of the one after the last. */
  start: Point | null;
  end: Point | null;
  /** From the mark to the first stage. */
  entry: Point[];
  ways: Way[];
}

const widths = { across: [172, 156, 142, 126, 110], down: [232, 190, 156] };
const mark: Size = { width: 12, height: 12 };
const labelHeight = 20;
export const mostLabelWidth = 128;

// No stage has such a name.
const startKey = '>';
const endKey = '<';

/** From left to right with the widest stages that fit, else from the top down. */
export function drawPipeline(definition: DrawnDefinition, available: number, stageHeight: number): Drawing {
  let drawing: Drawing | undefined;
  for (const direction of ['across', 'down'] as const) {
    for (const width of widths[direction]) {
      drawing = draw(definition, direction, { width, height: stageHeight });
      if (drawing.size.width <= available) return drawing;
    }
  }
  return drawing!;
}

function draw(
  { stages, transitions, start }: DrawnDefinition,
  direction: Drawing['direction'],
  stageSize: Size,
): Drawing {
  const names = [...new Set(stages.map(({ name }) => name))];
  const pairs = pairsOf(names, transitions);
  const graph = new graphlib.Graph();
  graph.setGraph({
    rankdir: direction === 'across' ? 'LR' : 'TB',
    nodesep: 22,
    ranksep: 22,
    edgesep: 14,
    marginx: 4,
    marginy: 4,
  });
  const hasStart = names.includes(start);
  const hasEnd = pairs.some(({ to }) => to === null);
  // The order decides which lines of a circle lead back: the start comes first.
  if (hasStart) graph.setNode(startKey, { ...mark });
  for (const name of hasStart ? [start, ...names.filter((each) => each !== start)] : names)
    graph.setNode(name, { ...stageSize });
  if (hasEnd) graph.setNode(endKey, { ...mark });
  if (hasStart) graph.setEdge(startKey, start, {});
  for (const { from, to, text } of pairs)
    graph.setEdge(from, to ?? endKey, {
      labelpos: 'c',
      ...(text === null ? { width: 0, height: 0 } : { width: widthOf(text), height: labelHeight }),
    });
  layout(graph);
  const at = (name: string): Point => pointOf(graph.node(name) as Point);
  const { width, height } = graph.graph() as Size;
  return {
    direction,
    // Without any stage dagre returns -Infinity.
    size: { width: Math.max(0, width), height: Math.max(0, height) },
    stageSize,
    stages: new Map(
      names.map((name) => [name, { x: at(name).x - stageSize.width / 2, y: at(name).y - stageSize.height / 2 }]),
    ),
    start: hasStart ? at(startKey) : null,
    end: hasEnd ? at(endKey) : null,
    entry: hasStart ? (graph.edge(startKey, start) as { points: Point[] }).points : [],
    ways: pairs.map(({ from, to, transitions: all, text }) => {
      const edge = graph.edge(from, to ?? endKey) as { points: Point[] } & Point;
      const axis = direction === 'across' ? 'x' : 'y';
      return {
        from,
        to,
        transitions: all,
        isBack: to !== null && at(to)[axis] <= at(from)[axis],
        points: edge.points.map(pointOf),
        label: text === null ? null : { ...pointOf(edge), text },
      };
    }),
  };
}

function pairsOf(
  names: readonly string[],
  transitions: readonly DrawnTransition[],
): { from: string; to: string | null; transitions: DrawnTransition[]; text: string | null }[] {
  const known = transitions.filter(({ from, to }) => names.includes(from) && (to == null || names.includes(to)));
  const pairs = new Map<string, { from: string; to: string | null; transitions: DrawnTransition[] }>();
  for (const transition of known) {
    const { from, to = null } = transition;
    const key = JSON.stringify([from, to]);
    pairs.set(key, { from, to, transitions: [...(pairs.get(key)?.transitions ?? []), transition] });
  }
  return [...pairs.values()].map((pair) => ({
    ...pair,
    text:
      known.filter(({ from }) => from === pair.from).length > 1
        ? [...new Set(pair.transitions.map(wordsOf))].join(', ')
        : null,
  }));
}

const widthOf = (text: string): number => Math.min(mostLabelWidth, 12 + 7 * text.length);

const pointOf = ({ x, y }: Point): Point => ({ x, y });

const opWords: Record<string, string> = { EQ: '=', NE: '≠', LT: '<', GT: '>', IN: 'in', EXISTS: 'is set' };

/** "DONE", "DONE if priority = 3". */
export function wordsOf({ outcome, when }: Pick<DrawnTransition, 'outcome' | 'when'>): string {
  if (when == null) return outcome;
  const value = when.op === 'EXISTS' ? '' : ` ${JSON.stringify(when.value ?? null)}`;
  return `${outcome} if ${when.variable} ${opWords[when.op] ?? when.op}${value}`;
}
