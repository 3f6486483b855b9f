import { canonicalJson } from '../core/canonicalJson.ts';

/** The definition of a pipeline as it is stored, and which stages may follow. Pure. */

export interface Stage {
  name: string;
  /** Role that its agents have; null for any. */
  role: string | null;
  /** Type that its agents have; null for any. */
  agentType: string | null;
  phase: string | null;
  instructions: string | null;
  payloadSchema: object | null;
  acceptWithinMinutes: number | null;
  remindAfterMinutes: number | null;
  escalateTo: { agentId: string | null; role: string | null; operators: boolean } | null;
}

export const conditionOps = ['EQ', 'NE', 'LT', 'GT', 'IN', 'EXISTS'] as const;

export interface Condition {
  variable: string;
  op: (typeof conditionOps)[number];
  value: unknown;
}

export interface Transition {
  from: string;
  outcome: string;
  /** Null completes the Session. */
  to: string | null;
  /** Null: always. */
  when: Condition | null;
  payloadSchema: object | null;
}

export interface Definition {
  start: string;
  stages: Stage[];
  transitions: Transition[];
}

/** The newest stay in a stage. */
export interface Stay {
  id: string;
  number: number;
  stage: string;
  attempt: number;
  agentId: string | null;
  tried: string[];
  enteredAt: Date;
  leftAt: Date | null;
}

/** The pipeline of a locked Session. */
export interface SessionPipeline extends Definition {
  id: string;
  slug: string;
  version: number;
  /** The newest stay in each stage, and the one that the last Handoff left. */
  stays: Stay[];
}

/** A stage, or the end, that an outcome leads to now. */
export interface Way {
  outcome: string;
  /** Null for the end. */
  to: Stage | null;
  /** True when the Session was in that stage before. */
  again: boolean;
  /** True when that stage is nearer to the start. */
  back: boolean;
  transition: Transition;
}

export function stageNamed({ stages }: Definition, name: string): Stage {
  const stage = stages.find((each) => each.name === name);
  if (stage === undefined) throw new Error(`the pipeline has no stage '${name}'`);
  return stage;
}

/** The newest stay in a stage; null when the Session was not in it. */
export const newestStay = ({ stays }: { stays: readonly Stay[] }, stage: string): Stay | null =>
  stays
    .filter((stay) => stay.stage === stage)
    .reduce<Stay | null>((newest, stay) => (newest === null || stay.number > newest.number ? stay : newest), null);

type Variables = Readonly<Record<string, { value: unknown }>>;

/** Where each outcome of the stage leads with these variables: the first transition whose condition holds. */
export function waysFrom(
  pipeline: Definition & { stays: readonly Stay[] },
  stage: string,
  variables: Variables,
): Way[] {
  const ways = new Map<string, Way>();
  const steps = stepsFromStart(pipeline);
  // A variable may be large, and many conditions may compare it.
  const canonicals = new Map<string, string>();
  for (const transition of pipeline.transitions) {
    const { from, outcome, to, when } = transition;
    if (from !== stage || ways.has(outcome) || !holds(when, variables, canonicals)) continue;
    ways.set(outcome, {
      outcome,
      to: to === null ? null : stageNamed(pipeline, to),
      again: pipeline.stays.some((stay) => stay.stage === to),
      back: to !== null && steps.get(to)! < steps.get(stage)!,
      transition,
    });
  }
  return [...ways.values()];
}

/** The stages that can be reached, with the least number of transitions to each. */
export function stepsFromStart({ start, transitions }: Pick<Definition, 'start' | 'transitions'>): Map<string, number> {
  const steps = new Map([[start, 0]]);
  // A Map visits the entries that are added meanwhile.
  for (const [stage, count] of steps) {
    for (const { from, to } of transitions)
      if (from === stage && to !== null && !steps.has(to)) steps.set(to, count + 1);
  }
  return steps;
}

/** Whether the condition holds. A variable that is not set fails every condition. `canonicals` keeps the text of variables that were compared. */
export function holds(when: Condition | null, variables: Variables, canonicals = new Map<string, string>()): boolean {
  if (when === null) return true;
  if (!Object.hasOwn(variables, when.variable)) return false;
  const { value } = variables[when.variable]!;
  const is = (other: unknown): boolean => {
    const canonical = canonicals.get(when.variable) ?? canonicalJson(value);
    canonicals.set(when.variable, canonical);
    return canonical === canonicalJson(other);
  };
  switch (when.op) {
    case 'EXISTS':
      return true;
    case 'EQ':
      return is(when.value);
    case 'NE':
      return !is(when.value);
    case 'IN':
      return Array.isArray(when.value) && when.value.some(is);
    case 'LT':
      return ordered(value, when.value) && value < (when.value as number);
    case 'GT':
      return ordered(value, when.value) && value > (when.value as number);
  }
}

/** Two numbers or two texts; others have no order. */
const ordered = (a: unknown, b: unknown): a is number =>
  (typeof a === 'number' && typeof b === 'number') || (typeof a === 'string' && typeof b === 'string');
