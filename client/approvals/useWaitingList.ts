import { useCallback, useEffect, useRef, useState } from 'react';
import { type Client, type CombinedError, useClient } from 'urql';
import type { WaitingFragment } from '../gql/graphql.ts';
import { readFragment } from '../gql/index.ts';
import { DecideQuery, WaitingDocument } from './documents.ts';

const pageSize = 50;

interface WaitingList {
  waiting: WaitingFragment[];
  total: number;
  hasMore: boolean;
}

/** What waits for a person, the oldest deadline first: one page, and another one with each `more`. */
export function useWaitingList() {
  const client = useClient();
  const [list, setList] = useState<WaitingList | null>(null);
  const [error, setError] = useState<CombinedError | undefined>();
  const [fetching, setFetching] = useState(true);
  const pages = useRef(1);
  // Reads follow each other: a slow one never shows what was true before a later one.
  const reads = useRef({ runs: false, again: false });

  const again = useCallback((): void => {
    reads.current.again = true;
    if (reads.current.runs) return;
    reads.current.runs = true;
    const read = async (): Promise<void> => {
      const waiting: WaitingFragment[] = [];
      let after: string | null = null;
      for (let page = 1; ; page += 1) {
        const { data, error: failure } = await readPage(client, after);
        setError(failure);
        if (data === undefined) return;
        const { nodes, pageInfo, totalCount } = data.approvals;
        waiting.push(...nodes.map((node) => readFragment(WaitingDocument, node)));
        after = pageInfo.endCursor ?? null;
        if (page < pages.current && pageInfo.hasNextPage) continue;
        setList({ waiting, total: totalCount, hasMore: pageInfo.hasNextPage });
        return;
      }
    };
    const run = async (): Promise<void> => {
      setFetching(true);
      while (reads.current.again) {
        reads.current.again = false;
        await read();
      }
      reads.current.runs = false;
      setFetching(false);
    };
    void run();
  }, [client]);
  useEffect(again, [again]);

  const more = (): void => {
    pages.current += 1;
    again();
  };
  return { list, error, fetching, again, more };
}

const readPage = (client: Client, after: string | null) =>
  client.query(DecideQuery, { first: pageSize, after }, { requestPolicy: 'network-only' });
