import { Handle, Position, type Node, type NodeProps } from '@xyflow/react';
import { Link } from 'wouter';
import { agentLooks } from '../agents/looks.ts';
import type { AgentStatus } from '../gql/graphql.ts';
import { Icon } from '../ui/Icon.tsx';
import { writeGraphView, type GraphView } from './filters.ts';
import styles from './GraphDrawing.module.css';

export interface GraphAgent {
  agent: { id: string; type: string; status: AgentStatus; currentLoad: number; maxCapacity: number };
  given: number;
  received: number;
}

export type AgentFlowNode = Node<GraphAgent & { view: GraphView } & Record<string, unknown>, 'agent'>;

/** An agent with its status and handoff counts. Links to the graph of this agent alone, and back. */
export function AgentNode({ data: { agent, given, received, view } }: NodeProps<AgentFlowNode>) {
  const look = agentLooks[agent.status];
  const alone = view.agent === agent.id;
  return (
    <>
      <Handle type="target" position={Position.Left} className={styles.handle} />
      <Link
        href={writeGraphView({ ...view, agent: alone ? '' : agent.id })}
        className={`${styles.node} nopan`}
        title={`${agent.id} (${agent.type}), ${look.word.toLowerCase()}, ${agent.currentLoad} of ${agent.maxCapacity} places taken. ${alone ? 'Show every agent' : 'Show only its handoffs'}`}
      >
        <span className={styles.name}>
          <span className={styles.status} data-tone={look.tone}>
            <Icon name={look.icon} size={13} />
          </span>
          <span className={styles.id}>{agent.id}</span>
          <span className="hidden">{look.word}</span>
        </span>
        <span className={styles.counts}>
          {given.toLocaleString()} given, {received.toLocaleString()} received
        </span>
      </Link>
      <Handle type="source" position={Position.Right} className={styles.handle} />
    </>
  );
}
