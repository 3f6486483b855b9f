import { APICallError } from '@ai-sdk/provider';
import { ModelError } from './conversation.ts';

/** What a failed request says, for people, without the key. */
export function modelErrorOf(name: string, error: unknown, key: string | undefined, now = Date.now()): ModelError {
  const message = withoutKey(error instanceof Error ? error.message : JSON.stringify(error), key);
  if (!APICallError.isInstance(error)) {
    const { type = '' } = (error ?? {}) as { type?: string };
    return new ModelError(`${name} broke its answer off: ${message}`, type !== 'invalid_request_error');
  }
  const { statusCode: status, responseHeaders: headers } = error;
  if (status === undefined)
    return new ModelError(
      `${name} is not reached at ${hostOf(error.url)}: ${message}: start its server, or check its baseURL`,
      true,
      null,
      true,
    );
  if (status < 300)
    return new ModelError(
      message.includes('Failed to process successful response')
        ? `${name} broke its answer off`
        : `${name} answered what its provider does not define: ${message}`,
      true,
    );
  const isPassing = status === 429 || status === 408 || status >= 500;
  const advice =
    status === 401 || status === 403
      ? ': check its key'
      : status === 404
        ? ': check the name of the model and its baseURL'
        : '';
  return new ModelError(
    `${name} answered ${status} (${message})${advice}`,
    isPassing,
    isPassing ? retryAfterMs(headers ?? {}, now) : null,
  );
}

const hostOf = (url: string): string => (URL.canParse(url) ? new URL(url).host : url);

const longest = 200;
function withoutKey(text: string, key: string | undefined): string {
  const clean = key === undefined ? text : text.replaceAll(key, '[key]');
  return clean.length > longest ? `${clean.slice(0, longest)}...` : clean;
}

/** Seconds or a date. Null when it is neither. */
function retryAfterMs(headers: Record<string, string>, now: number): number | null {
  const given = headers['retry-after'];
  if (given === undefined) return null;
  const ms = /^\d+(\.\d+)?$/.test(given) ? Number(given) * 1_000 : Date.parse(given) - now;
  return Number.isFinite(ms) ? Math.max(0, ms) : null;
}
