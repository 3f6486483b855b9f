import { useQuery } from 'urql';
import { graphql } from '../gql/gql.ts';
import { Tab, Tabs } from '../ui/Tabs.tsx';
import { useAgain } from '../ui/useAgain.ts';

const views = ['conversation', 'handoffs', 'snapshots'] as const;
export type SessionView = (typeof views)[number];

const words: Record<SessionView, string> = {
  conversation: 'Conversation',
  handoffs: 'Handoffs',
  snapshots: 'Snapshots',
};

/** The view in the URL. */
export const viewOf = (search: string): SessionView =>
  views.find((view) => view === new URLSearchParams(search).get('view')) ?? 'conversation';

const CountsQuery = graphql(`
  query SessionTabCounts($id: ID!) {
    session(id: $id) {
      id
      messages(first: 0) {
        totalCount
      }
      handoffs(first: 0) {
        totalCount
      }
      snapshots(first: 0) {
        totalCount
      }
    }
  }
`);

/** The views of a session with their counts. */
export function SessionTabs({ sessionId, moment, view }: { sessionId: string; moment: string; view: SessionView }) {
  const [{ data }, ask] = useQuery({
    query: CountsQuery,
    variables: { id: sessionId },
    requestPolicy: 'cache-and-network',
  });
  useAgain(ask, moment);
  const session = data?.session;
  const counts: Record<SessionView, number | undefined> = {
    conversation: session?.messages.totalCount,
    handoffs: session?.handoffs.totalCount,
    snapshots: session?.snapshots.totalCount,
  };
  return (
    <Tabs label="Views of this session">
      {views.map((each) => (
        <Tab
          key={each}
          href={each === 'conversation' ? `/sessions/${sessionId}` : `/sessions/${sessionId}?view=${each}`}
          replace
          isCurrent={view === each}
          word={words[each]}
          count={counts[each]}
        />
      ))}
    </Tabs>
  );
}
