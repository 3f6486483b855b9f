import { useState } from 'react';

export interface PageOf<Row> {
  nodes: readonly Row[];
  pageInfo: { hasNextPage: boolean; endCursor?: string | null };
}

export interface Earlier<Row> {
  /** Newest first: the newest page, and those that were read since. */
  known: readonly Row[];
  hasEarlier: boolean;
  /** Reads one page more. Returns what is known then; null when there is no more, or it could not be read. */
  readEarlier: () => Promise<Earlier<Row> | null>;
}

const none: readonly never[] = [];

/** The rows of the newest page, which is read again when something changes, and of the pages before it, which are read on demand. */
export function useEarlier<Row extends { id: string }>(
  newest: PageOf<Row> | undefined,
  read: (after: string | null) => Promise<PageOf<Row> | undefined>,
): Earlier<Row> {
  const [earlier, setEarlier] = useState<PageOf<Row> | null>(null);
  const from = (known: readonly Row[], pageInfo: PageOf<Row>['pageInfo'] | undefined): Earlier<Row> => ({
    known,
    hasEarlier: pageInfo?.hasNextPage === true,
    readEarlier: async () => {
      if (pageInfo?.hasNextPage !== true) return null;
      const page = await read(pageInfo.endCursor ?? null);
      if (page === undefined) return null;
      const nodes = merged(known, page.nodes);
      setEarlier({ nodes, pageInfo: page.pageInfo });
      return from(nodes, page.pageInfo);
    },
  });
  return from(merged(newest?.nodes ?? none, earlier?.nodes ?? none), earlier?.pageInfo ?? newest?.pageInfo);
}

/** The newest ones, and those of the others that are not among them. */
export function merged<Row extends { id: string }>(newest: readonly Row[], others: readonly Row[]): readonly Row[] {
  if (others.length === 0) return newest;
  const ids = new Set(newest.map(({ id }) => id));
  return [...newest, ...others.filter(({ id }) => !ids.has(id))];
}
