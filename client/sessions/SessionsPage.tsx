import { useCallback, useMemo, useState } from 'react';
import { useLocation, useSearch } from 'wouter';
import { useMay } from '../access/viewer.ts';
import { Page } from '../app/Page.tsx';
import { ReassignDialog } from '../handoffs/ReassignDialog.tsx';
import { readView, toFilter, writeView, type View } from './filters.ts';
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
  return (
    <Page title="Sessions" intro="Pieces of work, who holds them now, and their last handoff.">
      <SessionFilters view={view} onChange={change} />
      <SessionList key={writeView(view)} filter={toFilter(view)} onReassign={mayReassign ? setReassigning : undefined} />
      {reassigning !== null && <ReassignDialog sessionId={reassigning} onClose={() => setReassigning(null)} />}
    </Page>
  );
}
