import { useQuery } from 'urql';
import { Page } from '../app/Page.tsx';
import { graphql } from '../gql/gql.ts';
import { Badge } from '../ui/Badge.tsx';
import { AgentChip } from './AgentChip.tsx';
import { agentLooks } from './looks.ts';

const AgentsQuery = graphql(`
  query Agents {
    agents(first: 100, orderBy: { field: ID, direction: ASC }) {
      nodes {
        id
        status
        ...AgentChip
      }
    }
  }
`);

export function AgentsPage() {
  const [{ data }] = useQuery({ query: AgentsQuery });
  return (
    <Page title="Agents">
      {data?.agents.nodes.map((agent) => (
        <div key={agent.id}>
          <AgentChip agent={agent} /> <Badge {...agentLooks[agent.status]} />
        </div>
      ))}
    </Page>
  );
}
