import { createApi, Refused, type Api } from '../client/api/request.ts';
import { AwayError, StartError } from '../server/core/startError.ts';
import { requireServer } from './serverUrl.ts';

/** Sends the requests of a command, with the key in BATON_KEY. @throws StartError with the code of a refusal, AwayError */
export async function withApi<Result>(url: string, use: (ask: Api) => Promise<Result>): Promise<Result> {
  await requireServer(url);
  try {
    return await use(createApi({ url, key: process.env['BATON_KEY'] || undefined }));
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    const message = `${error.code}: ${error.message}`;
    throw error.code === 'UNAVAILABLE' || error.code === 'RATE_LIMITED'
      ? new AwayError(message)
      : new StartError(message);
  }
}
