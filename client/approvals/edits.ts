import type { HandoffEditsInput, WaitingFragment } from '../gql/graphql.ts';

/** What the form holds: the agent's values until a person changes them. */
export interface EditDraft {
  targetAgentId: string;
  reason: string;
  instructions: string;
}

type Proposed = NonNullable<WaitingFragment['handoff']>;

/** What the agent, or its tool, gave. */
export function givenOf({ targetAgent, reason, contextVariables }: Proposed): EditDraft {
  const instructions = contextVariables.find(({ name }) => name === '_handoff_instructions')?.value;
  return {
    targetAgentId: targetAgent.id,
    reason: reason ?? '',
    instructions: typeof instructions === 'string' ? instructions : '',
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

const texts: Record<'reason' | 'instructions', Field> = {
  reason: { label: 'Reason', none: 'no reason' },
  instructions: { label: 'Instructions', none: 'no instructions' },
};
const textNames = Object.keys(texts) as (keyof typeof texts)[];

const targetOf = (given: EditDraft, { targetAgentId }: EditDraft): string =>
  targetAgentId.trim() === '' ? given.targetAgentId : targetAgentId.trim();

const changedTexts = (given: EditDraft, draft: EditDraft) =>
  textNames.filter((name) => draft[name].trim() !== given[name].trim());

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
  ];
}

/** The changed fields for the API; null without a change. An emptied text is removed. */
export function editsOf(given: EditDraft, draft: EditDraft): HandoffEditsInput | null {
  const target = targetOf(given, draft);
  const edits: HandoffEditsInput = {
    ...(target !== given.targetAgentId && { targetAgentId: target }),
    ...Object.fromEntries(changedTexts(given, draft).map((name) => [name, draft[name].trim() || null])),
  };
  return Object.keys(edits).length === 0 ? null : edits;
}
