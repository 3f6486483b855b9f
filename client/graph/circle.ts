import type { Pairs, Point, Size } from './layout.ts';

export interface PlacedAgent extends Point {
  id: string;
  /** In radians, clockwise from the right. */
  angle: number;
}

export interface Circle {
  size: Size;
  centre: number;
  radius: number;
  /** Outside of the circle, for names. */
  margin: number;
  agents: PlacedAgent[];
  /** Six numbers for each pair: its source, the point to which it bends, its target. */
  lines: Float32Array;
}

/** Along the circle, for each agent. */
const spacing = 14;
const leastRadius = 240;
/** Of the longest name that is written in whole, and of a letter. */
export const longestName = 22;
const letter = 6.5;
/** How much of its way to the centre a line keeps away from it, and how far opposite lines are apart. */
const [bend, apart] = [0.25, 0.05];

/** Agents in a circle, in the given order from the top, and a curve for each pair. Opposite lines between two agents lie apart. */
export function placeInCircle(ids: readonly string[], pairs: Pairs): Circle {
  const radius = Math.max(leastRadius, (ids.length * spacing) / (2 * Math.PI));
  const margin = 16 + letter * Math.min(longestName, Math.max(...ids.map(({ length }) => length)));
  const centre = radius + margin;
  const agents = ids.map((id, index): PlacedAgent => {
    const angle = (index / ids.length) * 2 * Math.PI - Math.PI / 2;
    return { id, angle, x: centre + radius * Math.cos(angle), y: centre + radius * Math.sin(angle) };
  });
  const byId = new Map(agents.map((agent) => [agent.id, agent]));
  const lines = new Float32Array(pairs.length * 6);
  for (const [index, { source, target }] of pairs.entries()) {
    const [from, to] = [byId.get(source)!, byId.get(target)!];
    const [x, y] = [(from.x + to.x) / 2, (from.y + to.y) / 2];
    lines.set(
      [
        from.x,
        from.y,
        centre + (x - centre) * bend - (to.y - from.y) * apart,
        centre + (y - centre) * bend + (to.x - from.x) * apart,
        to.x,
        to.y,
      ],
      index * 6,
    );
  }
  return { size: { width: 2 * centre, height: 2 * centre }, centre, radius, margin, agents, lines };
}

/** The agent at a point: on its place of the circle, up to this far outside. */
export function agentAt({ centre, radius, agents }: Circle, { x, y }: Point, outside: number): number | null {
  const distance = Math.hypot(x - centre, y - centre);
  if (agents.length === 0 || distance < radius - 4 || distance > radius + outside) return null;
  const turn = (Math.atan2(y - centre, x - centre) + Math.PI / 2) / (2 * Math.PI);
  const index = Math.round((turn + 1) * agents.length) % agents.length;
  const { x: atX, y: atY } = agents[index]!;
  // Few agents stand far apart.
  return Math.abs((x - centre) * (atY - centre) - (y - centre) * (atX - centre)) / radius <= spacing ? index : null;
}

/** Straight parts of a line in the search. */
const parts = 16;

/** The index of the line nearest to a point; null when all are further away than `reach`. */
export function lineAt({ lines }: Circle, { x, y }: Point, reach: number): number | null {
  let nearest: number | null = null;
  let least = reach * reach;
  for (let at = 0; at < lines.length; at += 6) {
    const [ax, ay, bx, by, cx, cy] = [
      lines[at]!,
      lines[at + 1]!,
      lines[at + 2]!,
      lines[at + 3]!,
      lines[at + 4]!,
      lines[at + 5]!,
    ];
    if (
      x < Math.min(ax, bx, cx) - reach ||
      x > Math.max(ax, bx, cx) + reach ||
      y < Math.min(ay, by, cy) - reach ||
      y > Math.max(ay, by, cy) + reach
    )
      continue;
    let [fromX, fromY] = [ax, ay];
    for (let part = 1; part <= parts; part += 1) {
      const t = part / parts;
      const [first, second, third] = [(1 - t) * (1 - t), 2 * t * (1 - t), t * t];
      const [toX, toY] = [first * ax + second * bx + third * cx, first * ay + second * by + third * cy];
      const [dx, dy] = [toX - fromX, toY - fromY];
      const along = Math.min(1, Math.max(0, ((x - fromX) * dx + (y - fromY) * dy) / (dx * dx + dy * dy || 1)));
      const [offX, offY] = [x - fromX - along * dx, y - fromY - along * dy];
      const square = offX * offX + offY * offY;
      if (square < least) [least, nearest] = [square, at / 6];
      [fromX, fromY] = [toX, toY];
    }
  }
  return nearest;
}
