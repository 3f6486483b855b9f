import { decodeId, encodeId, isAgentId, type IdPrefix } from '../../core/ids.ts';

/** The TypeID prefix of each type that `node` finds. An Agent's id is its slug. */
export const nodePrefixes = {
  Session: 'session',
  AgentSession: 'agentsession',
  Handoff: 'handoff',
  Turn: 'turn',
  Message: 'message',
  ToolCall: 'toolcall',
  Decision: 'decision',
  Task: 'task',
  ContextSnapshot: 'snapshot',
  Event: 'event',
  Key: 'key',
  HandoffTool: 'tool',
  Pipeline: 'pipeline',
  Webhook: 'webhook',
  Delivery: 'delivery',
} as const satisfies Record<string, IdPrefix>;
export type NodeType = keyof typeof nodePrefixes | 'Agent';

export const isNodeType = (name: string): name is NodeType => name === 'Agent' || name in nodePrefixes;

export const encodeNodeId = (type: NodeType, id: string): string =>
  type === 'Agent' ? id : encodeId(nodePrefixes[type], id);

/** Never throws: an invalid id decodes to an Agent that cannot exist, so that `nodes` returns null for it. */
export function decodeNodeId(id: string): { typename: NodeType; id: string } {
  const decoded = decodeId(id);
  if (decoded === null) return { typename: 'Agent', id: isAgentId(id) ? id : '' };
  const typename = (Object.keys(nodePrefixes) as (keyof typeof nodePrefixes)[]).find(
    (type) => nodePrefixes[type] === decoded.prefix,
  );
  return typename === undefined ? { typename: 'Agent', id: '' } : { typename, id: decoded.uuid };
}
