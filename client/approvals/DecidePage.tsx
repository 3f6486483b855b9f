import { useEffect, useRef, useState } from 'react';
import { useQuery } from 'urql';
import { Link } from 'wouter';
import { useMay } from '../access/viewer.ts';
import { Page } from '../app/Page.tsx';
import type { WaitingFragment } from '../gql/graphql.ts';
import { readFragment } from '../gql/index.ts';
import { useRereadOn } from '../live/events.ts';
import { EmptyState } from '../ui/EmptyState.tsx';
import { RequestError } from '../ui/ErrorNote.tsx';
import { KeptInPlace } from '../ui/KeptInPlace.tsx';
import { LoadMore } from '../ui/LoadMore.tsx';
import { SkeletonRows } from '../ui/Skeleton.tsx';
import { useFocusKept } from '../ui/useFocusKept.ts';
import { useLivePages } from '../ui/useLivePages.ts';
import { ApprovalCard } from './ApprovalCard.tsx';
import styles from './Decide.module.css';
import { DecideQuery, SessionApprovalQuery, WaitingDocument } from './documents.ts';
import { useFresh } from './useFresh.ts';
import { useKeys } from './useKeys.ts';

const concerns = /^(?:HANDOFF_|QUESTION_|SESSION_)/;

/** The one that is read, as it was last seen. */
interface Open {
  waiting: WaitingFragment;
  at: number;
  /** It waits no more: somebody else decided. */
  isGone: boolean;
}

/**
 * What waits for a person. One is open at a time, and stays open and in its place until the person decides it or chooses another, also
 * when somebody else decides it. `sessionId` opens that of a session first.
 */
export default function DecidePage({ sessionId }: { sessionId?: string }) {
  const decides = useMay('reassign');
  // The first one opens: it may not be one that was decided since the last read.
  const read = useLivePages(DecideQuery, {}, ({ approvals }) => approvals, 'network-only');
  const { list: data, error, fetching, again, more } = read;
  /** The list is read again after a decision: until then it is left out. */
  const [decided, setDecided] = useState<ReadonlySet<string>>(() => new Set());
  const listed = data?.nodes.map((node) => readFragment(WaitingDocument, node)) ?? [];
  const waiting = listed.filter(({ id }) => !decided.has(id));
  const total = data?.totalCount ?? 0;
  const [open, setOpen] = useState<Open | null>(null);
  const [isMissed, setMissed] = useState(false);

  // While rendering: what is open follows the list without a frame in which it is not there.
  const at = waiting.findIndex(({ id }) => id === open?.waiting.id);
  const isListed = open === null || at >= 0;
  if (open !== null && isListed && (open.at !== at || open.waiting !== waiting[at]))
    setOpen({ waiting: waiting[at]!, at, isGone: false });
  // The list has the first ones only: of what it has not, its session says whether it waits.
  const apart = useWaitingOf(
    open === null ? (isMissed ? undefined : sessionId) : isListed ? undefined : open.waiting.session.id,
  );
  const { waits } = apart;
  if (open === null && data && !fetching && waits !== 'loading') {
    if (waits === null || waits === 'failed') setMissed(true);
    const first = typeof waits === 'object' ? (waits ?? waiting[0]) : waiting[0];
    if (first !== undefined) setOpen({ waiting: first, at: indexIn(waiting, first), isGone: false });
  }
  if (open !== null && !isListed && !open.isGone && typeof waits === 'object') {
    if (waits?.id !== open.waiting.id) setOpen({ ...open, isGone: true });
    else if (waits !== open.waiting) setOpen({ ...open, waiting: waits });
  }
  const isGone = open !== null && !isListed && open.isGone;
  const reread = (): void => {
    again();
    apart.again();
  };
  useRereadOn(({ type }) => concerns.test(type), reread);
  const shown = open !== null && !isListed ? waiting.toSpliced(open.at, 0, open.waiting) : waiting;
  const place = shown.findIndex(({ id }) => id === open?.waiting.id);

  /** The next one to show gets the focus. */
  const moved = useRef(sessionId !== undefined);
  const choose = (next: WaitingFragment | undefined): void => {
    moved.current = true;
    setOpen(next === undefined ? null : { waiting: next, at: indexIn(waiting, next), isGone: false });
  };
  const openId = open?.waiting.id ?? null;
  useEffect(() => {
    if (openId === null || !moved.current) return;
    moved.current = false;
    // After the page's own focus of a navigation.
    queueMicrotask(() => {
      const card = document.getElementById(openId);
      card?.focus({ preventScroll: true });
      card?.scrollIntoView({ block: 'nearest' });
    });
  }, [openId]);
  useFocusKept(shown.map(({ id }) => id).join());
  const move = (by: 1 | -1): void => {
    const next = shown[place + by];
    if (next !== undefined) choose(next);
  };
  useKeys({ j: () => move(1), k: () => move(-1) }, { repeats: true });
  const [fresh, showFresh] = useFresh();
  const done = (): void => {
    if (openId !== null) setDecided((before) => new Set([...before, openId]));
    const next = shown[place + 1] ?? shown[place - 1];
    choose(next);
    showFresh(next?.id ?? null);
    again();
  };

  return (
    <Page
      title="Decide"
      intro={
        <>
          Handoffs that agents propose, and what they ask.{' '}
          <span className={styles.keys}>
            Keys: j and k to go through them
            {decides &&
              ', a to approve, e to edit, d to decline, r to resume a paused session, 1 to 9 to choose an answer'}
            .
          </span>
        </>
      }
    >
      {error && <RequestError error={error} onRetry={again} />}
      {!data && fetching && <SkeletonRows label="Loading what waits" />}
      {isMissed && (
        <p>
          That session waits for no decision now. <Link href={`/sessions/${sessionId ?? ''}`}>Open its session</Link>
        </p>
      )}
      {data && shown.length === 0 && (
        <EmptyState icon="check" title="Nothing waits for a person.">
          A handoff appears here when its collaboration, its tool, its way through a pipeline or its session demands an
          approval, and a question when an agent asks one.
        </EmptyState>
      )}
      {shown.length > 0 && (
        <>
          <p className="soft small" role="status">
            {countText(total, waiting.length)}
          </p>
          <KeptInPlace of={openId}>
            <ul role="list" className={styles.list}>
              {shown.map((each) => (
                <li key={each.id}>
                  <ApprovalCard
                    waiting={each}
                    isOpen={each.id === openId}
                    decides={decides}
                    keys={decides}
                    isFresh={each.id === fresh}
                    isGone={isGone && each.id === openId}
                    onOpen={() => choose(each)}
                    onDone={done}
                    onRefused={reread}
                  />
                </li>
              ))}
            </ul>
          </KeptInPlace>
          {data?.pageInfo.hasNextPage === true && (
            <LoadMore shown={waiting.length} total={total} hasMore loading={fetching} noun="decisions" onMore={more} />
          )}
        </>
      )}
    </Page>
  );
}

/** What a session waits for: undefined when no session is given, null when it waits for nobody. */
function useWaitingOf(sessionId: string | undefined): {
  waits: WaitingFragment | null | undefined | 'loading' | 'failed';
  again: () => void;
} {
  const isAsked = sessionId !== undefined;
  const [{ data, error, fetching }, ask] = useQuery({
    query: SessionApprovalQuery,
    variables: { id: sessionId ?? '' },
    pause: !isAsked,
    requestPolicy: 'network-only',
  });
  const again = (): void => {
    if (isAsked) ask({ requestPolicy: 'network-only' });
  };
  if (!isAsked) return { waits: undefined, again };
  // An answer that is there while another one is fetched may be of before, or of another session.
  if (fetching) return { waits: 'loading', again };
  if (error) return { waits: 'failed', again };
  return {
    waits: data === undefined ? 'loading' : (readFragment(WaitingDocument, data.session?.approval) ?? null),
    again,
  };
}

const indexIn = (waiting: readonly WaitingFragment[], { id }: WaitingFragment): number => {
  const at = waiting.findIndex((each) => each.id === id);
  return at < 0 ? waiting.length : at;
};

function countText(total: number, shown: number): string {
  if (total === 0) return 'Nothing else waits.';
  if (total === 1) return 'One waits.';
  const count = total.toLocaleString();
  return total > shown ? `The oldest ${shown} of ${count}.` : `${count} wait, the oldest deadline first.`;
}
