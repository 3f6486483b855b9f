import { useEffect, useEffectEvent, useState } from 'react';
import { useQuery } from 'urql';
import { useAccess } from '../access/viewer.ts';
import { may } from '../access/may.ts';
import { Page } from '../app/Page.tsx';
import { useRereadOn } from '../live/events.ts';
import { EmptyState } from '../ui/EmptyState.tsx';
import { RequestError } from '../ui/ErrorNote.tsx';
import { SkeletonRows } from '../ui/Skeleton.tsx';
import { ApprovalCard } from './ApprovalCard.tsx';
import styles from './Decide.module.css';
import { DecideQuery } from './documents.ts';

const concerns = /^(?:HANDOFF_|QUESTION_|SESSION_)/;
const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && (target.isContentEditable || /^(?:INPUT|TEXTAREA|SELECT)$/.test(target.tagName));

/** What waits for a person: one is open at a time. `j` and `k` go through the list, `a` approves, `d` declines, `e` edits. */
export default function DecidePage() {
  const { viewer } = useAccess();
  const decides = may(viewer, 'reassign');
  const [{ data, error, fetching }, ask] = useQuery({
    query: DecideQuery,
    variables: {},
    requestPolicy: 'cache-and-network',
  });
  const waiting = data?.approvals.nodes ?? [];
  const [chosen, setChosen] = useState<string | null>(null);
  useRereadOn(
    ({ type }) => concerns.test(type),
    () => ask({ requestPolicy: 'network-only' }),
  );
  const at = Math.max(
    0,
    waiting.findIndex(({ id }) => id === chosen),
  );
  const open = waiting[at]?.id ?? null;
  const move = useEffectEvent((by: number) => {
    const next = waiting[Math.min(waiting.length - 1, Math.max(0, at + by))];
    if (next === undefined) return;
    setChosen(next.id);
    document.getElementById(next.id)?.focus();
  });
  useEffect(() => {
    const press = (event: KeyboardEvent): void => {
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
      if (event.key === 'j') move(1);
      if (event.key === 'k') move(-1);
    };
    document.addEventListener('keydown', press);
    return () => document.removeEventListener('keydown', press);
  }, []);
  const total = data?.approvals.totalCount ?? 0;
  return (
    <Page
      title="Decide"
      intro="Handoffs that agents propose, and what they ask. Keys: j and k to go through them, a to approve, e to edit, d to decline."
    >
      {error && <RequestError error={error} onRetry={() => ask({ requestPolicy: 'network-only' })} />}
      {!data && fetching && <SkeletonRows label="Loading what waits" />}
      {data && waiting.length === 0 && (
        <EmptyState icon="check" title="Nothing waits for a person.">
          A handoff appears here when its collaboration, its tool, its way through a pipeline or its session demands an
          approval, and a question when an agent asks one.
        </EmptyState>
      )}
      {waiting.length > 0 && (
        <>
          <p className="soft small" aria-live="polite">
            {total === 1 ? 'One waits.' : `${total.toLocaleString()} wait, the oldest deadline first.`}
          </p>
          <ul className={styles.list}>
            {waiting.map((each) => (
              <li key={each.id}>
                <ApprovalCard
                  waiting={each}
                  isOpen={each.id === open}
                  decides={decides}
                  keys
                  onOpen={() => setChosen(each.id)}
                  onDone={() => ask({ requestPolicy: 'network-only' })}
                />
              </li>
            ))}
          </ul>
        </>
      )}
    </Page>
  );
}
