/** A fresh key for one intended change. It takes what the change is made of, so that a memo on those makes a new one when they change. */
export function newKey(..._of: unknown[]): string {
  // Not randomUUID: browsers keep that from pages of plain HTTP on other machines.
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');
}
