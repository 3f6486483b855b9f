import { canonicalJson } from '../../core/canonicalJson.ts';
import type { ApprovalRule } from '../../generated/prisma/client.ts';
import type { StageGuide } from '../context/stage.ts';
import { faultOfComparing, sourceOfCondition } from './rules.ts';

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
  /** What is compared: see `sourceOfCondition`. */
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
  /** Whether a person has to approve the Handoffs that take it; absent for no. */
  approval?: ApprovalRule | undefined;
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
  sentBack: boolean;
}

/** The pipeline of a locked Session. */
export interface SessionPipeline extends Definition {
  id: string;
  slug: string;
  version: number;
  /** The newest stay in each stage, and the one that the last Handoff left. */
  stays: Stay[];
  /** The newest payload of each stage that was left with one; null unless a condition reads it. */
  payloads: Readonly<Record<string, unknown>> | null;
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

/** What conditions read. */
export interface Facts {
  variables: Variables;
  /** Of the outcome; undefined when none is given. */
  payload?: unknown;
  /** The newest one of each stage. */
  payloads?: Readonly<Record<string, unknown>> | null;
}

/** An outcome whose condition compares values that cannot be compared. */
export interface Undecided {
  outcome: string;
  reason: string;
}

/**
 * Where each outcome of the stage leads with these facts: the first transition whose condition holds. An outcome with a
 * comparison that cannot be made before leads nowhere: the next transition may be the end.
 */
export function waysFrom(
  pipeline: Definition & { stays: readonly Stay[] },
  stage: string,
  facts: Facts,
): { ways: Way[]; undecided: Undecided[] } {
  const ways = new Map<string, Way>();
  const undecided = new Map<string, Undecided>();
  const steps = stepsFromStart(pipeline);
  // A variable may be large, and many conditions may compare it.
  const canonicals = new Map<string, string>();
  for (const transition of pipeline.transitions) {
    const { from, outcome, to, when } = transition;
    if (from !== stage || ways.has(outcome) || undecided.has(outcome)) continue;
    const fault = faultOfHolding(when, facts);
    if (fault !== null) undecided.set(outcome, { outcome, reason: fault });
    if (fault !== null || !holds(when, facts, canonicals)) continue;
    ways.set(outcome, {
      outcome,
      to: to === null ? null : stageNamed(pipeline, to),
      again: pipeline.stays.some((stay) => stay.stage === to),
      back: to !== null && steps.get(to)! < steps.get(stage)!,
      transition,
    });
  }
  return { ways: [...ways.values()], undecided: [...undecided.values()] };
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

/** The value that a condition compares; undefined when it is not set. */
function valueOf(variable: string, { variables, payload, payloads }: Facts): unknown {
  const source = sourceOfCondition(variable);
  if (source.of === 'payload') return valueAt(payload ?? undefined, source.path);
  if (source.of === 'stage') return valueAt(payloads ?? undefined, [source.stage, ...source.path]);
  // A name may have dots of its own: the longest one that is set.
  const names = source.name.split('.');
  for (let end = names.length; end > 0; end -= 1) {
    const name = names.slice(0, end).join('.');
    if (Object.hasOwn(variables, name)) return valueAt(variables[name]!.value, names.slice(end));
  }
  return undefined;
}

function valueAt(value: unknown, path: readonly string[]): unknown {
  const [name, ...rest] = path;
  if (name === undefined) return value;
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? valueAt((value as Record<string, unknown>)[name], rest)
    : undefined;
}

/** Why a condition cannot be decided; null when it can. */
export function faultOfHolding(when: Condition | null, facts: Facts): string | null {
  const value = when === null ? undefined : valueOf(when.variable, facts);
  if (when === null || value === undefined) return null;
  const fault = faultOfComparing(when.op, value, when.value);
  return fault && `'${when.variable}' ${fault} (${when.op} ${JSON.stringify(when.value)})`;
}

/** Whether the condition holds. What is not set fails every condition. `canonicals` keeps the text of values that were compared. */
export function holds(when: Condition | null, facts: Facts, canonicals = new Map<string, string>()): boolean {
  if (when === null) return true;
  const value = valueOf(when.variable, facts);
  if (value === undefined || faultOfComparing(when.op, value, when.value) !== null) return false;
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
      return value !== null && (value as number) < (when.value as number);
    case 'GT':
      return value !== null && (value as number) > (when.value as number);
  }
}

/** Whether an outcome is decided by its payload. */
export const readsPayload = ({ transitions }: Definition, stage: string, outcome: string): boolean =>
  transitions.some(
    (each) =>
      each.from === stage &&
      each.outcome === outcome &&
      each.when !== null &&
      sourceOfCondition(each.when.variable).of === 'payload',
  );

/** What an agent in the stage has to know. */
export function guideOf(pipeline: Definition & { slug: string }, stage: string): StageGuide {
  const { name, phase, instructions, payloadSchema } = stageNamed(pipeline, stage);
  const steps = stepsFromStart(pipeline);
  const own = pipeline.transitions.filter(({ from }) => from === stage);
  return {
    pipeline: pipeline.slug,
    name,
    phase,
    instructions,
    outcomes: [...new Set(own.map(({ outcome }) => outcome))].map((outcome) => {
      const ways = own.filter((each) => each.outcome === outcome);
      return {
        outcome,
        ways: ways.map(({ to, when, payloadSchema: own }) => ({
          to,
          back: to !== null && steps.get(to)! < steps.get(stage)!,
          when: when && `${when.variable} ${when.op}${when.op === 'EXISTS' ? '' : ` ${JSON.stringify(when.value)}`}`,
          payloadSchema: own ?? payloadSchema,
        })),
      };
    }),
  };
}
