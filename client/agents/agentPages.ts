import { useCallback, useEffect, useRef, useState } from 'react';
import { useClient, type CombinedError } from 'urql';
import { graphql } from '../gql/gql.ts';
import type { AgentsToChooseQuery } from '../gql/graphql.ts';

const AgentsToChoose = graphql(`
  query AgentsToChoose($after: String) {
    agents(first: 100, after: $after, orderBy: { field: ID, direction: ASC }) {
      nodes {
        id
        type
        role
        status
        currentLoad
        maxCapacity
        freePlaces
        ...AgentChip
      }
      pageInfo {
        hasNextPage
        endCursor
      }
      totalCount
    }
  }
`);

type Page = AgentsToChooseQuery['agents'];
export type AgentToChoose = Page['nodes'][number];

export interface AgentPages {
  /** The agents read so far, without duplicates. */
  agents: readonly AgentToChoose[];
  /** The total; undefined until the first page has arrived. */
  total: number | undefined;
  /** False when all were read. */
  hasMore: boolean;
  error: CombinedError | undefined;
  retry: () => void;
}

/**
 * Reads the agents page by page while `wantsMore` returns true for those read; each page stays live. The server has no
 * search, so a search reads on until it has enough matches.
 */
export function useAgentPages(wantsMore: (agents: readonly AgentToChoose[]) => boolean): AgentPages {
  const client = useClient();
  const [pages, setPages] = useState<ReadonlyMap<string | null, Page>>(() => new Map());
  const [error, setError] = useState<CombinedError>();
  const stops = useRef(new Map<string | null, () => void>());

  // Skips a page whose start is no longer the end of another, because an agent was inserted before it.
  const agents: AgentToChoose[] = [];
  let next: string | null | undefined = null;
  for (let page = pages.get(null); page; page = next === undefined ? undefined : pages.get(next)) {
    agents.push(...page.nodes);
    next = page.pageInfo.hasNextPage ? page.pageInfo.endCursor : undefined;
  }
  const wanted = next !== undefined && error === undefined && wantsMore(agents);

  useEffect(() => {
    const running = stops.current;
    return () => {
      for (const stop of running.values()) stop();
      running.clear();
    };
  }, [client]);

  useEffect(() => {
    if (!wanted || next === undefined || stops.current.has(next)) return;
    const after = next;
    const { unsubscribe } = client
      .query(AgentsToChoose, { after }, { requestPolicy: 'cache-and-network' })
      .subscribe((answer) => {
        const page = answer.data?.agents;
        if (page) setPages((now) => new Map(now).set(after, page));
        setError(page ? undefined : answer.error);
      });
    stops.current.set(after, unsubscribe);
  }, [client, wanted, next]);

  const retry = useCallback(() => {
    for (const [after, stop] of stops.current) {
      if (pages.has(after)) continue;
      stop();
      stops.current.delete(after);
    }
    setError(undefined);
  }, [pages]);

  return { agents, total: pages.get(null)?.totalCount, hasMore: next !== undefined, error, retry };
}
