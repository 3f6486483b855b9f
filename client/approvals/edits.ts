import { canonicalJson } from '../../server/core/canonicalJson.ts';
import type { CarryInput, HandoffEditsInput, WaitingFragment } from '../gql/graphql.ts';
import { carryText, type Carry } from '../tools/carry.ts';
import { draftsOf, textOf, type VariableDraft, variablesOf } from './variables.ts';
import { carryDraftOf, everything, toCarry, type CarryDraft } from '../tools/edit/draft.ts';

/** What the form holds: the agent's values until a person changes them. */
export interface EditDraft {
  targetAgentId: string;
  reason: string;
  summary: string;
  instructions: string;
  variables: VariableDraft[];
  /** For people and the agent that asks: not an edit of what is passed on. */
  note: string;
  /** Null: everything. */
  carry: CarryDraft | null;
}

type Waiting = Pick<WaitingFragment, 'contextVariables'> & { handoff: NonNullable<WaitingFragment['handoff']> };

/** What the agent, or its tool, gave. */
export function givenOf({ contextVariables: variables, handoff }: Waiting): EditDraft {
  const { targetAgent, reason, summary, contextVariables, carry } = handoff;
  const instructions = contextVariables.find(({ name }) => name === '_handoff_instructions')?.value;
  return {
    targetAgentId: targetAgent.id,
    reason: reason ?? '',
    summary,
    instructions: typeof instructions === 'string' ? instructions : '',
    variables: draftsOf(variables),
    note: '',
    carry: carry == null ? null : carryDraftOf(carry),
  };
}

export interface Change {
  label: string;
  before: string;
  after: string;
  /** What an empty text means. */
  none: string;
}

interface Field {
  label: string;
  none: string;
}

const texts: Record<'reason' | 'summary' | 'instructions', Field> = {
  reason: { label: 'Reason', none: 'no reason' },
  summary: { label: 'Summary', none: 'composed from the log' },
  instructions: { label: 'Instructions', none: 'no instructions' },
};
const textNames = Object.keys(texts) as (keyof typeof texts)[];

/** The names of what was changed, as the API and the prompt have them. */
const words: Record<string, string> = {
  targetAgentId: 'the target',
  reason: 'the reason',
  summary: 'the summary',
  instructions: 'the instructions',
  contextVariables: 'the variables',
  carry: 'what is passed on',
};

export const fieldWords = (field: string): string => words[field] ?? field;

const targetOf = (given: EditDraft, { targetAgentId }: EditDraft): string =>
  targetAgentId.trim() === '' ? given.targetAgentId : targetAgentId.trim();

const changedTexts = (given: EditDraft, draft: EditDraft) =>
  textNames.filter((name) => draft[name].trim() !== given[name].trim());

type Variables = Record<string, unknown> | null;

/** The variables that differ, by name. */
function variableChanges(before: Variables, after: Variables): Change[] {
  const text = (variables: Variables, name: string): string =>
    variables !== null && Object.hasOwn(variables, name) ? textOf(variables[name]) || '""' : '';
  const names = [...new Set([before, after].flatMap((variables) => Object.keys(variables ?? {})))].sort();
  return names
    .map((name) => ({
      label: `Variable ${name}`,
      before: text(before, name),
      after: text(after, name),
      none: 'not set',
    }))
    .filter((change) => change.before !== change.after);
}

const hasOtherVariables = (given: EditDraft, draft: EditDraft): boolean =>
  canonicalJson(variablesOf(given.variables)) !== canonicalJson(variablesOf(draft.variables));

/** Null when everything is passed on: then nothing is chosen. */
const carryOf = (draft: CarryDraft | null): CarryInput | null => {
  const carry = draft && toCarry(draft);
  return JSON.stringify(carry) === JSON.stringify(toCarry(everything)) ? null : carry;
};
const hasOtherCarry = (given: EditDraft, draft: EditDraft): boolean =>
  JSON.stringify(carryOf(given.carry)) !== JSON.stringify(carryOf(draft.carry));
const carryWords = (draft: CarryDraft | null): string => {
  const carry = carryOf(draft);
  return carry === null ? 'everything' : carryText(carry as Carry);
};

/** What differs from what the agent asked for, in the order of the form. A target that is not chosen stays. */
export function changesOf(given: EditDraft, draft: EditDraft): Change[] {
  const target = targetOf(given, draft);
  return [
    ...(target === given.targetAgentId
      ? []
      : [{ label: 'Target', before: given.targetAgentId, after: target, none: '' }]),
    ...changedTexts(given, draft).map((name) => ({
      ...texts[name],
      before: given[name].trim(),
      after: draft[name].trim(),
    })),
    ...variableChanges(variablesOf(given.variables), variablesOf(draft.variables)),
    ...(hasOtherCarry(given, draft)
      ? [{ label: 'What is passed on', before: carryWords(given.carry), after: carryWords(draft.carry), none: '' }]
      : []),
    ...(draft.note.trim() === '' ? [] : [{ label: 'Note', before: '', after: draft.note.trim(), none: '' }]),
  ];
}

/** The changed fields for the API; null without a change. An emptied text is removed. */
export function editsOf(given: EditDraft, draft: EditDraft): HandoffEditsInput | null {
  const target = targetOf(given, draft);
  const edits: HandoffEditsInput = {
    ...(target !== given.targetAgentId && { targetAgentId: target }),
    ...Object.fromEntries(changedTexts(given, draft).map((name) => [name, draft[name].trim() || null])),
    ...(hasOtherVariables(given, draft) && { contextVariables: variablesOf(draft.variables) }),
    ...(hasOtherCarry(given, draft) && { carry: carryOf(draft.carry) }),
  };
  return Object.keys(edits).length === 0 ? null : edits;
}

const labels: Record<string, Field> = {
  ...texts,
  targetAgentId: { label: 'Target', none: '' },
  carry: { label: 'What is passed on', none: 'everything' },
};

/** A change that was approved, as the API keeps it: one for each variable. */
export function changesOfEdit({
  field,
  before,
  after,
}: {
  field: string;
  before?: unknown;
  after?: unknown;
}): Change[] {
  if (field === 'contextVariables') return variableChanges(before as Variables, after as Variables);
  const text = (value: unknown): string => {
    if (value == null) return field === 'carry' ? 'everything' : '';
    if (field === 'carry') return carryText(value as Carry);
    return typeof value === 'string' ? value : JSON.stringify(value);
  };
  return [{ ...(labels[field] ?? { label: field, none: '' }), before: text(before), after: text(after) }];
}
