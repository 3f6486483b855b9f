import DataLoader from 'dataloader';
import type { GraphQLResolveInfo } from 'graphql';

const loaders = new WeakMap<object, Map<string, DataLoader<string, unknown>>>();

/**
 * Batches a field's values: all rows of one list in one request share one call of `load`. For values that the row's own
 * statement cannot select.
 */
export function batched<Value>(
  context: object,
  info: GraphQLResolveInfo,
  key: string,
  load: (keys: readonly string[]) => Promise<ReadonlyMap<string, Value>>,
): Promise<Value | undefined> {
  const ofRequest = loaders.get(context) ?? new Map<string, DataLoader<string, unknown>>();
  loaders.set(context, ofRequest);
  const path = pathOf(info);
  const loader =
    ofRequest.get(path) ??
    new DataLoader<string, unknown>(async (keys) => {
      const values = await load(keys);
      return keys.map((each) => values.get(each));
    });
  ofRequest.set(path, loader);
  return loader.load(key) as Promise<Value | undefined>;
}

/** The path of a field without list indexes, so that all entries of a list share it. */
function pathOf(info: GraphQLResolveInfo): string {
  const names: string[] = [];
  for (let at: GraphQLResolveInfo['path'] | undefined = info.path; at !== undefined; at = at.prev) {
    if (typeof at.key === 'string') names.push(at.key);
  }
  return names.join(' ');
}
