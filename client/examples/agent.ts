import { WebSocket } from 'ws';
import { openStream, StreamError } from '../stream/index.ts';
import { createApi, Refused } from '../api/request.ts';

type Ask = ReturnType<typeof createApi>;

const say = (line: string): void => void process.stdout.write(`${line}\n`);

interface Handoff {
  id: string;
  status: string;
  reason: string | null;
  sourceAgent: { id: string } | null;
  targetAgent: { id: string };
  session: { id: string; title: string };
  contextPrompt: { text: string };
}

interface Waiting {
  handoffs: { nodes: { id: string }[]; pageInfo: { hasNextPage: boolean; endCursor: string | null } };
}

const accept = `mutation ($handoffId: ID!) {
  answer: acceptHandoff(input: { handoffId: $handoffId }) {
    ... on AcceptHandoffPayload { handoff { id reason sourceAgent { id } session { id title } contextPrompt(maxTokens: 2000) { text } } }
    ... on Error { code message }
  }
}`;

const answerWith = `mutation ($input: AppendTurnInput!) {
  answer: appendTurn(input: $input) {
    ... on AppendTurnPayload { turn { id } }
    ... on Error { code message }
  }
}`;

const whatWaits = `query ($agentId: ID!, $after: String) {
  handoffs(where: { targetAgentId: $agentId, status: [INITIATED, ACCEPTED] }, orderBy: { field: INITIATED_AT, direction: ASC }, after: $after) {
    nodes { id }
    pageInfo { hasNextPage endCursor }
  }
}`;

async function takeOver(ask: Ask, handoffId: string): Promise<void> {
  let accepted = false;
  try {
    // An agent killed here repeats both safely: accepting is repeatable, and the turn has a key.
    const { handoff } = await ask<{ handoff: Handoff }>(accept, { handoffId });
    accepted = true;
    say(`\n--- ${handoff.session.title}: handed over by ${handoff.sourceAgent?.id ?? 'no agent'}${handoff.reason === null ? '' : `, reason: ${handoff.reason}`}`);
    say(handoff.contextPrompt.text);
    const content = work(handoff);
    await ask(answerWith, { input: { sessionId: handoff.session.id, messages: [{ role: 'ASSISTANT', content }], idempotencyKey: `answer-${handoff.id}` } });
    say(`--- taken over: ${handoff.id}`);
  } catch (error) {
    // The handoff was cancelled or replaced, or its session is paused.
    if (!(error instanceof Refused) || error.code !== 'INVALID_STATE') throw error;
    say(`--- ${accepted ? 'accepted, and not answered' : 'not taken over'}: ${handoffId}: ${error.message}`);
  }
}

async function waitingFor(ask: Ask, id: string): Promise<string[]> {
  const found: string[] = [];
  let after: string | null = null;
  do {
    const { handoffs }: Waiting = await ask<Waiting>(whatWaits, { agentId: id, after });
    found.push(...handoffs.nodes.map((handoff) => handoff.id));
    after = handoffs.pageInfo.hasNextPage ? handoffs.pageInfo.endCursor : null;
  } while (after !== null);
  return found;
}

/** A real agent would give the context to its model here. */
function work({ contextPrompt }: Handoff): string {
  return `I have read the ${contextPrompt.text.length} characters that were handed to me, and go on from here.`;
}

/** Works as the agent until Ctrl-C or SIGTERM. @throws StreamError, Refused */
export async function runAgent(id: string, connection: { url: string; key: string | undefined }): Promise<void> {
  const ask = createApi(connection);
  const stream = openStream<{ handoff: Pick<Handoff, 'id' | 'status' | 'targetAgent'> | null; session: { status: string } | null }>({
    url: connection.url,
    ...(connection.key !== undefined && { key: connection.key }),
    webSocket: WebSocket,
    topic: { kind: 'handoffAssigned', agentId: id },
    fields: 'handoff { id status targetAgent { id } } session { status }',
    onStatus: (status) => {
      if (status.state === 'live') say(`${id} waits for handoffs at ${connection.url}`);
      if (status.state === 'waiting') say(`lost the server (${status.reason}); next try in ${Math.max(0, status.until - Date.now())} ms`);
    },
  });
  const stop = (): void => stream.stop();
  process.once('SIGINT', stop);
  process.once('SIGTERM', stop);

  const takeOverAll = async (): Promise<void> => {
    for (const handoffId of await waitingFor(ask, id)) await takeOver(ask, handoffId);
  };
  try {
    // Subscribe first, then query: a handoff in between is in both, and accepted once.
    await stream.ready;
    await takeOverAll();
    for await (const { type, handoff, session } of stream) {
      // Events carry the current state: a handoff accepted meanwhile is no longer INITIATED.
      if (type === 'HANDOFF_INITIATED' && handoff?.status === 'INITIATED' && handoff.targetAgent.id === id) await takeOver(ask, handoff.id);
      // Handoffs that could not be accepted while the session was paused can be now.
      if (type === 'SESSION_STATUS_CHANGED' && session?.status === 'RUNNING') await takeOverAll();
    }
  } catch (error) {
    // Stopped before the stream was live.
    if (!(error instanceof StreamError && error.code === 'STOPPED')) throw error;
  } finally {
    stop();
    process.off('SIGINT', stop);
    process.off('SIGTERM', stop);
  }
  say(`${id} has stopped`);
}
