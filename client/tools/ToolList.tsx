import { Link } from 'wouter';
import { AgentChip } from '../agents/AgentChip.tsx';
import type { Columns } from '../density/density.ts';
import { graphql } from '../gql/gql.ts';
import type { HandoffToolFilter, ToolsQuery as Data } from '../gql/graphql.ts';
import { useRereadOn } from '../live/events.ts';
import { Badge } from '../ui/Badge.tsx';
import { EmptyState } from '../ui/EmptyState.tsx';
import { ListTable, TableRows } from '../ui/ListTable.tsx';
import { useLivePages } from '../ui/useLivePages.ts';
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
  const { again, more, ...read } = useLivePages(ToolsQuery, { where: filter }, ({ handoffTools }) => handoffTools);
  // The event of a changed tool is that of its agents.
  useRereadOn(({ type }) => type === 'AGENT_CHANGED', again);
  return (
    <ListTable label="Handoff tools" columns={columns} className={styles.table} choice={toolColumns}>
      <TableRows
        {...read}
        columns={columns.length}
        noun={['tool', 'tools']}
        skeletons={6}
        empty={
          <EmptyState icon="tool" title={isFiltered ? 'No tool fits.' : 'There are no handoff tools yet.'}>
            {isFiltered ? 'Take a filter away to see more.' : 'An agent gets one for each of its collaborators.'}
          </EmptyState>
        }
        row={(tool) => <ToolRow key={tool.id} tool={tool} />}
        onRetry={again}
        onMore={more}
      />
    </ListTable>
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
