/**
 * Browsers let pages of any site open sockets and send forms or plain text without a preflight. They send the page's origin as
 * `Origin`; other clients send no `Origin`. Schemes are not compared with `own`: a proxy that is not trusted may add TLS.
 */
export function isOriginAllowed(origin: string | undefined, own: string | null, allowed: readonly string[]): boolean {
  if (origin === undefined || allowed.includes(origin.toLowerCase())) return true;
  return (
    own !== null && URL.canParse(origin) && new URL(origin).host !== '' && new URL(origin).host === new URL(own).host
  );
}
