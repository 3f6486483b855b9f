import { useState } from 'react';
import { useQuery } from 'urql';
import { Link } from 'wouter';
import { AgentChip } from '../agents/AgentChip.tsx';
import type { Columns } from '../density/density.ts';
import { graphql } from '../gql/gql.ts';
import type { HandoffToolFilter, ToolsQuery as Data } from '../gql/graphql.ts';
import { useRereadOn } from '../live/events.ts';
import { Badge } from '../ui/Badge.tsx';
import { EmptyState } from '../ui/EmptyState.tsx';
import { ListTable, TablePage } from '../ui/ListTable.tsx';
import { looksOf } from './looks.ts';
import styles from './ToolsPage.module.css';

const ToolsQuery = graphql(`
  query Tools($where: HandoffToolFilter!, $after: String, $count: Boolean!) {
    handoffTools(where: $where, first: 25, after: $after) {
      nodes {
        id
        name
        description
        generated
        enabled
        archivedAt
        targetAgent {
          id
          ...AgentChip
        }
        agents {
          id
          ...AgentChip
        }
      }
      pageInfo {
        hasNextPage
        endCursor
      }
      totalCount @include(if: $count)
    }
  }
`);

interface ToolListProps {
  filter: HandoffToolFilter;
  isFiltered: boolean;
}

const columns = ['Tool', 'Offered to', 'Hands off to', 'Kind'];
export const toolColumns: Columns = { list: 'tools', names: ['Offered to', 'Hands off to', 'Kind'] };

/** The matching tools, by name. Needs a new key for a new filter. */
export function ToolList({ filter, isFiltered }: ToolListProps) {
  // The cursors of the pages after the first.
  const [cursors, setCursors] = useState<string[]>([]);
  return (
    <ListTable label="Handoff tools" columns={columns} className={styles.table} choice={toolColumns}>
      <ListPage
        filter={filter}
        isFiltered={isFiltered}
        after={null}
        before={0}
        rest={cursors}
        total={undefined}
        onMore={(cursor) => setCursors((now) => [...now, cursor])}
      />
    </ListTable>
  );
}

interface ListPageProps extends ToolListProps {
  after: string | null;
  before: number;
  rest: string[];
  total: number | undefined;
  onMore: (cursor: string) => void;
}

function ListPage({ filter, isFiltered, after, before, rest, total, onMore }: ListPageProps) {
  const isFirst = after === null;
  const [{ data, error, fetching }, ask] = useQuery({
    query: ToolsQuery,
    variables: { where: filter, after, count: isFirst },
    requestPolicy: isFirst ? 'cache-and-network' : 'cache-first',
  });
  // The event of a changed tool is that of its agents.
  useRereadOn(
    ({ type }) => type === 'AGENT_CHANGED' && isFirst && rest.length === 0,
    () => ask({ requestPolicy: 'network-only' }),
  );
  const [next, ...others] = rest;
  return (
    <TablePage
      columns={columns.length}
      noun={['tool', 'tools']}
      page={data?.handoffTools}
      error={error}
      fetching={fetching}
      skeletons={6}
      before={before}
      total={total}
      empty={
        <EmptyState icon="tool" title={isFiltered ? 'No tool fits.' : 'There are no handoff tools yet.'}>
          {isFiltered ? 'Take a filter away to see more.' : 'An agent gets one for each of its collaborators.'}
        </EmptyState>
      }
      row={(tool) => <ToolRow key={tool.id} tool={tool} />}
      next={
        next === undefined
          ? null
          : (shown, all) => (
              <ListPage
                filter={filter}
                isFiltered={isFiltered}
                after={next}
                before={shown}
                rest={others}
                total={all}
                onMore={onMore}
              />
            )
      }
      onRetry={() => ask({ requestPolicy: 'network-only' })}
      onMore={() => {
        const cursor = data?.handoffTools.pageInfo.endCursor;
        if (cursor != null) onMore(cursor);
      }}
    />
  );
}

const shownAgents = 3;

function ToolRow({ tool }: { tool: Data['handoffTools']['nodes'][number] }) {
  const { id, name, description, agents, targetAgent } = tool;
  return (
    <tr>
      <td>
        <Link href={`/tools/${id}`} className={`mono ${styles.name}`}>
          {name}
        </Link>
        <p className={`soft small ${styles.description}`} title={description}>
          {description}
        </p>
      </td>
      <td>
        <span className={styles.agents}>
          {agents.slice(0, shownAgents).map((agent) => (
            <AgentChip key={agent.id} agent={agent} />
          ))}
          {agents.length > shownAgents && <span className="soft small">and {agents.length - shownAgents} more</span>}
        </span>
      </td>
      <td>
        <AgentChip agent={targetAgent} />
      </td>
      <td>
        <span className={styles.badges}>
          {looksOf(tool).map((look) => (
            <Badge key={look.word} {...look} />
          ))}
        </span>
      </td>
    </tr>
  );
}
