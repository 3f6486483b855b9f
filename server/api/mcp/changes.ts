import { GraphQLError } from 'graphql';
import type { Caller } from '../../core/work.ts';
import { StreamEnded, type Stream } from '../../delivery/live/stream.ts';
import { type Streams, TooManyConnections } from '../../delivery/live/streams.ts';
import { EventStream, eventsOf } from '../../infra/http/eventStream.ts';
import type { Desk } from './ask.ts';
import { Refused } from './result.ts';
import { stagesText } from './stages.ts';
import { NoAgent } from './tools.ts';

const changed = `event: message\ndata: ${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' })}\n\n`;
const heartbeat = ': heartbeat\n\n';

type Accepts = Parameters<Streams['open']>[0]['accepts'];

/** The events in the inbox of an agent after which it may work in other stages. */
const changesStages = new Set<Parameters<Accepts>[0]['type']>([
  'SESSION_CREATED',
  'SESSION_REASSIGNED',
  'SESSION_RETURNED',
  'SESSION_UNASSIGNED',
  'SESSION_QUEUED',
  'SESSION_STAGE_CHANGED',
  'SESSION_STATUS_CHANGED',
  'HANDOFF_ACCEPTED',
]);

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
  const stream = await open(streams, caller, ({ type, inboxes }) =>
    type === 'AGENT_CHANGED'
      ? inboxes.some((id) => seen.agents.has(id))
      : changesStages.has(type) && desk.agentId !== null && inboxes.includes(desk.agentId),
  );
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
async function look(desk: Desk): Promise<Seen> {
  const { agentId, query } = desk;
  if (agentId === null) return { definitions: '', agents: new Set() };
  const { agent, handoffTools } = await query<{
    agent: { handoffToolDefinitions: object[] } | null;
    handoffTools: { nodes: { targetAgent: { id: string } }[] };
  }>(document, { id: agentId });
  if (agent === null) throw new NoAgent(`There is no agent '${agentId}': check the address`);
  return {
    definitions: JSON.stringify(agent.handoffToolDefinitions) + (await stagesText(desk)),
    agents: new Set([agentId, ...handoffTools.nodes.map(({ targetAgent }) => targetAgent.id)]),
  };
}

async function open(streams: Streams, caller: Caller, accepts: Accepts): Promise<Stream> {
  try {
    return await streams.open({
      key: { kind: 'all' },
      caller,
      after: null,
      accepts,
    });
  } catch (error) {
    if (error instanceof StreamEnded) throw new GraphQLError(error.message, { extensions: { code: error.code } });
    throw error;
  }
}
