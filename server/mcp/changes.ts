import { GraphQLError } from 'graphql';
import type { Caller } from '../core/work.ts';
import { EventStream, eventsOf } from '../infra/http/eventStream.ts';
import { StreamEnded, type Stream } from '../live/stream.ts';
import { type Streams, TooManyConnections } from '../live/streams.ts';
import type { Desk } from './ask.ts';
import { Refused } from './result.ts';
import { NoAgent } from './tools.ts';

const changed = `event: message\ndata: ${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' })}\n\n`;
const heartbeat = ': heartbeat\n\n';

/** What the tools of an agent depend on. */
interface Seen {
  definitions: string;
  /** The agent and the targets of its tools. */
  agents: ReadonlySet<string>;
}

/**
 * A stream that announces changed tools, by the committed events of any process. The first message comes at once: tools may
 * have changed before the stream was open.
 * @throws NoAgent, Refused, GraphQLError
 */
export async function changesOf(streams: Streams, caller: Caller, desk: Desk): Promise<Response> {
  const leave = enter(streams, caller);
  try {
    return await changes(streams, caller, desk, leave);
  } catch (error) {
    leave();
    throw error;
  }
}

function enter(streams: Streams, caller: Caller): () => void {
  try {
    return streams.connect(caller);
  } catch (error) {
    if (error instanceof TooManyConnections) throw new Refused(error.message, 'RATE_LIMITED');
    throw error;
  }
}

async function changes(streams: Streams, caller: Caller, desk: Desk, leave: () => void): Promise<Response> {
  let seen: Seen = { definitions: '', agents: new Set() };
  const stream = await open(streams, caller, (agents) => agents.some((id) => seen.agents.has(id)));
  // After the stream was opened, and before its first event is looked at: no change falls between the two.
  seen = await look(desk).catch(async (error: unknown) => {
    await stream.return();
    throw error;
  });

  async function next(): Promise<string | null> {
    const { value } = await stream.next();
    if (value === undefined) return null;
    if (value.type === 'HEARTBEAT') return heartbeat;
    if (value.type === 'READY') return changed;
    const before = seen;
    seen = await look(desk).catch((error: unknown) => {
      if (error instanceof Refused) return { ...before, definitions: '' };
      throw error;
    });
    return seen.definitions === before.definitions ? heartbeat : changed;
  }

  return new EventStream(
    eventsOf(
      () =>
        next().catch((error: unknown) => {
          if (error instanceof StreamEnded || error instanceof NoAgent) return null;
          throw error;
        }),
      () => {
        leave();
        return stream.return();
      },
    ),
  );
}

const document =
  'query ($id: ID!) { agent(id: $id) { handoffToolDefinitions(format: MCP) } handoffTools(first: 100, where: { agentId: $id }) { nodes { targetAgent { id } } } }';

/** An analyst that names no agent has tools that never change. */
async function look({ agentId, query }: Desk): Promise<Seen> {
  if (agentId === null) return { definitions: '', agents: new Set() };
  const { agent, handoffTools } = await query<{
    agent: { handoffToolDefinitions: object[] } | null;
    handoffTools: { nodes: { targetAgent: { id: string } }[] };
  }>(document, { id: agentId });
  if (agent === null) throw new NoAgent(`There is no agent '${agentId}': check the address`);
  return {
    definitions: JSON.stringify(agent.handoffToolDefinitions),
    agents: new Set([agentId, ...handoffTools.nodes.map(({ targetAgent }) => targetAgent.id)]),
  };
}

async function open(
  streams: Streams,
  caller: Caller,
  concerns: (agents: readonly string[]) => boolean,
): Promise<Stream> {
  try {
    return await streams.open({
      key: { kind: 'all' },
      caller,
      after: null,
      accepts: ({ type, inboxes }) => type === 'AGENT_CHANGED' && concerns(inboxes),
    });
  } catch (error) {
    if (error instanceof StreamEnded) throw new GraphQLError(error.message, { extensions: { code: error.code } });
    throw error;
  }
}
