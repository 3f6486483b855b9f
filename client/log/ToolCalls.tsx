import { lazy, Suspense, useEffect, useRef, useState } from 'react';
import { useClient, type CombinedError } from 'urql';
import { Link, useLocation } from 'wouter';
import { graphql } from '../gql/gql.ts';
import { readFragment, type FragmentType } from '../gql/index.ts';
import type { ToolCallLineFragment as Line, ToolCallStatus } from '../gql/graphql.ts';
import { RequestError } from '../ui/ErrorNote.tsx';
import { Icon, type IconName } from '../ui/Icon.tsx';
import { Skeleton } from '../ui/Skeleton.tsx';
import { formatDuration } from '../ui/time.ts';
import { callsOfMessage } from './logPages.ts';
import { elementOf, hashOf, type Target } from './place.ts';
import styles from './ToolCalls.module.css';

// Arguments and results are read on opening a call.
export const ToolCallLineFragment = graphql(`
  fragment ToolCallLine on ToolCall {
    id
    index
    name
    argument
    status
    durationMs
    filesModified
  }
`);

const MoreCallsQuery = graphql(`
  query MoreCalls($id: ID!, $first: Int!, $after: Int!) {
    node(id: $id) {
      __typename
      id
      ... on Message {
        toolCalls(first: $first, after: $after) {
          id
          ...ToolCallLine
        }
      }
    }
  }
`);

// The drawing of differences comes with the first call that is opened.
const WholeCall = lazy(() => import('./WholeCall.tsx'));

/** Lines that are shown at first. */
const fewLines = 6;
/** Calls that one request for more reads. */
const moreCalls = 100;

interface ToolCallsProps {
  messageId: string;
  number: number;
  calls: readonly FragmentType<typeof ToolCallLineFragment>[];
  target: Target | null;
}

/** The tool calls after a message, a line for each. */
export function ToolCalls({ messageId, number, calls: masked, target }: ToolCallsProps) {
  const client = useClient();
  const [open, setOpen] = useState(false);
  const [further, setFurther] = useState<Line[]>([]);
  const [error, setError] = useState<CombinedError | null>(null);
  const [isOver, setOver] = useState(masked.length < callsOfMessage);
  const first = readFragment(ToolCallLineFragment, masked);
  const calls = [...first, ...further];
  const wanted = target?.call ?? null;
  const isFolded = !open && calls.length > fewLines + 2 && wanted === null;
  const lastIndex = calls.at(-1)!.index;
  const mustReadOn = wanted !== null && wanted > lastIndex && !isOver;

  const readOn = async () => {
    const { data, error: failure } = await client
      .query(MoreCallsQuery, { id: messageId, first: moreCalls, after: lastIndex }, { requestPolicy: 'network-only' })
      .toPromise();
    setError(failure ?? null);
    if (data?.node?.__typename !== 'Message') return;
    const found = readFragment(ToolCallLineFragment, data.node.toolCalls);
    setFurther((before) => [...before, ...found.filter(({ index }) => index > lastIndex)]);
    if (found.length < moreCalls) setOver(true);
  };
  const readOnLatest = useRef(readOn);
  useEffect(() => {
    readOnLatest.current = readOn;
  });
  useEffect(() => {
    if (mustReadOn) void readOnLatest.current();
  }, [mustReadOn, lastIndex]);

  const shown = isFolded ? calls.slice(0, fewLines) : calls;
  const failed = calls.slice(shown.length).filter(({ status }) => status === 'FAILED').length;
  return (
    <div className={styles.calls}>
      <ol role="list" aria-label="Tool calls">
        {shown.map((call) => (
          <OneCall key={call.id} call={call} number={number} target={wanted === call.index ? target : null} />
        ))}
      </ol>
      {isFolded && (
        <button type="button" className={styles.more} onClick={() => setOpen(true)}>
          {`Show ${calls.length - shown.length}${isOver ? '' : ' or more'} further calls`}
          {failed > 0 && <span className={styles.failed}>{failed} failed</span>}
        </button>
      )}
      {!isFolded && !isOver && (
        <button type="button" className={styles.more} onClick={() => void readOn()}>
          Show further calls
        </button>
      )}
      {error && <RequestError error={error} onRetry={() => void readOn()} />}
    </div>
  );
}

const looks: Record<ToolCallStatus, { icon: IconName; word: string }> = {
  SUCCEEDED: { icon: 'check', word: 'succeeded' },
  FAILED: { icon: 'cross', word: 'failed' },
  PENDING: { icon: 'dash', word: 'no result' },
};

/** Name, argument, outcome and duration on one line, which opens to arguments and result. */
function OneCall({ call, number, target }: { call: Line; number: number; target: Target | null }) {
  const { id, index, name, argument, status, durationMs, filesModified } = call;
  const [open, setOpen] = useState(target !== null);
  const [path] = useLocation();
  const summary = useRef<HTMLElement>(null);
  const place = { message: number, call: index };
  const [asked, setAsked] = useState(target);
  if (target !== asked) {
    setAsked(target);
    if (target !== null) setOpen(true);
  }
  useEffect(() => {
    if (target === null) return;
    if (target.takesFocus) summary.current?.focus({ preventScroll: true });
    // Calls may be far below their message.
    void summary.current?.scrollIntoView({ block: 'center' });
  }, [target]);
  return (
    <li id={elementOf(place)}>
      <details
        className={styles.call}
        open={open}
        onToggle={(event) => setOpen(event.currentTarget.open)}
        data-target={target !== null}
      >
        <summary ref={summary}>
          <span className={styles.name}>{name}</span>
          <span className={styles.argument}>{argument ?? filesModified[0]}</span>
          <span className={styles.outcome} data-status={status}>
            <Icon name={looks[status].icon} size={12} />
            <span className={status === 'SUCCEEDED' ? 'hidden' : undefined}>{looks[status].word}</span>
          </span>
          {durationMs != null && <span className={styles.duration}>{formatDuration(durationMs)}</span>}
        </summary>
        {open && (
          <>
            <Suspense fallback={<Skeleton height="6rem" />}>
              <WholeCall id={id} name={name} />
            </Suspense>
            <p className={styles.link}>
              <Link href={`${path}${hashOf(place)}`}>Link to this call</Link>
            </p>
          </>
        )}
      </details>
    </li>
  );
}
