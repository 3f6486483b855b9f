import type { IncomingHttpHeaders } from 'node:http';

/**
 * Sockets know no same-origin policy: a page of any site may open one from a visitor's browser, which says in `Origin`
 * whose page it is. Programs that are no browser say nothing.
 */
export function isOriginAllowed({ origin, host }: IncomingHttpHeaders, allowed: readonly string[]): boolean {
  if (origin === undefined || allowed.includes(origin.toLowerCase())) return true;
  const parsed = URL.canParse(origin) ? new URL(origin) : undefined;
  return parsed !== undefined && parsed.host !== '' && parsed.host === host?.toLowerCase();
}
