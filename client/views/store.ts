import { stored } from '../app/stored.ts';
import { type List, readViews, type SavedView } from './saved.ts';

const of = (list: List) => stored(`baton.views.${list}`, (text) => readViews(list, text));
const stores = { sessions: of('sessions'), handoffs: of('handoffs') };

export const savedViews = (list: List): SavedView[] => stores[list].get();

/** The saved views of a list in this browser, by name, and what replaces them. */
export function useSavedViews(list: List): [readonly SavedView[], (views: readonly SavedView[]) => void] {
  return [stores[list].use(), (views) => stores[list].set([...views])];
}
