/** The filters of a list under a name. */
export interface SavedView {
  name: string;
  /** Path and query of the list within the dashboard, as the list itself writes them. */
  href: string;
}

/** The lists that have saved views, and the path of each. */
export const lists = { sessions: '/sessions', handoffs: '/handoffs' } as const;
export type List = keyof typeof lists;

export const longestName = 60;
export const mostViews = 50;

export const isUnfiltered = (list: List, href: string): boolean => href === lists[list];

/** Why the view cannot have this name; null when it can. `before` is its name until now. */
export function faultOfName(views: readonly SavedView[], name: string, before?: string): string | null {
  const trimmed = name.trim();
  if (trimmed === '') return 'Give the view a name.';
  if (trimmed.length > longestName) return `The name has ${trimmed.length} characters; the limit is ${longestName}.`;
  if (trimmed !== before && views.some((view) => view.name === trimmed))
    return `There is a view named "${trimmed}": choose another name.`;
  if (before === undefined && views.length >= mostViews) return `There are ${mostViews} views: delete one first.`;
  return null;
}

const byName = (views: readonly SavedView[]): SavedView[] => [...views].sort((a, b) => a.name.localeCompare(b.name));

export const withView = (views: readonly SavedView[], { name, href }: SavedView): SavedView[] =>
  byName([...views, { name: name.trim(), href }]);
export const renamed = (views: readonly SavedView[], before: string, name: string): SavedView[] =>
  byName(views.map((view) => (view.name === before ? { ...view, name: name.trim() } : view)));
export const without = (views: readonly SavedView[], name: string): SavedView[] =>
  views.filter((view) => view.name !== name);

/** What a browser has stored for a list; nothing of another form. */
export function readViews(list: List, stored: string | null): SavedView[] {
  try {
    const found: unknown = JSON.parse(stored ?? '[]');
    if (!Array.isArray(found)) return [];
    const views = new Map(
      found
        .map((value) => moved(list, value))
        .filter((value) => isViewOf(list, value))
        .map((view) => [view.name, { name: view.name, href: view.href }]),
    );
    return byName([...views.values()].slice(0, mostViews));
  } catch {
    return [];
  }
}

/** The list of sessions was the first page. */
const moved = (list: List, value: unknown): unknown => {
  const { href, ...view } = (value ?? {}) as Partial<SavedView>;
  return list === 'sessions' && typeof href === 'string' && href.startsWith('/?')
    ? { ...view, href: lists.sessions + href.slice(1) }
    : value;
};

const isViewOf = (list: List, value: unknown): value is SavedView => {
  const { name, href } = (value ?? {}) as Partial<SavedView>;
  return (
    typeof name === 'string' &&
    name !== '' &&
    name === name.trim() &&
    name.length <= longestName &&
    typeof href === 'string' &&
    href.startsWith(`${lists[list]}?`)
  );
};
