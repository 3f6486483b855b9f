import type { HandoffEditsInput } from '../gql/graphql.ts';

/** What the form holds: the agent's values until a person changes them. */
export interface EditDraft {
  targetAgentId: string;
  reason: string;
  instructions: string;
}

export interface Change {
  label: string;
  before: string;
  after: string;
}

const labels: Record<keyof EditDraft, string> = {
  targetAgentId: 'Target',
  reason: 'Reason',
  instructions: 'Instructions',
};

/** What differs from what the agent asked for, in the order of the form. */
export const changesOf = (given: EditDraft, draft: EditDraft): Change[] =>
  (Object.keys(labels) as (keyof EditDraft)[]).flatMap((field) =>
    draft[field].trim() === given[field].trim()
      ? []
      : [{ label: labels[field], before: given[field].trim(), after: draft[field].trim() }],
  );

/** The changed fields for the API; null without a change. An emptied text is removed. */
export function editsOf(given: EditDraft, draft: EditDraft): HandoffEditsInput | null {
  const text = (field: 'reason' | 'instructions') =>
    draft[field].trim() === given[field].trim() ? {} : { [field]: draft[field].trim() || null };
  const target = draft.targetAgentId.trim();
  const edits = {
    ...(target !== given.targetAgentId && target !== '' && { targetAgentId: target }),
    ...text('reason'),
    ...text('instructions'),
  };
  return Object.keys(edits).length === 0 ? null : edits;
}
