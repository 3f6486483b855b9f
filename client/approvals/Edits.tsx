import { lazy, Suspense, useState } from 'react';
import { graphql } from '../gql/gql.ts';
import { readFragment, type FragmentType } from '../gql/index.ts';
import { changesOfEdit } from './edits.ts';

const Changes = lazy(async () => ({ default: (await import('./Differences.tsx')).Changes }));

export const EditsDocument = graphql(`
  fragment Edits on Handoff {
    id
    edits {
      field
      before
      after
    }
  }
`);

/** What a person changed of a handoff before approving it, beside what the agent gave; nothing without edits. */
export function Edits({ handoff, isOpen = false }: { handoff: FragmentType<typeof EditsDocument>; isOpen?: boolean }) {
  const { edits } = readFragment(EditsDocument, handoff);
  const [open, setOpen] = useState(isOpen);
  if (edits.length === 0) return null;
  return (
    <details open={open} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>What was changed before the approval</summary>
      {open && (
        <Suspense>
          <Changes changes={edits.flatMap(changesOfEdit)} />
        </Suspense>
      )}
    </details>
  );
}
