import DataLoader from 'dataloader';
import type { GraphQLResolveInfo } from 'graphql';
import { namesOf } from './path.ts';

const loaders = new WeakMap<object, Map<string, DataLoader<string, unknown>>>();

/**
 * Batches a field's values: all rows of one list in one request share one call of `load`. For values that the row's own
 * statement cannot select.
 */
export function batched<Value>(
  context: object,
  info: Pick<GraphQLResolveInfo, 'path'>,
  key: string,
  load: (keys: readonly string[]) => Promise<ReadonlyMap<string, Value>>,
): Promise<Value | undefined> {
  const ofRequest = loaders.get(context) ?? new Map<string, DataLoader<string, unknown>>();
  loaders.set(context, ofRequest);
  const path = namesOf(info).join(' ');
  const loader =
    ofRequest.get(path) ??
    new DataLoader<string, unknown>(async (keys) => {
      const values = await load(keys);
      return keys.map((each) => values.get(each));
    });
  ofRequest.set(path, loader);
  return loader.load(key) as Promise<Value | undefined>;
}
