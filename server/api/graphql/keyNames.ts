import type { GraphQLResolveInfo } from 'graphql';
import { decodeId } from '../../core/ids.ts';
import { namesOfKeys } from '../../work/keys/principals.ts';
import { batched } from './batch.ts';
import type { GraphQLContext } from './context.ts';

export function keyOf(principal: string): string | null {
  const decoded = decodeId(principal);
  return decoded?.prefix === 'key' ? decoded.uuid : null;
}

/** The name of the key of a caller, which everybody may read; null for callers without a stored key. */
export async function keyName(
  principal: string,
  context: GraphQLContext,
  info: Pick<GraphQLResolveInfo, 'path'>,
): Promise<string | null> {
  const key = keyOf(principal);
  if (key === null) return null;
  const path = { prev: info.path, key: '(name of the key)', typename: undefined };
  const name = await batched(context, { path }, key, (ids) => namesOfKeys(context.pool, ids));
  return name ?? null;
}
