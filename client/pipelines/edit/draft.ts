import { faultOfStageName, faultsOfFields } from '../../../server/work/pipelines/fields.ts';
import {
  faultsOfDefinition,
  type Condition,
  type Fault,
  type NamedDefinition,
  type Stage,
  type Transition,
} from '../../../server/work/pipelines/rules.ts';
import { approvalOf } from '../definitions/savedPipeline.ts';

/** Key of a stage, which stays while its name is typed; a name that no stage has. */
export type StageRef = number | string;

/** A stage as it is typed: everything is text, and empty text is null. */
export interface StageDraft {
  key: number;
  name: string;
  role: string;
  agentType: string;
  phase: string;
  instructions: string;
  payloadSchema: string;
  acceptWithinMinutes: string;
  remindAfterMinutes: string;
  escalate: Escalation;
  /** The agent or the role. */
  escalateTo: string;
}

export type Escalation = 'BACK' | 'AGENT' | 'ROLE' | 'OPERATORS';

export interface WayDraft {
  key: number;
  from: StageRef;
  outcome: string;
  /** Null for the end. */
  to: StageRef | null;
  conditional: boolean;
  variable: string;
  op: Condition['op'];
  value: string;
  payloadSchema: string;
  /** Whether a person approves each handoff that takes it. */
  isApproved: boolean;
}

export interface Draft {
  slug: string;
  name: string;
  description: string;
  start: StageRef;
  stages: StageDraft[];
  transitions: WayDraft[];
}

const nextKey = ({ stages, transitions }: Pick<Draft, 'stages' | 'transitions'>): number =>
  Math.max(0, ...[...stages, ...transitions].map(({ key }) => key)) + 1;

const emptyStage = {
  name: '',
  role: '',
  agentType: '',
  phase: '',
  instructions: '',
  payloadSchema: '',
  acceptWithinMinutes: '',
  remindAfterMinutes: '',
  escalate: 'BACK',
  escalateTo: '',
} as const;
const emptyWay = {
  outcome: 'DONE',
  to: null,
  conditional: false,
  variable: '',
  op: 'EQ',
  value: '',
  payloadSchema: '',
  isApproved: false,
} as const;

/** A pipeline begins with one stage. */
export const emptyDraft: Draft = {
  slug: '',
  name: '',
  description: '',
  start: 1,
  stages: [{ ...emptyStage, key: 1 }],
  transitions: [{ ...emptyWay, key: 2, from: 1 }],
};

/** Adds a stage at the end. */
export const withStage = (draft: Draft): Draft => ({
  ...draft,
  stages: [...draft.stages, { ...emptyStage, key: nextKey(draft) }],
});

/** Removes a stage and its own transitions. Those that lead to it keep its name, which is a fault to repair. */
export function withoutStage(draft: Draft, key: number): Draft {
  const { name } = draft.stages.find((stage) => stage.key === key)!;
  const ref = <Ref extends StageRef | null>(given: Ref): Ref | string => (given === key ? name : given);
  return {
    ...draft,
    start: ref(draft.start),
    stages: draft.stages.filter((stage) => stage.key !== key),
    transitions: draft.transitions.filter(({ from }) => from !== key).map((way) => ({ ...way, to: ref(way.to) })),
  };
}

/** Adds a transition after the others of its stage. */
export function withWay(draft: Draft, from: number): Draft {
  const last = draft.transitions.findLastIndex((way) => way.from === from);
  return {
    ...draft,
    transitions: draft.transitions.toSpliced(last < 0 ? draft.transitions.length : last + 1, 0, {
      ...emptyWay,
      key: nextKey(draft),
      from,
    }),
  };
}

/** Swaps a transition with the one before or after it in its stage. */
export function moveWay(draft: Draft, key: number, by: -1 | 1): Draft {
  const way = draft.transitions.find((each) => each.key === key)!;
  const own = draft.transitions.filter(({ from }) => from === way.from);
  const other = own[own.indexOf(way) + by];
  if (other === undefined) return draft;
  return {
    ...draft,
    transitions: draft.transitions.map((each) => (each === way ? other : each === other ? way : each)),
  };
}

export function draftOf({ slug, name, description, start, stages, transitions }: NamedDefinition): Draft {
  const keys = new Map(stages.map((stage, index) => [stage.name, index + 1] as const).reverse());
  const ref = (stage: string): StageRef => keys.get(stage) ?? stage;
  return {
    slug,
    name,
    description: description ?? '',
    start: ref(start),
    stages: stages.map((stage, index) => ({
      key: index + 1,
      name: stage.name,
      role: stage.role ?? '',
      agentType: stage.agentType ?? '',
      phase: stage.phase ?? '',
      instructions: stage.instructions ?? '',
      payloadSchema: jsonOf(stage.payloadSchema),
      acceptWithinMinutes: stage.acceptWithinMinutes?.toString() ?? '',
      remindAfterMinutes: stage.remindAfterMinutes?.toString() ?? '',
      escalate:
        stage.escalateTo === null
          ? 'BACK'
          : stage.escalateTo.agentId !== null
            ? 'AGENT'
            : stage.escalateTo.role !== null
              ? 'ROLE'
              : 'OPERATORS',
      escalateTo: stage.escalateTo?.agentId ?? stage.escalateTo?.role ?? '',
    })),
    transitions: transitions.map(({ from, outcome, to, when, payloadSchema, approval }, index) => ({
      key: stages.length + index + 1,
      from: ref(from),
      outcome,
      to: to === null ? null : ref(to),
      conditional: when !== null,
      variable: when?.variable ?? '',
      op: when?.op ?? 'EQ',
      value: when === null || when.value === null ? '' : textOf(when.value),
      payloadSchema: jsonOf(payloadSchema),
      isApproved: approval === 'REQUIRED',
    })),
  };
}

/** The definition, and what of the text cannot be read as a part of it. */
export function read({ slug, name, description, start, stages, transitions }: Draft): {
  definition: NamedDefinition;
  unread: Fault[];
} {
  const unread: Fault[] = [];
  const nameOf = (ref: StageRef): string =>
    typeof ref === 'string' ? ref : (stages.find(({ key }) => key === ref)?.name ?? '');
  const schema = (path: Fault['path'], text: string): object | null => {
    if (text.trim() === '') return null;
    try {
      const value: unknown = JSON.parse(text);
      if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
      unread.push({ path, message: 'is not an object: give names and values' });
    } catch (error) {
      unread.push({ path, message: `is not JSON: ${(error as Error).message}` });
    }
    return null;
  };
  const minutes = (path: Fault['path'], text: string): number | null => {
    if (text.trim() === '') return null;
    if (Number.isFinite(Number(text))) return Number(text);
    unread.push({ path, message: `is '${text.trim()}': give a number` });
    return null;
  };
  const definition: NamedDefinition = {
    slug,
    name: name.trim(),
    description: orNull(description),
    start: nameOf(start),
    stages: stages.map((stage, index): Stage => {
      const at = (field: string) => ['stages', index, field];
      return {
        name: stage.name.trim(),
        role: orNull(stage.role.trim()),
        agentType: orNull(stage.agentType.trim()),
        phase: orNull(stage.phase.trim()),
        instructions: orNull(stage.instructions),
        payloadSchema: schema(at('payloadSchema'), stage.payloadSchema),
        acceptWithinMinutes: minutes(at('acceptWithinMinutes'), stage.acceptWithinMinutes),
        remindAfterMinutes: minutes(at('remindAfterMinutes'), stage.remindAfterMinutes),
        escalateTo: escalationOf(stage, (message) => unread.push({ path: at('escalateTo'), message })),
      };
    }),
    transitions: transitions.map(
      ({ from, outcome, to, conditional, variable, op, value, payloadSchema, isApproved }, index): Transition => ({
        from: nameOf(from).trim(),
        outcome: outcome.trim(),
        to: to === null ? null : nameOf(to).trim(),
        when: conditional ? { variable: variable.trim(), op, value: op === 'EXISTS' ? null : valueOf(value) } : null,
        payloadSchema: schema(['transitions', index, 'payloadSchema'], payloadSchema),
        ...approvalOf(isApproved),
      }),
    ),
  };
  return { definition, unread };
}

/** For the drawing: a stage without a valid name has its number. */
export const drawnOf = (draft: Draft): NamedDefinition =>
  read({
    ...draft,
    stages: draft.stages.map((stage, index) =>
      faultOfStageName(stage.name.trim()) === null ? stage : { ...stage, name: `Stage ${index + 1}` },
    ),
  }).definition;

const orNull = (text: string): string | null => (text.trim() === '' ? null : text);

function escalationOf({ escalate, escalateTo }: StageDraft, refuse: (message: string) => void): Stage['escalateTo'] {
  const to = escalateTo.trim();
  if (escalate === 'BACK') return null;
  if (escalate !== 'OPERATORS' && to === '') {
    refuse(escalate === 'AGENT' ? 'names no agent: choose one' : 'names no role: give one');
    return null;
  }
  return {
    agentId: escalate === 'AGENT' ? to : null,
    role: escalate === 'ROLE' ? to : null,
    operators: escalate === 'OPERATORS',
  };
}

/** All problems, the first of each path: what cannot be read, then the rules of the server. */
export function faultsOf(draft: Draft): Fault[] {
  const { definition, unread } = read(draft);
  const found = new Map<string, Fault>();
  const add = (faults: readonly Fault[]) => {
    for (const fault of faults) if (!found.has(fault.path.join('.'))) found.set(fault.path.join('.'), fault);
  };
  add(unread);
  add(faultsOfFields(definition));
  // A stage without a name has no ways to follow.
  if (definition.stages.every(({ name }) => name !== '')) add(faultsOfDefinition(definition));
  return [...found.values()];
}

/** A value as it is typed: JSON, else a text as it stands. */
export function valueOf(typed: string): unknown {
  const text = typed.trim();
  if (text === '') return null;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** The text of a value. A text that would be read as another one is quoted. */
function textOf(value: unknown): string {
  return typeof value === 'string' && valueOf(value) === value ? value : JSON.stringify(value);
}

const jsonOf = (value: object | null): string => (value === null ? '' : JSON.stringify(value, null, 2));
