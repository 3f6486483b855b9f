import { WebSocket } from 'ws';
import { AcceptHandoffDocument, AppendTurnDocument, HandoffsDocument, type AcceptHandoffMutation, type HandoffsQuery, type HandoffStatus } from '../api/operations.ts';
import { createApi, Refused, type Api, type PayloadOf } from '../api/request.ts';
import { openStream, StreamError } from '../stream/index.ts';

const say = (line: string): void => void process.stdout.write(`${line}\n`);

async function takeOver(ask: Api, handoffId: string): Promise<void> {
  let accepted = false;
  try {
    // An agent killed here repeats both safely: accepting is repeatable, and the turn has a key.
    const { handoff } = await ask(AcceptHandoffDocument, { input: { handoffId }, maxTokens: 2000 });
    accepted = true;
    say(`\n--- ${handoff.session.title}: handed over by ${handoff.sourceAgent?.id ?? 'no agent'}${handoff.reason === null ? '' : `, reason: ${handoff.reason}`}`);
    say(handoff.contextPrompt.text);
    const content = work(handoff);
    await ask(AppendTurnDocument, { input: { sessionId: handoff.session.id, messages: [{ role: 'ASSISTANT', content }], idempotencyKey: `answer-${handoff.id}` } });
    say(`--- taken over: ${handoff.id}`);
  } catch (error) {
    // The handoff was cancelled or replaced, or its session is paused.
    if (!(error instanceof Refused) || error.code !== 'INVALID_STATE') throw error;
    say(`--- ${accepted ? 'accepted, and not answered' : 'not taken over'}: ${handoffId}: ${error.message}`);
  }
}

async function waitingFor(ask: Api, id: string): Promise<string[]> {
  const found: string[] = [];
  let after: string | null = null;
  do {
    const { handoffs }: HandoffsQuery = await ask(HandoffsDocument, {
      where: { targetAgentId: id, status: ['INITIATED', 'ACCEPTED'] },
      orderBy: { field: 'INITIATED_AT', direction: 'ASC' },
      after,
    });
    found.push(...handoffs.nodes.map((handoff) => handoff.id));
    after = handoffs.pageInfo.hasNextPage ? handoffs.pageInfo.endCursor : null;
  } while (after !== null);
  return found;
}

/** A real agent would give the context to its model here. */
function work({ contextPrompt }: PayloadOf<AcceptHandoffMutation>['handoff']): string {
  return `I have read the ${contextPrompt.text.length} characters that were handed to me, and go on from here.`;
}

/** Works as the agent until Ctrl-C or SIGTERM. @throws StreamError, Refused */
export async function runAgent(id: string, connection: { url: string; key: string | undefined }): Promise<void> {
  const ask = createApi(connection);
  const stream = openStream<{ handoff: { id: string; status: HandoffStatus; targetAgent: { id: string } } | null; session: { status: string } | null }>({
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
  const signals = ['SIGINT', 'SIGTERM'] as const;
  const stop = (): void => {
    stream.stop();
    // Under npm, Ctrl-C arrives twice: from the terminal and from npm. A later one ends the process at once.
    setTimeout(() => signals.forEach((signal) => process.off(signal, stop)), 250).unref();
  };
  for (const signal of signals) process.on(signal, stop);

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
    stream.stop();
  }
  say(`${id} has stopped`);
}
