import { useQuery } from 'urql';
import { Link } from 'wouter';
import { graphql } from '../../gql/gql.ts';
import type { FragmentType } from '../../gql/index.ts';
import { useRereadOn } from '../../live/events.ts';
import { RequestError } from '../../ui/ErrorNote.tsx';
import { Fold } from '../../ui/Fold.tsx';
import { Skeleton } from '../../ui/Skeleton.tsx';
import { carryText } from '../../tools/carry.ts';
import { AgentChip, type AgentChipFragment } from '../AgentChip.tsx';
import styles from './Collaborations.module.css';
import { waysIn, waysOut, type Way } from './ways.ts';

const CollaborationsQuery = graphql(`
  query Collaborations($id: ID!) {
    agent(id: $id) {
      id
      collaborations {
        agent {
          id
        }
        when
      }
    }
    out: handoffTools(where: { agentId: $id }, first: 50) {
      nodes {
        id
        name
        description
        generated
        carry {
          messages
          lastMessages
          toolCalls
          files
          tasks
          decisions
          variables
          maxTokens
        }
        targetAgent {
          id
          ...AgentChip
        }
      }
      totalCount
    }
    in: handoffTools(where: { targetAgentId: $id }, first: 25) {
      nodes {
        id
        name
        description
        generated
        carry {
          messages
          lastMessages
          toolCalls
          files
          tasks
          decisions
          variables
          maxTokens
        }
        agents {
          id
          ...AgentChip
        }
      }
      totalCount
    }
  }
`);

// What the agents say of the moment to hand off to this one.
const WhenQuery = graphql(`
  query CollaborationsWhen($ids: [ID!]!) {
    nodes(ids: $ids) {
      id
      ... on Agent {
        collaborations {
          agent {
            id
          }
          when
        }
      }
    }
  }
`);

type Agent = FragmentType<typeof AgentChipFragment> & { id: string };

/** Who may hand off to the agent, and to whom it may hand off, each with the moment to do so. */
export function Collaborations({ id }: { id: string }) {
  const [{ data, error }, ask] = useQuery({
    query: CollaborationsQuery,
    variables: { id },
    requestPolicy: 'cache-and-network',
  });
  const sources = [
    ...new Set(
      data?.in.nodes.filter(({ generated }) => generated).flatMap(({ agents }) => agents.map((agent) => agent.id)),
    ),
  ];
  const [{ data: when }] = useQuery({
    query: WhenQuery,
    variables: { ids: sources },
    pause: sources.length === 0,
    requestPolicy: 'cache-and-network',
  });
  useRereadOn(
    ({ type }) => type === 'AGENT_CHANGED',
    () => ask({ requestPolicy: 'network-only' }),
  );
  const collaborations = when?.nodes.flatMap((node) => (node?.__typename === 'Agent' ? [node] : [])) ?? [];
  return (
    <section className={`card ${styles.part}`} aria-labelledby="collaborations">
      <h2 id="collaborations">Collaborations</h2>
      {error && <RequestError error={error} onRetry={() => ask({ requestPolicy: 'network-only' })} />}
      {!data && !error && <Skeleton height="10rem" />}
      {data?.agent && (
        <div className={styles.drawing}>
          <Side
            title={`May hand off to ${id}`}
            className={styles.in}
            ways={waysIn<Agent>(data.in.nodes, collaborations, id)}
            rest={data.in.totalCount - data.in.nodes.length}
            all={`/tools?target=${encodeURIComponent(id)}`}
          />
          <div className={styles.self}>{id}</div>
          <Side
            title={`${id} may hand off to`}
            className={styles.out}
            ways={waysOut<Agent>(data.out.nodes, data.agent.collaborations)}
            rest={data.out.totalCount - data.out.nodes.length}
            all={`/tools?agent=${encodeURIComponent(id)}`}
          />
        </div>
      )}
    </section>
  );
}

interface SideProps {
  title: string;
  className: string | undefined;
  ways: Way<Agent>[];
  /** Tools that are not read here. */
  rest: number;
  all: string;
}

function Side({ title, className, ways, rest, all }: SideProps) {
  return (
    <div className={`${styles.side} ${className}`}>
      <h3>{title}</h3>
      {ways.length === 0 && <p className="soft small">nobody</p>}
      <ul role="list" aria-label={title}>
        {ways.map(({ agent, tools }) => (
          <li key={agent.id}>
            <div className={styles.way}>
              <AgentChip agent={agent} />
              {tools.map((tool) => (
                <div key={tool.id} className={styles.tool}>
                  <Link href={`/tools/${tool.id}`} className="mono small">
                    {tool.name}
                  </Link>
                  {tool.when === null ? (
                    <p className="soft small">at any time</p>
                  ) : (
                    <Fold text={tool.when} lines={3} characters={240} />
                  )}
                  {tool.carry !== null && <p className="soft small">passes on {carryText(tool.carry)}</p>}
                </div>
              ))}
            </div>
          </li>
        ))}
      </ul>
      {rest > 0 && (
        <p className="small">
          <Link href={all}>and {rest.toLocaleString()} more tools</Link>
        </p>
      )}
    </div>
  );
}
