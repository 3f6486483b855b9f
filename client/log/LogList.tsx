import { createContext, useCallback, useContext, useEffect, useMemo, useRef, useState } from 'react';
import { useClient } from 'urql';
import { Virtualizer, type CustomItemComponentProps, type VirtualizerHandle } from 'virtua';
import { useLocation, useSearch } from 'wouter';
import { useLocationProperty } from 'wouter/use-browser-location';
import type { FragmentType } from '../gql/index.ts';
import type { Tenures } from '../sessions/moves.ts';
import { useHeldEnd } from './heldEnd.ts';
import { LogBar } from './LogBar.tsx';
import { LogNow, type LogNowFragment } from './LogNow.tsx';
import { LogPages, type LogMessages } from './logPages.ts';
import { LogRow, rowId } from './LogRow.tsx';
import { LogSearch } from './LogSearch.tsx';
import { FoundContext, finderOfSearch, useMarks } from './marks.ts';
import { OriginalRequest, type OriginalRequestFragment } from './OriginalRequest.tsx';
import { hashOf, placeOf, type LogPlace, type Target } from './place.ts';
import styles from './SessionLog.module.css';

interface LogListProps {
  sessionId: string;
  /** Numbers of the first and the last message. */
  oldest: number;
  newest: number;
  /** The newest messages when the log was opened. */
  given: LogMessages;
  /** The first messages, newest first. */
  begin: readonly FragmentType<typeof OriginalRequestFragment>[];
  session: FragmentType<typeof LogNowFragment>;
  tenures: Tenures;
  moment: string;
}

/** The row after the last message. */
const nowRow = 0;

/** The messages, of which those on the screen are in the page, and what goes to one of them. */
export function LogList({ sessionId, oldest, newest, given, begin, session, tenures, moment }: LogListProps) {
  const client = useClient();
  const [pages] = useState(() => new LogPages(client, sessionId, newest, given));
  const { target, jump } = useTarget();
  const list = useRef<VirtualizerHandle>(null);
  /** The message that was last gone to, until the reader scrolls: near the end it may not be at the top. */
  const gone = useRef<number | null>(null);
  const bounds = useRef({ oldest, newest });
  useEffect(() => {
    bounds.current = { oldest, newest };
  });
  const scrollTo = useCallback((message: number) => {
    const { oldest: from, newest: to } = bounds.current;
    list.current?.scrollToIndex(Math.min(Math.max(message, from), to) - from, { align: 'start' });
  }, []);
  // Messages above it come later than it does. A call scrolls to itself.
  const { region, content, isHeld, onScroll, noteAct, letGo, toEnd } = useHeldEnd(target === null, () => {
    if (gone.current !== null && target?.call === null) scrollTo(gone.current);
  });
  // What came since the reader left the end.
  const [seen, setSeen] = useState(newest);
  if (isHeld && seen !== newest) setSeen(newest);
  const unseen = newest - seen;
  const rows = useMemo(
    () => [...Array.from({ length: newest - oldest + 1 }, (_, index) => oldest + index), nowRow],
    [oldest, newest],
  );
  useEffect(() => pages.give(given), [pages, given]);

  const known = useRef({ newest, moment });
  useEffect(() => {
    if (known.current.newest === newest && known.current.moment === moment) return;
    known.current = { newest, moment };
    pages.again(newest);
  }, [pages, newest, moment]);

  useEffect(() => {
    if (target === null) return;
    letGo();
    gone.current = target.message;
    scrollTo(target.message);
  }, [target, letGo, scrollTo]);

  const place = (): number =>
    gone.current ?? oldest + (list.current?.findItemIndex((region.current?.scrollTop ?? 0) + 8) ?? 0);
  const act = () => {
    noteAct();
    gone.current = null;
  };
  const goTo = (message: number, takesFocus?: boolean) => jump({ message, call: null }, takesFocus);
  const [words, setWords] = useState<string | null>(null);
  const find = useMemo(() => finderOfSearch(words), [words]);
  useMarks(region, find, target);
  return (
    <>
      <div className={styles.bar}>
        <LogBar oldest={oldest} newest={newest} tenures={tenures} place={place} onJump={goTo} />
        <LogSearch sessionId={sessionId} onJump={jump} onWords={setWords} />
      </div>
      <OriginalRequest messages={begin} onJump={goTo} />
      {/* Before the messages: a keyboard reaches it without going through them. */}
      {unseen > 0 && (
        <div className={styles.unseen}>
          <button
            type="button"
            className="button primary small"
            onClick={() => {
              gone.current = null;
              toEnd();
            }}
          >
            {unseen === 1 ? '1 new message' : `${unseen.toLocaleString()} new messages`}
          </button>
        </div>
      )}
      <div
        ref={region}
        className={styles.log}
        role="region"
        aria-label="Conversation"
        tabIndex={0}
        onScroll={onScroll}
        onWheel={act}
        onPointerDown={act}
        onPointerMove={({ buttons }) => buttons > 0 && act()}
        onTouchMove={act}
        onKeyDown={act}
      >
        {/* Opening something at the end does not go to the new end. */}
        <div ref={content} onPointerDown={letGo} onKeyDown={letGo}>
          <FoundContext value={find}>
            <ItemContext value={{ oldest, count: newest }}>
              <Virtualizer ref={list} scrollRef={region} data={rows} as="ol" item={Item} bufferSize={400} itemSize={96}>
                {(number) =>
                  number === nowRow ? (
                    <div className={styles.entry}>
                      <LogNow session={session} />
                    </div>
                  ) : (
                    <LogRow
                      pages={pages}
                      number={number}
                      isFirst={number === oldest}
                      target={target?.message === number ? target : null}
                    />
                  )
                }
              </Virtualizer>
            </ItemContext>
          </FoundContext>
        </div>
      </div>
    </>
  );
}

const ItemContext = createContext({ oldest: 1, count: 0 });

/** A screen reader hears the place among all messages. */
function Item({ style, index, children, ref }: CustomItemComponentProps) {
  const { oldest, count } = useContext(ItemContext);
  const number = oldest + index;
  return (
    <li
      ref={ref as React.Ref<HTMLLIElement>}
      style={style}
      {...(number <= count && { id: rowId(number), 'aria-posinset': number, 'aria-setsize': count })}
    >
      {children}
    </li>
  );
}

/** The place that the address names, and a way to go to another one, which the address then names. */
function useTarget(): { target: Target | null; jump: (place: LogPlace, takesFocus?: boolean) => void } {
  const hash = useLocationProperty(
    () => location.hash,
    () => '',
  );
  const [path, navigate] = useLocation();
  const search = useSearch();
  const [state, setState] = useState<{ hash: string; target: Target | null }>(() => ({
    hash,
    target: asked(placeOf(hash), null),
  }));
  if (hash !== state.hash) {
    const place = placeOf(hash);
    const isNew = place !== null && (place.message !== state.target?.message || place.call !== state.target.call);
    setState({ hash, target: isNew ? asked(place, state.target) : state.target });
  }
  const jump = (place: LogPlace, takesFocus = true): void => {
    setState((before) => ({ ...before, target: asked(place, before.target, takesFocus) }));
    navigate(`${path}${search === '' ? '' : `?${search}`}${hashOf(place)}`, { replace: true });
  };
  return { target: state.target, jump };
}

const asked = (place: LogPlace | null, before: Target | null, takesFocus = true): Target | null =>
  place && { ...place, asked: (before?.asked ?? 0) + 1, takesFocus };
