/** A new key for one intended change. The arguments only serve a memo, which makes a new key when they change. */
export function newKey(..._of: unknown[]): string {
  // Not randomUUID: browsers withhold it from plain HTTP pages of other hosts.
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');
}
