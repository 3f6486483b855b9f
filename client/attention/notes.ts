import type { Client } from 'urql';
import { graphql } from '../gql/gql.ts';
import type { AttentionFilter, AttentionNotesQuery as Data } from '../gql/graphql.ts';
import { endedBecause } from '../handoffs/ended.ts';
import { most, notify, type Note } from '../noticing/notify.ts';
import { writeQueueView } from '../queue/filters.ts';
import { keyOf, newestRead } from './heard.ts';

const AttentionNotesQuery = graphql(`
  query AttentionNotes($where: AttentionFilter!, $newest: Int!) {
    attention(where: $where, last: $newest) {
      nodes {
        kind
        text
        session {
          id
          title
          queueEntry {
            agentType
            role
          }
          approval {
            id
            kind
            text
          }
        }
        handoff {
          id
          ...Ended
        }
        webhook {
          id
          url
        }
      }
    }
  }
`);

export type AttentionNote = Data['attention']['nodes'][number];

const mostCharacters = 200;

/** One for each item, with why it is so, or one for all when there are more than three. */
export const attentionNotes = (items: readonly AttentionNote[]): Note[] =>
  items.length > most
    ? [
        {
          title: `${items.length} more need attention`,
          body: items.map(({ session, webhook }) => session?.title ?? webhook?.url ?? '').join(', '),
          tag: 'baton-attention',
          path: '/attention',
        },
      ]
    : items.map((item) => ({
        title: item.session?.title ?? item.webhook?.url ?? '',
        body: [item.text, whyOf(item)].filter((part) => part !== null).join(' '),
        tag: keyOf(item),
        path: pathOf(item),
      }));

/** The question, or why the last handoff ended. */
function whyOf({ kind, session, handoff }: AttentionNote): string | null {
  const why =
    kind === 'WAITING_FOR_PERSON'
      ? session?.approval?.text
      : kind === 'WITHOUT_HOLDER' && handoff
        ? endedBecause(handoff)
        : null;
  return why?.slice(0, mostCharacters) ?? null;
}

function pathOf({ kind, session }: AttentionNote): string {
  if (!session) return '/webhooks';
  if (kind === 'WAITING_FOR_PERSON') return `/decide/${session.id}`;
  return kind === 'QUEUE' ? queueOf(session) : `/sessions/${session.id}`;
}

/** The queue of the type and role that a session waits for. */
export const queueOf = ({ queueEntry }: Pick<NonNullable<AttentionNote['session']>, 'queueEntry'>): string =>
  writeQueueView({ role: queueEntry?.role ?? '', type: queueEntry?.agentType ?? '', escalated: false });

/** Notifies of the items with these keys. */
export async function announceItems(
  client: Client,
  where: AttentionFilter,
  keys: readonly string[],
  open: (path: string) => void,
): Promise<void> {
  const { data } = await client
    .query(AttentionNotesQuery, { where, newest: newestRead }, { requestPolicy: 'network-only' })
    .toPromise();
  const items = (data?.attention.nodes ?? []).filter((item) => keys.includes(keyOf(item)));
  notify(attentionNotes(items), open);
}
