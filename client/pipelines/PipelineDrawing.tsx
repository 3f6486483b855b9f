import { useId, useLayoutEffect, useMemo, useRef, useState, type ReactNode } from 'react';
import { Link } from 'wouter';
import { smooth } from '../graph/layout.ts';
import { Icon } from '../ui/Icon.tsx';
import { drawPipeline, mostLabelWidth, wordsOf, type DrawnDefinition, type DrawnStage, type Way } from './layout.ts';
import { stageLooks, type StageLook } from './looks.ts';
import styles from './PipelineDrawing.module.css';

/** How far a Session is in one stage. */
export interface DrawnProgress {
  name: string;
  state: StageLook;
  agent?: { id: string } | null;
  attempts: number;
  outcome?: string | null;
  /** Place in the queue; null or absent when it has none. */
  position?: number | null;
}

export interface TakenWay {
  from: string;
  outcome: string;
  to?: string | null;
  times: number;
}

export interface PipelineDrawingProps {
  definition: DrawnDefinition;
  /** Accessible name of the figure. */
  label: string;
  /** Progress by stage; without it, stages show their role and type. */
  progress?: readonly DrawnProgress[];
  /** The ways that the Session took; without it, no way is drawn as taken. */
  taken?: readonly TakenWay[];
  /** Makes each stage a button that opens the element with the id `controls`. */
  choice?: { chosen: string | null; onChoose: (stage: string) => void; controls: string };
}

/** The stages and transitions of a pipeline: a list of stages in the order of the definition, placed over the lines. */
export function PipelineDrawing({ definition, label, progress, taken = [], choice }: PipelineDrawingProps) {
  const frame = useRef<HTMLDivElement>(null);
  const width = useWidth(frame);
  const id = useId();
  const height = progress ? 58 : 48;
  const drawing = useMemo(() => drawPipeline(definition, width, height), [definition, width, height]);
  const { size, stageSize, stages, start, end, entry, ways } = drawing;
  const byName = new Map(definition.stages.toReversed().map((stage) => [stage.name, stage]));
  const progressOf = new Map(progress?.map((each) => [each.name, each]));
  return (
    <figure aria-label={label} className={styles.figure}>
      <div ref={frame} className={styles.frame}>
        <div
          className={styles.drawing}
          style={{ width: size.width, height: size.height }}
          data-direction={drawing.direction}
        >
          <svg className={styles.lines} width={size.width} height={size.height} aria-hidden="true" focusable="false">
            <defs>
              {['way', 'taken'].map((kind) => (
                <marker
                  key={kind}
                  id={`${id}-${kind}`}
                  className={styles.tip}
                  data-kind={kind}
                  viewBox="0 0 6 6"
                  refX="5.5"
                  refY="3"
                  markerWidth="7"
                  markerHeight="7"
                  markerUnits="userSpaceOnUse"
                  orient="auto"
                >
                  <path d="M0 0 6 3 0 6z" />
                </marker>
              ))}
            </defs>
            {entry.length > 0 && (
              <path className={styles.line} data-kind="way" d={smooth(entry)} markerEnd={`url("#${id}-way")`} />
            )}
            {ways.map((way) => {
              const kind = timesTaken(way, taken) > 0 ? 'taken' : 'way';
              return (
                <path
                  key={`${way.from} ${way.to}`}
                  className={styles.line}
                  data-kind={kind}
                  data-back={way.isBack}
                  d={smooth(way.points)}
                  markerEnd={`url("#${id}-${kind}")`}
                />
              );
            })}
            {start && <circle className={styles.start} cx={start.x} cy={start.y} r="4" />}
            {end && <circle className={styles.end} cx={end.x} cy={end.y} r="4.5" />}
            {end && <circle className={styles.endDot} cx={end.x} cy={end.y} r="2" />}
          </svg>
          {ways.map((way) => {
            const { from, to, label: words } = way;
            if (words === null) return null;
            const times = timesTaken(way, taken);
            const text = times > 1 ? `${words.text} ×${times}` : words.text;
            return (
              <span
                key={`${from} ${to}`}
                className={styles.label}
                style={{ left: words.x, top: words.y, maxWidth: mostLabelWidth }}
                title={text}
                aria-hidden="true"
              >
                {text}
              </span>
            );
          })}
          <ol role="list" aria-label="Stages" className={styles.stages}>
            {[...stages].map(([name, { x, y }]) => (
              <li
                key={name}
                className={styles.stage}
                style={{ left: x, top: y, ...stageSize }}
                data-stage={name}
                data-state={progressOf.get(name)?.state}
                data-chosen={choice?.chosen === name}
              >
                <Stage
                  stage={byName.get(name)!}
                  isStart={name === definition.start}
                  progress={progressOf.get(name)}
                  choice={choice}
                />
                <span className="hidden">{waysOf(name, ways, taken)}</span>
              </li>
            ))}
          </ol>
        </div>
      </div>
    </figure>
  );
}

function Stage({
  stage,
  isStart,
  progress,
  choice,
}: {
  stage: DrawnStage;
  isStart: boolean;
  progress: DrawnProgress | undefined;
  choice: PipelineDrawingProps['choice'];
}) {
  const { name } = stage;
  const look = progress && stageLooks[progress.state];
  const needs = needsOf(stage);
  const title: ReactNode = choice ? (
    <button
      type="button"
      className={styles.choose}
      title={name}
      aria-expanded={choice.chosen === name}
      aria-controls={choice.controls}
      onClick={() => choice.onChoose(name)}
    >
      {name}
    </button>
  ) : (
    <span className={styles.name} title={name}>
      {name}
    </span>
  );
  return (
    <>
      <div className={styles.first}>
        {look && (
          <span className={styles.state} data-tone={look.tone}>
            <Icon name={look.icon} size={13} />
          </span>
        )}
        {title}
        {isStart && <span className="hidden">First stage.</span>}
        {look && (
          <span className="hidden">
            {look.word}
            {progress?.outcome != null && ` with ${progress.outcome}`}.
          </span>
        )}
      </div>
      <div className={styles.second}>
        {progress ? <Held progress={progress} needs={needs} /> : <span title={needs}>{needs}</span>}
        {progress && progress.attempts > 1 && (
          <span className={styles.attempts} title={`Entered ${progress.attempts} times`}>
            <span aria-hidden="true">×{progress.attempts}</span>
            <span className="hidden">Entered {progress.attempts} times.</span>
          </span>
        )}
      </div>
    </>
  );
}

/** The agent of a stage, else what the stage waits for. */
function Held({ progress: { state, agent, position }, needs }: { progress: DrawnProgress; needs: string }) {
  if (state === 'QUEUED') return <span>{position == null ? 'Queued' : `Queued, number ${position}`}</span>;
  if (!agent) return <span title={needs}>{needs}</span>;
  return (
    <Link href={`/agents/${encodeURIComponent(agent.id)}`} className={styles.agent} title={agent.id}>
      {agent.id}
    </Link>
  );
}

const needsOf = ({ role, agentType }: DrawnStage): string =>
  [role, agentType].filter((each) => each != null && each !== '').join(', ') || 'any agent';

/** The transitions of a stage in words, for screen readers. */
function waysOf(name: string, ways: readonly Way[], taken: readonly TakenWay[]): string {
  const own = ways.filter(({ from }) => from === name);
  return own
    .flatMap((way) =>
      way.transitions.map((transition) => {
        const { to, isBack } = way;
        const times = timesTaken({ ...way, transitions: [transition] }, taken);
        const often = times === 0 ? '' : `, taken ${times === 1 ? 'once' : `${times} times`}`;
        return `${wordsOf(transition)}: ${to === null ? 'the end' : `${isBack ? 'back to' : 'to'} ${to}`}${often}.`;
      }),
    )
    .join(' ');
}

/** How often the Session went this way. */
function timesTaken({ from, to, transitions }: Way, taken: readonly TakenWay[]): number {
  return taken
    .filter(
      (way) =>
        way.from === from && (way.to ?? null) === to && transitions.some(({ outcome }) => outcome === way.outcome),
    )
    .reduce((sum, { times }) => sum + times, 0);
}

/** The width of an element, followed when it changes. It is known before the first paint. */
function useWidth(of: { readonly current: HTMLElement | null }): number {
  const [width, setWidth] = useState(Infinity);
  useLayoutEffect(() => {
    const element = of.current;
    if (!element) return;
    const observer = new ResizeObserver(() => setWidth(element.clientWidth));
    observer.observe(element);
    return () => observer.disconnect();
  }, [of]);
  return width;
}
