import type { IncomingHttpHeaders } from 'node:http';

/**
 * Browsers let pages of any site open sockets and send forms or plain text without a preflight. They send the page's site as
 * `Origin`; other clients send no `Origin`.
 */
export function isOriginAllowed({ origin, host }: Pick<IncomingHttpHeaders, 'origin' | 'host'>, allowed: readonly string[] = []): boolean {
  if (origin === undefined || allowed.includes(origin.toLowerCase())) return true;
  const parsed = URL.canParse(origin) ? new URL(origin) : undefined;
  return parsed !== undefined && parsed.host !== '' && parsed.host === host?.toLowerCase();
}
