const name = 'baton.key';

/** The key of this tab; gone when the tab is closed. It is kept nowhere else, and stands in no address. */
export function readKey(): string | null {
  try {
    return sessionStorage.getItem(name);
  } catch {
    return null;
  }
}

export function keepKey(key: string | null): void {
  try {
    if (key === null) sessionStorage.removeItem(name);
    else sessionStorage.setItem(name, key);
  } catch {
    // Without storage it lasts until the page is loaded again.
  }
}
