import { createApi, Refused, type Api } from '../client/api/request.ts';
import { StreamError } from '../client/stream/index.ts';
import { AwayError, StartError } from '../server/core/startError.ts';
import { keyRefused, requireServer } from './serverUrl.ts';

/** Sends the requests of a command, with the key in BATON_KEY. @throws StartError with the code of a refusal, AwayError */
export async function withApi<Result>(url: string, use: (ask: Api) => Promise<Result>): Promise<Result> {
  await requireServer(url);
  try {
    return await use(createApi({ url, key: process.env['BATON_KEY'] || undefined }));
  } catch (error) {
    throw commandError(error, url);
  }
}

/** What ends a command because Baton refused a request or a stream: an error that says what to do. Other errors stay as they are. */
export function commandError(error: unknown, url: string): unknown {
  if (!(error instanceof Refused || error instanceof StreamError)) return error;
  // A socket is closed with 4403 when its key is missing, unknown or over.
  if (error.code === 'UNAUTHENTICATED' || error.message.startsWith('The server closed the socket: 4403'))
    return keyRefused(url);
  const message = `${error.code}: ${error.message}`;
  const isAway = error.code === 'UNAVAILABLE' || error.code === 'RATE_LIMITED';
  return isAway ? new AwayError(message) : new StartError(message);
}
