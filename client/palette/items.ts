import { hashOf } from '../log/place.ts';
import type { PaletteSearchQuery } from '../gql/graphql.ts';
import type { IconName } from '../ui/Icon.tsx';

/** A line of the palette: a place, or something to do. */
export interface Item {
  key: string;
  icon: IconName;
  /** What it is, for people: "Page", "Session". */
  kind: string;
  title: string;
  /** The part of the record that matches, with marks on the words. */
  match?: Match | null | undefined;
  href?: string;
  run?: () => void;
}

type Edge = PaletteSearchQuery['search']['edges'][number];
export type Match = NonNullable<Edge['match']>;

/** Items whose title has all words of the text, each at the beginning of a word. */
export function itemsFor(items: readonly Item[], text: string): Item[] {
  const words = text
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
  return items.filter(({ title, kind }) => {
    const parts = `${title} ${kind}`.toLowerCase().split(/[^\p{L}\p{N}]+/u);
    return words.every((word) => parts.some((part) => part.startsWith(word)));
  });
}

const icons = {
  Session: 'list',
  Agent: 'bot',
  Handoff: 'swap',
  Message: 'file',
  ToolCall: 'tool',
} as const satisfies Record<string, IconName>;

/** A result of the server. */
export function itemOf({ node, match }: Edge): Item {
  const item = {
    key: `${node.__typename} ${node.id}`,
    icon: icons[node.__typename],
    kind: node.__typename,
    match: showsMore(node, match) ? match : null,
  };
  switch (node.__typename) {
    case 'Session':
      return { ...item, title: node.title, href: `/sessions/${node.id}` };
    case 'Agent':
      return {
        ...item,
        title: node.name === node.id ? node.id : `${node.name} (${node.id})`,
        href: `/agents/${node.id}`,
      };
    case 'Handoff':
      return {
        ...item,
        title: `${node.sourceAgent?.id ?? 'Unassigned'} to ${node.targetAgent.id}: ${node.session.title}`,
        href: `/handoffs/${node.id}`,
      };
    case 'Message':
      return {
        ...item,
        title: `Message ${node.sequence} of ${node.session.title}`,
        href: `/sessions/${node.session.id}#message-${node.sequence}`,
      };
    case 'ToolCall':
      return {
        ...item,
        kind: 'Tool call',
        title: `${node.name} in ${node.turn.session.title}`,
        href: `/sessions/${node.turn.session.id}${hashOf({ message: Math.max(1, node.sequence), call: node.index })}`,
      };
  }
}

/** Whether the match says what the title does not. */
const showsMore = (node: Edge['node'], match: Edge['match']): boolean =>
  match != null &&
  !(node.__typename === 'Session' && match.field === 'title') &&
  !(node.__typename === 'Agent' && (match.field === 'name' || match.field === 'id'));

/** A text in pieces, marked and unmarked in turn. Ranges out of order or beyond the text are left out. */
export function pieces({ text, marks }: Pick<Match, 'text' | 'marks'>): { text: string; marked: boolean }[] {
  const parts: { text: string; marked: boolean }[] = [];
  let at = 0;
  for (const { start, end } of marks) {
    if (start < at || end <= start || end > text.length) continue;
    parts.push({ text: text.slice(at, start), marked: false }, { text: text.slice(start, end), marked: true });
    at = end;
  }
  parts.push({ text: text.slice(at), marked: false });
  return parts.filter((part) => part.text !== '');
}

/** What a screen reader says of the results. */
export function countText(
  count: number,
  { searching, failed, more }: { searching: boolean; failed: boolean; more: boolean },
): string {
  if (searching) return 'Searching …';
  if (failed) return 'The search failed.';
  if (count === 0) return 'Nothing matches.';
  return `${count}${more ? ' or more' : ''} ${count === 1 ? 'result' : 'results'}`;
}
