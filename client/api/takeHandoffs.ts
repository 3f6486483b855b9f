import { openStream, StreamError, type SocketClass, type Status } from '../stream/index.ts';
import {
  AcceptHandoffDocument,
  HandoffsDocument,
  type AcceptHandoffMutation,
  type HandoffsQuery,
  type HandoffStatus,
} from './operations.ts';
import { createApi, Refused, type PayloadOf } from './request.ts';

/** A handoff that was accepted, with the prompt for the agent. */
export type TakenHandoff = PayloadOf<AcceptHandoffMutation>['handoff'];

export interface TakeOptions {
  /** Baton's address: `http://127.0.0.1:4000`. */
  url: string;
  /** Needed where the server asks for one. */
  key?: string | undefined;
  /** The agent whose handoffs to take. */
  agentId: string;
  /** The budget of each prompt. Default: the server's. */
  maxTokens?: number;
  /** The class of `ws`; required where there is no global `WebSocket`, as in Node 20. */
  webSocket?: SocketClass;
  /** Ends the work after the present handoff. */
  signal?: AbortSignal;
  onStatus?: (status: Status) => void;
  /** A handoff could not be accepted, or `work` could not go on with it: it was taken back, or its session is paused. Default: nothing. */
  onRefused?: (refused: { handoffId: string; accepted: boolean; error: Refused }) => void;
}

interface InboxFields {
  handoff: { id: string; status: HandoffStatus; targetAgent: { id: string } } | null;
  session: { id: string; status: string } | null;
}

/**
 * Works as an agent: accepts its handoffs one after the other, oldest first, those that wait and then each new one, and
 * calls `work` with each. Resolves when `signal` aborts.
 *
 *     await takeHandoffs({ url: 'http://127.0.0.1:4000', agentId: 'claude-1' }, async ({ session, contextPrompt }) => {
 *       const content = await answerOfMyModel(contextPrompt.text);
 *       await ask(AppendTurnDocument, { input: { sessionId: session.id, messages: [{ role: 'ASSISTANT', content }], idempotencyKey } });
 *     });
 *
 * An accepted handoff without a turn comes again after a restart of the program, and when its paused session is resumed.
 *
 * @throws StreamError, Refused; of `work`, everything but a Refused with the code INVALID_STATE
 */
export async function takeHandoffs(
  options: TakeOptions,
  work: (handoff: TakenHandoff) => Promise<void>,
): Promise<void> {
  const { url, key, agentId, maxTokens, webSocket, signal, onStatus, onRefused } = options;
  let isExpired = false;
  const ask = createApi({ url, key });
  const stream = openStream<InboxFields>({
    url,
    ...(key !== undefined && { key }),
    ...(webSocket !== undefined && { webSocket }),
    ...(onStatus !== undefined && { onStatus }),
    topic: { kind: 'handoffAssigned', agentId },
    fields: 'handoff { id status targetAgent { id } } session { status }',
  });
  const stop = (): void => stream.stop();
  signal?.addEventListener('abort', stop);
  if (signal?.aborted === true) stop();

  const take = async (handoffId: string): Promise<void> => {
    if (signal?.aborted === true) return;
    let accepted = false;
    try {
      // Repeatable: accepting again gives the same answer.
      const { handoff } = await ask(AcceptHandoffDocument, { input: { handoffId }, maxTokens: maxTokens ?? null });
      accepted = true;
      await work(handoff);
    } catch (error) {
      if (!(error instanceof Refused) || error.code !== 'INVALID_STATE') throw error;
      onRefused?.({ handoffId, accepted, error });
    }
  };
  const takeWaiting = async (): Promise<void> => {
    const found: string[] = [];
    let after: string | null = null;
    do {
      const { handoffs }: HandoffsQuery = await ask(HandoffsDocument, {
        where: { targetAgentId: agentId, status: ['INITIATED', 'ACCEPTED'] },
        orderBy: { field: 'INITIATED_AT', direction: 'ASC' },
        after,
      });
      found.push(...handoffs.nodes.map(({ id }) => id));
      after = handoffs.pageInfo.hasNextPage ? handoffs.pageInfo.endCursor : null;
    } while (after !== null);
    for (const id of found) await take(id);
  };

  try {
    // Subscribe first, then query: a handoff in between is in both, and taken once.
    await stream.ready;
    await takeWaiting();
    for await (const { type, handoff, session } of stream) {
      // Events carry the state at delivery: a handoff accepted meanwhile is no longer INITIATED.
      if (type === 'HANDOFF_INITIATED' && handoff?.status === 'INITIATED' && handoff.targetAgent.id === agentId)
        await take(handoff.id);
      // Handoffs that could not go on while the session was paused can now.
      if (type === 'SESSION_STATUS_CHANGED' && session?.status === 'RUNNING') await takeWaiting();
    }
  } catch (error) {
    const code = error instanceof StreamError ? error.code : null;
    isExpired = code === 'CURSOR_EXPIRED';
    // STOPPED: before the stream was live.
    if (!isExpired && code !== 'STOPPED') throw error;
  } finally {
    signal?.removeEventListener('abort', stop);
    stream.stop();
  }
  // A new stream has no cursor; what waits is read again.
  if (isExpired) return takeHandoffs(options, work);
}
