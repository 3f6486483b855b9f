import { actorText } from '../access/byWhom.ts';
import { graphql } from '../gql/gql.ts';
import type { DecisionFragment as Decided } from '../gql/graphql.ts';
import { readFragment, type FragmentType } from '../gql/index.ts';
import { Time } from '../ui/Time.tsx';
import { fieldWords } from './edits.ts';

export const DecisionDocument = graphql(`
  fragment Decision on Handoff {
    id
    edits {
      field
    }
    approval {
      id
      decision
      decidedAt
      note
      decidedBy {
        role
        name
      }
    }
  }
`);

/** Who approved or declined a handoff, when, what was changed and what was said; nothing when no person decided it. */
export function Decision({ handoff: masked }: { handoff: FragmentType<typeof DecisionDocument> }) {
  const { edits, approval } = readFragment(DecisionDocument, masked);
  const text = decisionText(approval, edits);
  if (text === null || approval?.decidedAt == null) return null;
  return (
    <>
      {text}
      {edits.length > 0 && ','} <Time at={approval.decidedAt} />
      {approval.note == null ? '.' : `: ${approval.note}`}
    </>
  );
}

/** "Approved by Alice, who changed the reason"; null when no person decided it. */
export function decisionText(approval: Decided['approval'], edits: Decided['edits']): string | null {
  const who = actorText(approval?.decidedBy);
  if (approval?.decision === 'DECLINED') return `Declined by ${who}`;
  if (approval?.decision !== 'APPROVED') return null;
  return `Approved by ${who}${edits.length === 0 ? '' : `, who changed ${edits.map(({ field }) => fieldWords(field)).join(', ')}`}`;
}
