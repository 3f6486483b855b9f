import type { ReactNode } from 'react';
import { useClient, useQuery, type Client } from 'urql';
import { Link } from 'wouter';
import { useMay } from '../../access/viewer.ts';
import { outcomeOf, type Outcome } from '../../acts/outcome.ts';
import { ApprovalSwitch } from '../../approvals/ApprovalSwitch.tsx';
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
        approval
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
          approval
        }
      }
    }
  }
`);

const PresentCollaborations = graphql(`
  query PresentCollaborations($id: ID!) {
    agent(id: $id) {
      id
      collaborations {
        agent {
          id
        }
        when
        approval
      }
    }
  }
`);

const SetCollaborations = graphql(`
  mutation SetCollaborations($id: ID!, $collaborations: [CollaborationInput!]!) {
    answer: updateAgent(input: { id: $id, collaborations: $collaborations }) {
      __typename
      ... on UpdateAgentPayload {
        agent {
          id
          collaborations {
            agent {
              id
            }
            when
            approval
          }
        }
      }
      ... on Error {
        code
        message
      }
    }
  }
`);

/** Says whether a person approves the handoffs of a collaboration. The API takes the whole list: it is read before, so that other changes of it stay. */
async function setApproval(client: Client, id: string, targetId: string, isRequired: boolean): Promise<Outcome> {
  const { data } = await client.query(PresentCollaborations, { id }, { requestPolicy: 'network-only' });
  if (!data?.agent) return { done: false, message: 'Try again.', isUnknown: true };
  const collaborations = data.agent.collaborations.map(({ agent, when, approval }) => ({
    agentId: agent.id,
    when: when ?? null,
    approval: agent.id !== targetId ? approval : isRequired ? ('REQUIRED' as const) : ('NONE' as const),
  }));
  return outcomeOf(await client.mutation(SetCollaborations, { id, collaborations }));
}

type Agent = FragmentType<typeof AgentChipFragment> & { id: string };

/** Who may hand off to the agent, and to whom it may hand off, each with the moment to do so. */
export function Collaborations({ id }: { id: string }) {
  const client = useClient();
  const mayChange = useMay('manageAgents');
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
  const own = data?.agent?.collaborations ?? [];
  const demands = (from: readonly { agent: { id: string }; approval: string }[], to: string) =>
    from.some(({ agent, approval }) => agent.id === to && approval === 'REQUIRED');
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
            approvalOf={(source) => (
              <ApprovalSwitch
                isRequired={collaborations.some((each) => each.id === source && demands(each.collaborations, id))}
                change={undefined}
              />
            )}
          />
          <div className={styles.self}>{id}</div>
          <Side
            title={`${id} may hand off to`}
            className={styles.out}
            ways={waysOut<Agent>(data.out.nodes, data.agent.collaborations)}
            rest={data.out.totalCount - data.out.nodes.length}
            all={`/tools?agent=${encodeURIComponent(id)}`}
            approvalOf={(target) =>
              own.some(({ agent }) => agent.id === target) && (
                <ApprovalSwitch
                  isRequired={demands(own, target)}
                  of={`to ${target}`}
                  change={mayChange ? (isRequired) => setApproval(client, id, target, isRequired) : undefined}
                />
              )
            }
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
  /** Whether a person approves the handoffs from or to the agent. */
  approvalOf: (agentId: string) => ReactNode;
}

function Side({ title, className, ways, rest, all, approvalOf }: SideProps) {
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
              {approvalOf(agent.id)}
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
