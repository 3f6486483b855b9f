import type { Seen } from './Presence.tsx';

/** An agent in the list. What is not known, or not for the viewer to see, is undefined or null: it comes last in every order. */
export interface Listed {
  id: string;
  name: string;
  type: string;
  role?: string | null | undefined;
  currentLoad: number;
  maxCapacity: number;
  given: number | undefined;
  received: number | undefined;
  /** Handoffs that it has not accepted yet. */
  waiting: number | undefined;
  /** Accepted handoffs divided by those that it accepted, rejected or let time out: 0 to 1. */
  acceptance: number | null | undefined;
  seen: Seen | undefined;
}

const orders = {
  agent: (agent: Listed) => agent.id,
  kind: (agent: Listed) => `${agent.type} ${agent.role ?? ''}`,
  seen: ({ seen }: Listed) => (seen?.connected ? Infinity : seen?.lastSeenAt && Date.parse(seen.lastSeenAt)),
  load: (agent: Listed) => agent.currentLoad / agent.maxCapacity,
  waiting: (agent: Listed) => agent.waiting,
  received: (agent: Listed) => agent.received,
  given: (agent: Listed) => agent.given,
  acceptance: (agent: Listed) => agent.acceptance,
} satisfies Record<string, (agent: Listed) => string | number | null | undefined>;
export type SortKey = keyof typeof orders;
const sortKeys = Object.keys(orders) as SortKey[];

const groups = {
  type: (agent: Listed) => agent.type,
  role: (agent: Listed) => agent.role ?? 'no role',
} satisfies Record<string, (agent: Listed) => string>;
export type GroupKey = keyof typeof groups;
export const groupKeys = Object.keys(groups) as GroupKey[];

/** What the list shows, as in its URL. */
export interface View {
  text: string;
  sort: SortKey;
  descending: boolean;
  group: GroupKey | null;
}

export function readView(params: URLSearchParams): View {
  const [, minus, key] = /^(-?)(.*)$/s.exec(params.get('sort') ?? '')!;
  return {
    text: params.get('text') ?? '',
    sort: sortKeys.find((one) => one === key) ?? 'agent',
    descending: minus === '-',
    group: groupKeys.find((one) => one === params.get('group')) ?? null,
  };
}

export function writeView({ text, sort, descending, group }: View): string {
  const params = new URLSearchParams();
  if (text) params.set('text', text);
  if (sort !== 'agent' || descending) params.set('sort', `${descending ? '-' : ''}${sort}`);
  if (group) params.set('group', group);
  return params.size === 0 ? '/agents' : `/agents?${params.toString()}`;
}

/** By another column: names from a to z, numbers from the highest. By the same one: the other way round. */
export const sortedBy = (view: View, sort: SortKey): View => ({
  ...view,
  sort,
  descending: view.sort === sort ? !view.descending : sort !== 'agent' && sort !== 'kind',
});

/** The agents whose id, name, type or role has every word, in the order of the view, and each with the group that begins with it. */
export function arrange<Agent extends Listed>(
  agents: readonly Agent[],
  { text, sort, descending, group }: View,
): { agent: Agent; begins: { name: string; count: number } | undefined }[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const found = agents.filter(({ id, name, type, role }) => {
    const all = `${id}\n${name}\n${type}\n${role ?? ''}`.toLowerCase();
    return words.every((word) => all.includes(word));
  });
  const groupOf = (agent: Agent): string => (group === null ? '' : groups[group](agent));
  const counts = new Map<string, number>();
  for (const agent of found) counts.set(groupOf(agent), (counts.get(groupOf(agent)) ?? 0) + 1);
  const sorted = found
    .map((agent) => ({ agent, in: groupOf(agent), value: orders[sort](agent) }))
    .sort(
      (one, other) =>
        compare(one.in, other.in) ||
        Number(one.value == null) - Number(other.value == null) ||
        compare(one.value ?? 0, other.value ?? 0) * (descending ? -1 : 1) ||
        compare(one.agent.id, other.agent.id),
    );
  return sorted.map(({ agent, in: name }, index) => ({
    agent,
    begins: group !== null && sorted[index - 1]?.in !== name ? { name, count: counts.get(name)! } : undefined,
  }));
}

// "agent-2" before "agent-10".
const texts = new Intl.Collator('en', { numeric: true });
const compare = (one: string | number, other: string | number): number =>
  typeof one === 'string' ? texts.compare(one, String(other)) : one - Number(other);
