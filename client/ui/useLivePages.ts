import { useEffect, useEffectEvent, useRef, useState } from 'react';
import { useClient, type CombinedError, type OperationResult, type TypedDocumentNode } from 'urql';
import { pipe, subscribe } from 'wonka';

export interface Listed<Node> {
  nodes: Node[];
  pageInfo: { hasNextPage: boolean; endCursor?: string | null };
  /** Counted with the first page. */
  totalCount?: number | null;
}

interface LivePages<Node> {
  /** All pages as one; undefined until the first answer. */
  list: Listed<Node> | undefined;
  error: CombinedError | undefined;
  fetching: boolean;
  /** Reads all pages again: when rows may have come, gone or moved. */
  again: () => void;
  more: () => void;
}

interface Part<Data> {
  after: string | null;
  result?: OperationResult<Data>;
  stop: () => void;
}

/** A list of one page, and of another one with each `more`. A page is read with the cursor of the one before, so that their borders fit each other. Needs a new key for new variables. */
export function useLivePages<Data, Variables extends object, Node>(
  query: TypedDocumentNode<Data, Variables>,
  variables: Omit<Variables, 'after' | 'count'>,
  listOf: (data: Data) => Listed<Node> | undefined,
  /** 'network-only' where what was read before may not be shown. */
  policy: 'cache-and-network' | 'network-only' = 'cache-and-network',
): LivePages<Node> {
  const client = useClient();
  const [pages, setPages] = useState(1);
  const [edition, setEdition] = useState(0);
  const [read, setRead] = useState<Omit<LivePages<Node>, 'again' | 'more'>>({
    list: undefined,
    error: undefined,
    fetching: true,
  });
  // Reads follow each other: one that takes longer than the time between two events is not begun again and again.
  const reads = useRef({ runs: false, again: false, edition });

  const readPage = useEffectEvent((after: string | null, isAgain: boolean) =>
    client.query(query, { ...variables, after, count: after === null } as unknown as Variables, {
      requestPolicy: isAgain ? 'network-only' : policy,
    }),
  );
  const cursorAfter = useEffectEvent(({ data }: OperationResult<Data>): string | undefined => {
    const info = data && listOf(data)?.pageInfo;
    return info?.hasNextPage === true ? (info.endCursor ?? undefined) : undefined;
  });
  const show = useEffectEvent((parts: readonly Part<Data>[]) => {
    const error = parts.find(({ result }) => result?.error !== undefined)?.result?.error;
    const isWhole = parts.every(({ result }) => result !== undefined && !result.stale);
    const lists = parts.flatMap(({ result }) => (result?.data && listOf(result.data)) ?? []);
    if (isWhole) {
      reads.current.runs = false;
      if (reads.current.again) setEdition((now) => now + 1);
      reads.current.again = false;
    }
    setRead((before) => ({
      // Until each page is there, what was shown before stays.
      list: lists.length < parts.length ? before.list : joined(lists),
      error,
      fetching: !isWhole && error === undefined,
    }));
  });
  useEffect(() => {
    const parts: Part<Data>[] = [];
    const isAgain = reads.current.edition !== edition;
    reads.current = { runs: true, again: false, edition };
    const open = (after: string | null): void => {
      const part: Part<Data> = { after, stop: () => undefined };
      const at = parts.push(part);
      const { unsubscribe } = pipe(
        readPage(after, isAgain),
        subscribe((result) => {
          part.result = result;
          const next = at < pages ? cursorAfter(result) : undefined;
          if (parts[at]?.after !== next) {
            for (const later of parts.splice(at)) later.stop();
            if (next !== undefined) open(next);
          }
          show(parts);
        }),
      );
      part.stop = unsubscribe;
    };
    open(null);
    return () => {
      for (const { stop } of parts) stop();
    };
  }, [client, pages, edition]);

  return {
    ...read,
    again() {
      if (reads.current.runs) reads.current.again = true;
      else setEdition((now) => now + 1);
    },
    more: () => setPages((count) => count + 1),
  };
}

const joined = <Node>(lists: readonly Listed<Node>[]): Listed<Node> => ({
  nodes: lists.flatMap(({ nodes }) => nodes),
  pageInfo: lists.at(-1)!.pageInfo,
  totalCount: lists[0]!.totalCount,
});
