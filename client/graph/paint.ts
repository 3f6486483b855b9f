import { longestName, type Circle } from './circle.ts';
import { mostly, type Edge, type Outcome } from './outcomes.ts';

export interface Picture {
  circle: Circle;
  /** In the order of the circle's lines: the busiest first. */
  edges: readonly Edge[];
}

/** The part of the picture that is in sight: its place and size in pixels. */
export interface Frame {
  x: number;
  y: number;
  zoom: number;
  width: number;
  height: number;
}

export type Colours = Record<Outcome['tone'] | 'text' | 'text-soft' | 'surface', string>;

/** Of the theme as it is now: a canvas does not know CSS variables. */
export function readColours(canvas: HTMLCanvasElement): Colours {
  const read = (name: string): string => {
    canvas.style.color = `var(--${name})`;
    return getComputedStyle(canvas).color;
  };
  return {
    good: read('good'),
    wait: read('wait'),
    bad: read('bad'),
    calm: read('calm'),
    text: read('text'),
    'text-soft': read('text-soft'),
    surface: read('surface'),
  };
}

/** The size of names in units of the picture: at most 13 pixels. */
const textSize = (zoom: number): number => Math.min(11, 13 / zoom);
const isLegible = (zoom: number): boolean => textSize(zoom) * zoom >= 7.5;
/** How far outside of the circle a pointer means an agent: on its name, else near its place. */
export const outsideOf = ({ margin }: Circle, zoom: number): number => (isLegible(zoom) ? margin : 14 / zoom);

const shortened = (id: string): string => (id.length > longestName ? `${id.slice(0, longestName - 1)}…` : id);

/** The drawing context for units of the picture, on an empty canvas. */
function begin(canvas: HTMLCanvasElement, { x, y, zoom, width, height }: Frame): CanvasRenderingContext2D | null {
  const ratio = devicePixelRatio;
  canvas.width = Math.round(width * ratio);
  canvas.height = Math.round(height * ratio);
  const context = canvas.getContext('2d');
  context?.setTransform(zoom * ratio, 0, 0, zoom * ratio, x * ratio, y * ratio);
  return context;
}

/** From 0 for one handoff to 1 for the most frequent pair, logarithmic. */
const weightOf = (count: number, maxCount: number): number =>
  maxCount <= 1 ? 0 : Math.log(count) / Math.log(maxCount);
const widthOf = (count: number, maxCount: number): number => 0.6 + 3.4 * weightOf(count, maxCount);

export function paintAll(canvas: HTMLCanvasElement, { circle, edges }: Picture, frame: Frame, colours: Colours): void {
  const context = begin(canvas, frame);
  if (context === null || frame.width === 0) return;
  // Many lines cross each other and are to be seen through, the more the smaller the circle is; frequent pairs less so.
  const least = Math.min(0.85, Math.max(0.08, (1.2 * circle.radius * frame.zoom) / edges.length));
  const maxCount = edges[0]?.count ?? 1;
  // One stroke for each line: a path of many takes two to four times as long.
  for (let index = edges.length - 1; index >= 0; index -= 1) {
    const edge = edges[index]!;
    context.strokeStyle = colours[mostly(edge).tone];
    context.lineWidth = widthOf(edge.count, maxCount) / frame.zoom;
    context.globalAlpha = least + (0.85 - least) * weightOf(edge.count, maxCount) ** 2;
    strokeLine(context, circle, index);
  }
  context.globalAlpha = 1;
  context.fillStyle = colours.text;
  for (const { x, y } of circle.agents) dot(context, x, y, Math.min(3, 4 / frame.zoom));
  if (isLegible(frame.zoom)) for (const agent of circle.agents) write(context, circle, agent, frame.zoom);
  canvas.dataset['lines'] = String(edges.length);
}

function strokeLine(context: CanvasRenderingContext2D, { lines }: Circle, index: number): void {
  const at = index * 6;
  context.beginPath();
  context.moveTo(lines[at]!, lines[at + 1]!);
  context.quadraticCurveTo(lines[at + 2]!, lines[at + 3]!, lines[at + 4]!, lines[at + 5]!);
  context.stroke();
}

function dot(context: CanvasRenderingContext2D, x: number, y: number, radius: number): void {
  context.beginPath();
  context.arc(x, y, radius, 0, 2 * Math.PI);
  context.fill();
}

/** Beside the agent's place, away from the centre. On the left half it is turned, so that it is not upside down. */
function write(
  context: CanvasRenderingContext2D,
  { centre, radius }: Circle,
  { id, angle }: Circle['agents'][number],
  zoom: number,
): void {
  const isLeft = Math.cos(angle) < 0;
  context.save();
  context.translate(centre, centre);
  context.rotate(isLeft ? angle + Math.PI : angle);
  context.font = `${textSize(zoom)}px ${fontOf(context)}`;
  context.textBaseline = 'middle';
  context.textAlign = isLeft ? 'right' : 'left';
  context.fillText(shortened(id), (isLeft ? -1 : 1) * (radius + 7), 0);
  context.restore();
}

const fontOf = ({ canvas }: CanvasRenderingContext2D): string => getComputedStyle(canvas).fontFamily;

/** A pair with an arrow and its names, or an agent with all of its lines. */
export function paintChosen(
  canvas: HTMLCanvasElement,
  { circle, edges }: Picture,
  frame: Frame,
  colours: Colours,
  { pair, agent }: { pair: number; agent: string | null },
): void {
  const context = begin(canvas, frame);
  if (context === null) return;
  const chosen =
    pair !== -1
      ? [pair]
      : agent === null
        ? []
        : edges.flatMap(({ source, target }, index) => (source.id === agent || target.id === agent ? index : []));
  const maxCount = edges[0]?.count ?? 1;
  for (const index of chosen) {
    const edge = edges[index]!;
    context.strokeStyle = context.fillStyle = colours[mostly(edge).tone];
    context.lineWidth = (widthOf(edge.count, maxCount) + (pair === -1 ? 0.4 : 1.5)) / frame.zoom;
    strokeLine(context, circle, index);
    if (pair !== -1 || chosen.length < 60) arrow(context, circle, index, (pair === -1 ? 8 : 12) / frame.zoom);
  }
  const named = new Set(pair === -1 ? [agent] : [edges[pair]!.source.id, edges[pair]!.target.id]);
  for (const each of circle.agents.filter(({ id }) => named.has(id))) tag(context, circle, each, frame, colours);
}

/** At the target, along the line. */
function arrow(context: CanvasRenderingContext2D, { lines }: Circle, index: number, size: number): void {
  const at = index * 6;
  const [fromX, fromY, x, y] = [lines[at + 2]!, lines[at + 3]!, lines[at + 4]!, lines[at + 5]!];
  const angle = Math.atan2(y - fromY, x - fromX);
  context.beginPath();
  context.moveTo(x, y);
  for (const side of [-0.4, 0.4]) context.lineTo(x - size * Math.cos(angle + side), y - size * Math.sin(angle + side));
  context.fill();
}

/** The whole name of an agent in pixels of the screen, upright and inside of the frame, whatever the size of the picture. */
function tag(
  context: CanvasRenderingContext2D,
  { centre }: Circle,
  { id, x, y }: Circle['agents'][number],
  frame: Frame,
  colours: Colours,
): void {
  const ratio = devicePixelRatio;
  context.save();
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.font = `600 13px ${fontOf(context)}`;
  context.textBaseline = 'middle';
  const [wide, high] = [context.measureText(id).width + 12, 22];
  const [atX, atY] = [x * frame.zoom + frame.x, y * frame.zoom + frame.y];
  const left = Math.max(2, Math.min(frame.width - wide - 2, x < centre ? atX - wide - 8 : atX + 8));
  const top = Math.max(2, Math.min(frame.height - high - 2, atY - high / 2));
  context.fillStyle = colours.surface;
  context.strokeStyle = colours['text-soft'];
  context.lineWidth = 1;
  context.beginPath();
  context.roundRect(left, top, wide, high, 5);
  context.fill();
  context.stroke();
  context.fillStyle = colours.text;
  context.fillText(id, left + 6, top + high / 2);
  dot(context, atX, atY, 5);
  context.restore();
}
