import type { ReactNode } from 'react';
import { useMutation } from 'urql';
import { Link } from 'wouter';
import { useMay } from '../access/viewer.ts';
import { AgentChip } from '../agents/AgentChip.tsx';
import { graphql } from '../gql/gql.ts';
import type { AttentionKind, AttentionRowFragment as Item } from '../gql/graphql.ts';
import { readFragment, type FragmentType } from '../gql/index.ts';
import { endedBecause } from '../handoffs/ended.ts';
import { HandoffBadge } from '../handoffs/HandoffBadge.tsx';
import { Badge } from '../ui/Badge.tsx';
import { ErrorNote, RequestError } from '../ui/ErrorNote.tsx';
import { Icon, type IconName } from '../ui/Icon.tsx';
import { Time } from '../ui/Time.tsx';
import styles from './AttentionPage.module.css';
import { attentionLooks } from './looks.ts';
import { queueOf } from './notes.ts';

const AttentionRowFragment = graphql(`
  fragment AttentionRow on AttentionItem {
    kind
    since
    text
    session {
      id
      title
      maxHandoffs
      queueEntry {
        agentType
        role
      }
    }
    agent {
      id
      ...AgentChip
    }
    handoff {
      id
      status
      ...Ended
      ...HandoffBadge
    }
    webhook {
      id
      url
      enabled
    }
  }
`);

const RaiseLimitMutation = graphql(`
  mutation RaiseLimit($sessionId: ID!, $maxHandoffs: Int!) {
    answer: updateSession(input: { sessionId: $sessionId, maxHandoffs: $maxHandoffs }) {
      __typename
      ... on UpdateSessionPayload {
        session {
          id
          version
          maxHandoffs
          situation
        }
      }
      ... on Error {
        message
      }
    }
  }
`);

const EnableWebhookMutation = graphql(`
  mutation EnableWebhook($webhookId: ID!) {
    answer: updateWebhook(input: { webhookId: $webhookId, enabled: true }) {
      __typename
      ... on UpdateWebhookPayload {
        webhook {
          id
          enabled
          disabledAt
          disabledReason
        }
      }
      ... on Error {
        message
      }
    }
  }
`);

/** Kinds of which the handoff says what happened. */
const ofHandoff: readonly AttentionKind[] = ['NOT_ACCEPTED', 'WITHOUT_HOLDER', 'HANDOFF_LOOP'];

interface AttentionRowProps {
  item: FragmentType<typeof AttentionRowFragment>;
  onReassign: (sessionId: string) => void;
  /** An act in place is done. */
  onDone: () => void;
}

/** What needs a person: since when, what is wrong, and what to do. */
export function AttentionRow({ item: masked, onReassign, onDone }: AttentionRowProps) {
  const item = readFragment(AttentionRowFragment, masked);
  const { kind, since, text, session, agent, handoff, webhook } = item;
  const because = handoff != null && kind === 'WITHOUT_HOLDER' ? endedBecause(handoff) : null;
  return (
    <tr data-attention={kind} data-of={session?.id ?? webhook?.id}>
      <td className={styles.since}>
        <Time at={since} />
      </td>
      <td>
        <Badge {...attentionLooks[kind]} />
      </td>
      <td className={styles.what}>
        {session && (
          <Link href={`/sessions/${session.id}`} className={styles.title} title={session.title}>
            {session.title}
          </Link>
        )}
        {webhook && (
          <Link href="/webhooks" className={styles.title} title={webhook.url}>
            {webhook.url}
          </Link>
        )}
        <p className="small">{text}</p>
        {because !== null && <p className="soft small">Why: {because}</p>}
      </td>
      <td className={styles.who}>
        {agent && <AgentChip agent={agent} />}
        {handoff && ofHandoff.includes(kind) && <HandoffBadge handoff={handoff} />}
      </td>
      <td>
        <Acts item={item} onReassign={onReassign} onDone={onDone} />
      </td>
    </tr>
  );
}

function Acts({ item, onReassign, onDone }: { item: Item } & Omit<AttentionRowProps, 'item'>) {
  const { kind, session, agent, webhook } = item;
  const acts = useMay('reassign');
  if (webhook) return <EnableWebhook webhook={webhook} onDone={onDone} />;
  if (!session) return null;
  const reassign = acts && (
    <Press
      word={kind === 'WITHOUT_HOLDER' || kind === 'QUEUE' ? 'Assign' : 'Reassign'}
      of={session.title}
      icon="swap"
      pressKey="r"
      onPress={() => onReassign(session.id)}
    />
  );
  return (
    <div className={styles.acts}>
      {kind === 'WAITING_FOR_PERSON' ? (
        <Lead href={`/decide/${session.id}`} word={acts ? 'Decide' : 'See what'} of={session.title} icon="bulb" />
      ) : (
        reassign
      )}
      {kind === 'LIMIT_REACHED' && acts && <RaiseLimit session={session} onDone={onDone} />}
      {kind === 'QUEUE' && <Lead href={queueOf(session)} word="Queue" of={session.title} icon="hourglass" />}
      {agent && (kind === 'NOT_ACCEPTED' || kind === 'SILENT' || kind === 'HOLDER_AWAY') && (
        <Lead href={`/agents/${encodeURIComponent(agent.id)}`} word="Agent" of={agent.id} icon="bot" />
      )}
    </div>
  );
}

const raisedBy = 5;

function RaiseLimit({ session, onDone }: { session: NonNullable<Item['session']>; onDone: () => void }) {
  const { id, title, maxHandoffs } = session;
  const [{ data, error, fetching }, raise] = useMutation(RaiseLimitMutation);
  return (
    <InPlace
      word={`Allow ${raisedBy} more`}
      of={title}
      icon="plus"
      busy={fetching}
      error={error}
      refusal={data && 'message' in data.answer ? data.answer.message : null}
      onPress={() => void raise({ sessionId: id, maxHandoffs: maxHandoffs + raisedBy }).then(onDone)}
    />
  );
}

function EnableWebhook({ webhook, onDone }: { webhook: NonNullable<Item['webhook']>; onDone: () => void }) {
  const [{ data, error, fetching }, enable] = useMutation(EnableWebhookMutation);
  return (
    <div className={styles.acts}>
      {!webhook.enabled && (
        <InPlace
          word="Enable"
          of={webhook.url}
          icon="play"
          busy={fetching}
          error={error}
          refusal={data && 'message' in data.answer ? data.answer.message : null}
          onPress={() => void enable({ webhookId: webhook.id }).then(onDone)}
        />
      )}
      <Lead href="/webhooks" word="Deliveries" of={webhook.url} icon="list" />
    </div>
  );
}

interface Named {
  word: string;
  /** What it acts on, for screen readers. */
  of: string;
  icon: IconName;
}

function Lead({ href, word, of, icon }: Named & { href: string }) {
  return (
    <Link href={href} className="button small" aria-label={`${word}: ${of}`}>
      <Icon name={icon} size={14} /> {word}
    </Link>
  );
}

function Press({
  word,
  of,
  icon,
  busy = false,
  pressKey,
  onPress,
}: Named & { busy?: boolean; pressKey?: string; onPress: () => void }) {
  return (
    <button
      type="button"
      className="button small"
      aria-disabled={busy}
      aria-label={`${word}: ${of}`}
      aria-keyshortcuts={pressKey}
      onClick={() => busy || onPress()}
    >
      <Icon name={icon} size={14} /> {word}
    </button>
  );
}

function InPlace({
  error,
  refusal,
  ...press
}: Parameters<typeof Press>[0] & {
  error: Parameters<typeof RequestError>[0]['error'] | undefined;
  refusal: ReactNode;
}) {
  return (
    <>
      <Press {...press} />
      {error && <RequestError error={error} />}
      {refusal !== null && <ErrorNote>{refusal}</ErrorNote>}
    </>
  );
}
