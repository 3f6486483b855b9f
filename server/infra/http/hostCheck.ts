import { isLoopback } from '../env.ts';

/**
 * A page of another site can make a browser call this machine under that site's name (DNS rebinding) and read the
 * answers. Such a call carries that name as Host; one of our own carries a loopback name.
 */
export function isHostAllowed(header: string | undefined): boolean {
  const name = /^(\[[0-9a-f:]+\]|[^:]+)(:\d+)?$/i.exec(header ?? '')?.[1] ?? '';
  return isLoopback(name.toLowerCase().replace(/^\[(.*)\]$/, '$1'));
}
