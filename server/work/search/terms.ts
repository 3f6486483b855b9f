import { decodeId, isAgentId } from '../../core/ids.ts';

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

/** What a query asks for beside ids. */
export interface Terms {
  /** Words in any order. */
  words: string;
  /** Whether the last of `words` may be the beginning of a word: nothing else follows it. */
  endsInWord: boolean;
  /** Words that follow each other. */
  phrases: string[];
  /** Words, or words that follow each other, that a record may not contain. */
  excluded: string[];
  agents: string[];
  projects: string[];
  tools: string[];
}

const lists = { agent: 'agents', project: 'projects', tool: 'tools' } as const;
// A `-` or a prefix counts at the beginning of a term: `foo-bar` and `http://agent:x` are words.
const term = /(?<=^|\s)(?:(-)|(agent|project|tool):)?(?:"([^"]*)"|(\S+))/giu;

/** The terms of a query. A quotation mark without another one is no part of a word. */
export function termsOf(query: string): Terms {
  const found: Terms = { words: '', endsInWord: false, phrases: [], excluded: [], agents: [], projects: [], tools: [] };
  const words: string[] = [];
  for (const [, minus, prefix, phrase, word = ''] of query.matchAll(term)) {
    const text = phrase ?? word;
    found.endsInWord = false;
    if (minus !== undefined) found.excluded.push(text);
    else if (prefix !== undefined) found[lists[prefix.toLowerCase() as keyof typeof lists]].push(text);
    else if (phrase !== undefined) found.phrases.push(text);
    else {
      words.push(text);
      found.endsInWord = true;
    }
  }
  return { ...found, words: words.join(' ') };
}

export const isKind = (value: unknown): value is Kind => kinds.includes(value as Kind);
