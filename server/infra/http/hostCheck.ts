import { isLoopback } from '../env.ts';

/**
 * Prevents DNS rebinding: a page of another site could call this machine under the site's name and read the answers. Such
 * requests have that name as Host, so only loopback names are allowed.
 */
export function isHostAllowed(header: string | undefined): boolean {
  const name = /^(\[[0-9a-f:]+\]|[^:]+)(:\d+)?$/i.exec(header ?? '')?.[1] ?? '';
  return isLoopback(name.toLowerCase().replace(/^\[(.*)\]$/, '$1'));
}
