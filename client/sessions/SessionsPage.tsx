import { lazy, Suspense, useCallback, useMemo, useState } from 'react';
import { useLocation, useSearch } from 'wouter';
import { useMay } from '../access/viewer.ts';
import { Page } from '../app/Page.tsx';
import { ListSettings } from '../density/ListSettings.tsx';
import { readView, writeView, type View } from './filters.ts';
import { useSessionCounts, type Known } from './counts.ts';
import { NewWork } from './create/NewWork.tsx';
import { SessionFilters } from './SessionFilters.tsx';
import { Changed } from '../noticing/Changed.tsx';
import { SavedViews } from '../views/SavedViews.tsx';
import { SessionList } from './SessionList.tsx';
import { sessionColumns } from './SessionRow.tsx';

const ReassignDialog = lazy(() => import('../handoffs/reassign/ReassignDialog.tsx'));

/** The list of sessions. The URL holds the filters. */
export function SessionsPage() {
  const search = useSearch();
  const [, navigate] = useLocation();
  const [reassigning, setReassigning] = useState<string | null>(null);
  const mayReassign = useMay('reassign');
  const maySelect = useMay('manageSessions');
  const view = useMemo(() => readView(new URLSearchParams(search)), [search]);
  const change = useCallback((next: View) => navigate(writeView(next), { replace: true }), [navigate]);
  const [known] = useState<Known>(() => new Map());
  const counts = useSessionCounts(view, known);
  // Increments when the viewer loads new sessions.
  const [edition, setEdition] = useState(0);
  const renew = () => {
    setEdition((now) => now + 1);
    // New sessions are at the top, and the pressed button disappears.
    window.scrollTo(0, 0);
    document.getElementById('main')?.focus({ preventScroll: true });
  };
  return (
    <Page
      title="Sessions"
      intro={
        <>
          Pieces of work with their current agent and last handoff.{' '}
          <Changed href={writeView({ ...view, byActivity: true })} />
        </>
      }
      actions={
        <>
          <ListSettings columns={sessionColumns} />
          <NewWork />
        </>
      }
    >
      <SessionFilters view={view} counts={counts} onChange={change} />
      <SavedViews list="sessions" href={writeView(view)} />
      <SessionList
        key={`${edition} ${writeView(view)}`}
        view={view}
        known={known}
        onReassign={mayReassign ? setReassigning : undefined}
        maySelect={maySelect}
        onRenew={renew}
      />
      <Suspense>
        {reassigning !== null && <ReassignDialog sessionId={reassigning} onClose={() => setReassigning(null)} />}
      </Suspense>
    </Page>
  );
}
