import { useEffect } from 'react';
import { useQuery } from 'urql';
import { graphql } from '../gql/gql.ts';
import { useRereadOn } from '../live/events.ts';
import { useSilence } from '../sessions/silence.ts';
import { noteCount } from './well.ts';

export const rereadEveryMs = 5_000;
export const minuteMs = 60_000;

const AttentionCountQuery = graphql(`
  query AttentionCount {
    attention(first: 0) {
      totalCount
    }
  }
`);

/** The number of what needs a person, in the navigation. Renders nothing when nothing does. */
export function Attention({ className }: { className: string | undefined }) {
  const [{ data }, ask] = useQuery({ query: AttentionCountQuery, requestPolicy: 'cache-and-network' });
  const reread = () => ask({ requestPolicy: 'network-only' });
  const count = data?.attention.totalCount;
  useRereadOn(() => true, reread, rereadEveryMs);
  useSilence(reread, minuteMs);
  useEffect(() => {
    if (count !== undefined) noteCount(count);
  }, [count]);
  if (count === undefined || count === 0) return null;
  return (
    <span className={className}>
      {count.toLocaleString('en')}
      <span className="hidden"> to look at</span>
    </span>
  );
}
