import { setTimeout as wait } from 'node:timers/promises';
import { ModelError, type Answer, type Model, type Question } from './conversation.ts';

/** How long one model is waited for, all its waits together. */
export const mostWaitMs = 120_000;
/** How long one is waited for at whose address nothing answers. */
const mostUnreachedMs = 10_000;
const firstWaitMs = 1_000;
const longestWaitMs = 30_000;

/** The runner is to end: nothing is asked again. */
export class Stopped extends Error {}

/**
 * Asks the first model of a list that answers. One that is over its limit or away is asked again when it says so, at most two minutes long;
 * then the next one is asked. @throws ModelError of the last one; Stopped
 */
export async function answerOf(
  models: readonly Model[],
  question: Question,
  { signal, stopping }: { signal: AbortSignal; stopping: AbortSignal },
  onRetry: (text: string) => void,
): Promise<Answer & { by: Model }> {
  let isPassing = false;
  const problems: string[] = [];
  for (const model of models) {
    for (let waited = 0, attempt = 0; ; attempt += 1) {
      try {
        return { ...(await model.answer(question, signal)), by: model };
      } catch (error) {
        if (!(error instanceof ModelError) || signal.aborted) throw error;
        const delay = error.retryAfterMs ?? Math.min(longestWaitMs, firstWaitMs * 2 ** attempt);
        if (!error.isPassing || waited + delay > (error.isUnreached ? mostUnreachedMs : mostWaitMs)) {
          isPassing ||= error.isPassing;
          problems.push(error.message);
          if (model !== models.at(-1)) onRetry(`${error.message}; the next model is asked`);
          break;
        }
        if (stopping.aborted) throw new Stopped();
        onRetry(`${error.message}; asked again in ${(delay / 1_000).toFixed(1)} s`);
        await wait(delay, undefined, { signal: AbortSignal.any([signal, stopping]) }).catch((reason: unknown) => {
          throw stopping.aborted && !signal.aborted ? new Stopped() : reason;
        });
        waited += delay;
      }
    }
  }
  throw new ModelError(problems.join('; '), isPassing);
}
