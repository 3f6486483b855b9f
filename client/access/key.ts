const name = 'baton.key';

/** The key of this tab, in session storage only and never in a URL; gone when the tab is closed. Open tabs give it to each other: `tabs.ts`. */
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
    // Without storage the key lasts until the page is reloaded.
  }
}
