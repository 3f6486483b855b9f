import { useCallback, useMemo, useState } from 'react';
import { useLocation, useSearch } from 'wouter';
import { useMay } from '../access/viewer.ts';
import { Page } from '../app/Page.tsx';
import { ReassignDialog } from '../handoffs/reassign/ReassignDialog.tsx';
import { readView, writeView, type View } from './filters.ts';
import { useSessionCounts, type Known } from './counts.ts';
import { SessionFilters } from './SessionFilters.tsx';
import { SessionList } from './SessionList.tsx';

/** The sessions: who holds what, and where it is in its life. The address keeps the view. */
export function SessionsPage() {
  const search = useSearch();
  const [, navigate] = useLocation();
  const [reassigning, setReassigning] = useState<string | null>(null);
  const mayReassign = useMay('reassign');
  const view = useMemo(() => readView(new URLSearchParams(search)), [search]);
  const change = useCallback((next: View) => navigate(writeView(next), { replace: true }), [navigate]);
  const [known] = useState<Known>(() => new Map());
  const counts = useSessionCounts(known);
  // Grows when somebody wants to see what is new.
  const [edition, setEdition] = useState(0);
  const renew = () => {
    setEdition((now) => now + 1);
    // What is new stands first; the button that was pressed goes.
    window.scrollTo(0, 0);
    document.getElementById('main')?.focus({ preventScroll: true });
  };
  return (
    <Page title="Sessions" intro="Pieces of work, who holds them now, and their last handoff.">
      <SessionFilters view={view} counts={counts} onChange={change} />
      <SessionList
        key={`${edition} ${writeView(view)}`}
        view={view}
        known={known}
        onReassign={mayReassign ? setReassigning : undefined}
        onRenew={renew}
      />
      {reassigning !== null && <ReassignDialog sessionId={reassigning} onClose={() => setReassigning(null)} />}
    </Page>
  );
}
