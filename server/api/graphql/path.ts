import type { GraphQLResolveInfo } from 'graphql';

/** The path of a field without list indexes, so that all entries of a list share it. */
export function namesOf({ path }: Pick<GraphQLResolveInfo, 'path'>): string[] {
  const names: string[] = [];
  for (let at: GraphQLResolveInfo['path'] | undefined = path; at !== undefined; at = at.prev) {
    if (typeof at.key === 'string') names.push(at.key);
  }
  return names.reverse();
}
