import { WebSocket } from 'ws';
import { AppendTurnDocument } from '../api/operations.ts';
import { createApi } from '../api/request.ts';
import { takeHandoffs, type TakenHandoff } from '../api/takeHandoffs.ts';

/** A real agent would give the context to its model here. */
function work({ contextPrompt }: TakenHandoff): string {
  return `I have read the ${contextPrompt.text.length} characters that were handed to me, and go on from here.`;
}

/** Works as the agent until Ctrl-C or SIGTERM. `say` prints a line, `show` a text of several: both hold texts of other agents. @throws StreamError, Refused */
export async function runAgent(
  id: string,
  connection: { url: string; key: string | undefined },
  { say, show }: { say: (line: string) => void; show: (text: string) => void },
): Promise<void> {
  const ask = createApi(connection);
  const signals = ['SIGINT', 'SIGTERM'] as const;
  const stopping = new AbortController();
  const stop = (): void => {
    stopping.abort();
    // Under npm, Ctrl-C arrives twice: from the terminal and from npm. A later one ends the process at once.
    setTimeout(() => signals.forEach((signal) => process.off(signal, stop)), 250).unref();
  };
  for (const signal of signals) process.on(signal, stop);

  await takeHandoffs(
    {
      ...connection,
      agentId: id,
      maxTokens: 2000,
      webSocket: WebSocket,
      signal: stopping.signal,
      onStatus: (status) => {
        if (status.state === 'live') say(`${id} waits for handoffs at ${connection.url}`);
        if (status.state === 'waiting')
          say(`lost the server (${status.reason}); next try in ${Math.max(0, status.until - Date.now())} ms`);
      },
      onRefused: ({ handoffId, accepted, error }) =>
        say(`--- ${accepted ? 'accepted, and not answered' : 'not taken over'}: ${handoffId}: ${error.message}`),
    },
    async (handoff) => {
      show('');
      say(
        `--- ${handoff.session.title}: handed over by ${handoff.sourceAgent?.id ?? 'no agent'}${handoff.reason === null ? '' : `, reason: ${handoff.reason}`}`,
      );
      show(handoff.contextPrompt.text);
      const content = work(handoff);
      // The key: an agent that was killed after this request repeats it safely.
      await ask(AppendTurnDocument, {
        input: {
          sessionId: handoff.session.id,
          messages: [{ role: 'ASSISTANT', content }],
          idempotencyKey: `answer-${handoff.id}`,
        },
      });
      say(`--- taken over: ${handoff.id}`);
    },
  );
  say(`${id} has stopped`);
}
