import { decodeId, isAgentId } from '../core/ids.ts';

/** What can be found, in the order in which equally good results are listed. */
export const kinds = ['SESSION', 'AGENT', 'HANDOFF', 'MESSAGE', 'TOOL_CALL'] as const;
export type Kind = (typeof kinds)[number];

export interface Named {
  kind: Kind;
  /** UUID; of an Agent its slug. */
  id: string;
}

const kindOf: Partial<Record<string, Kind>> = { session: 'SESSION', handoff: 'HANDOFF', message: 'MESSAGE' };

/** The records that a query names by public ids or the path of an Agent's page, the last one first. Empty for words. */
export function namedIn(query: string): Named[] {
  const text = query.trim();
  if (/\s/u.test(text)) return [];
  const named = [...text.matchAll(/(?<=\/agents\/)[^/?#]+|[a-z]+_[0-7][0-9a-z]{25}/g)].flatMap(([part]): Named[] => {
    const decoded = decodeId(part);
    if (decoded === null) return isAgentId(part) ? [{ kind: 'AGENT', id: part }] : [];
    const kind = kindOf[decoded.prefix];
    return kind === undefined ? [] : [{ kind, id: decoded.uuid }];
  });
  const distinct = new Map(named.reverse().map((each) => [`${each.kind} ${each.id}`, each]));
  return [...distinct.values()];
}

export const isKind = (value: unknown): value is Kind => kinds.includes(value as Kind);
