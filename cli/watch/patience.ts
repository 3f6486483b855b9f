import { setTimeout as wait } from 'node:timers/promises';
import { Refused, type Api } from '../../client/api/request.ts';
import { AwayError } from '../../server/core/startError.ts';
import { Failed } from '../hook/request.ts';

export const isRefusal = (error: unknown, ...codes: string[]): error is Refused =>
  error instanceof Refused && codes.includes(error.code);

/** Goes on asking while Baton is away or busy: `ask` itself waits longer after each try. */
export const patient = (ask: Api): Api =>
  (async (query: never, variables: object) => {
    for (;;) {
      try {
        return await ask(query, variables);
      } catch (error) {
        if (!isRefusal(error, 'UNAVAILABLE', 'RATE_LIMITED')) throw error;
      }
    }
  }) as Api;

const awayMs = 2_000;

/** Acts again while Baton is away or busy. */
export async function whileAway<Result>(act: () => Promise<Result>): Promise<Result> {
  for (;;) {
    try {
      return await act();
    } catch (error) {
      const isAway =
        error instanceof AwayError ||
        (error instanceof Failed && ['AWAY', 'UNAVAILABLE', 'RATE_LIMITED'].includes(error.code));
      if (!isAway && !(error instanceof Error && error.name === 'AbortError')) throw error;
      await wait(awayMs);
    }
  }
}
