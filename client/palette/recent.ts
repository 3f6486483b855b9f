export interface Recent {
  /** Path within the dashboard. */
  path: string;
  title: string;
}

const key = 'baton.recent';
const most = 8;

/** Pages of single records: the others are in the navigation. */
export const isRecord = (path: string): boolean =>
  /^\/(sessions|handoffs|agents|tools|pipelines)\/[^/]+$/.test(path) && !path.endsWith('/new');

/** The newest first, each page once, under its newest title. */
export const withRecent = (list: readonly Recent[], visited: Recent): Recent[] =>
  [visited, ...list.filter(({ path }) => path !== visited.path)].slice(0, most);

/** What a tab has stored; nothing of another form. */
export function readRecent(stored: string | null): Recent[] {
  try {
    const list: unknown = JSON.parse(stored ?? '[]');
    return Array.isArray(list) ? list.filter(isRecent).slice(0, most) : [];
  } catch {
    return [];
  }
}

const isRecent = (value: unknown): value is Recent => {
  const { path, title } = (value ?? {}) as Partial<Recent>;
  return typeof path === 'string' && isRecord(path) && typeof title === 'string';
};

/** In the storage of the tab: titles are forgotten with it. */
export function noteRecent(visited: Recent): void {
  try {
    sessionStorage.setItem(key, JSON.stringify(withRecent(recentPlaces(), visited)));
  } catch {
    // Without storage there are no recent places.
  }
}

export function recentPlaces(): Recent[] {
  try {
    return readRecent(sessionStorage.getItem(key));
  } catch {
    return [];
  }
}
