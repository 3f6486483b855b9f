import type { IncomingHttpHeaders } from 'node:http';

/**
 * A page of any site may open a socket from a visitor's browser, or send a form or plain text, without asking first. The
 * browser says in `Origin` whose page it is; programs that are no browser say nothing.
 */
export function isOriginAllowed({ origin, host }: Pick<IncomingHttpHeaders, 'origin' | 'host'>, allowed: readonly string[] = []): boolean {
  if (origin === undefined || allowed.includes(origin.toLowerCase())) return true;
  const parsed = URL.canParse(origin) ? new URL(origin) : undefined;
  return parsed !== undefined && parsed.host !== '' && parsed.host === host?.toLowerCase();
}
