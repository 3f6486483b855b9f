import { useId, useState, type FormEvent } from 'react';
import { useClient, useQuery, type Client } from 'urql';
import { countOf, outcomeOf, type Outcome } from '../../acts/outcome.ts';
import { RunDialog, type Item } from '../../acts/RunDialog.tsx';
import { graphql } from '../../gql/gql.ts';
import type { AdministrativeStatus } from '../../gql/graphql.ts';
import { emptyDraft, isComplete, type Draft } from '../../handoffs/reassign/reassign.ts';
import { QueueChoice, useReassign } from '../../handoffs/reassign/ReassignManyDialog.tsx';
import { TargetChoice } from '../../handoffs/reassign/ReassignFields.tsx';
import { Dialog } from '../../ui/Dialog.tsx';
import { ErrorNote, RequestError } from '../../ui/ErrorNote.tsx';
import { Icon } from '../../ui/Icon.tsx';
import { showNotice } from '../../ui/notices.ts';
import { Skeleton } from '../../ui/Skeleton.tsx';
import { NoticeText } from '../../ui/UndoNotice.tsx';
import styles from './TakeOutDialog.module.css';

const HeldSessions = graphql(`
  query HeldSessions($agentId: ID!, $after: String) {
    sessions(first: 100, after: $after, where: { agentId: $agentId, status: [RUNNING, PAUSED] }) {
      nodes {
        id
        title
      }
      pageInfo {
        hasNextPage
        endCursor
      }
      totalCount
    }
  }
`);

const TakeOut = graphql(`
  mutation TakeOut($id: ID!, $status: AdministrativeStatus!) {
    answer: setAgentStatus(input: { id: $id, status: $status }) {
      __typename
      ... on SetAgentStatusPayload {
        agent {
          id
          status
          administrativeStatus
        }
      }
      ... on Error {
        code
        message
      }
    }
  }
`);

const ArchiveAgent = graphql(`
  mutation ArchiveAgent($id: ID!) {
    answer: archiveAgent(input: { id: $id }) {
      __typename
      ... on ArchiveAgentPayload {
        agent {
          id
          status
          administrativeStatus
          archivedAt
        }
      }
      ... on Error {
        code
        message
      }
    }
  }
`);

type After = Exclude<AdministrativeStatus, 'AVAILABLE'> | 'ARCHIVED';

const afters: { after: After; word: string; means: string }[] = [
  { after: 'OFFLINE', word: 'Offline', means: 'It takes no sessions until somebody makes it available again.' },
  { after: 'DRAINING', word: 'Draining', means: 'It takes no new sessions and finishes those that it holds.' },
  {
    after: 'ARCHIVED',
    word: 'Archived',
    means:
      'For good: its keys are revoked, and its id is never used again. What it did stays. This cannot be taken back.',
  },
];

interface TakeOutDialogProps {
  agent: { id: string; type: string };
  onClose: () => void;
}

/** Takes an agent out of the pool, and asks what becomes of the sessions that it holds. */
export default function TakeOutDialog({ agent, onClose }: TakeOutDialogProps) {
  const { id } = agent;
  const client = useClient();
  const [{ data, error }, ask] = useQuery({
    query: HeldSessions,
    variables: { agentId: id },
    requestPolicy: 'network-only',
  });
  const [after, setAfter] = useState<After>('OFFLINE');
  const [moves, setMoves] = useState(true);
  const [draft, setDraft] = useState<Draft>({
    ...emptyDraft,
    by: 'type',
    agentType: agent.type,
    queue: true,
    reason: `${id} is taken out of the pool`,
  });
  const change = (part: Partial<Draft>): void => setDraft((now) => ({ ...now, ...part }));
  const [refusal, setRefusal] = useState<string | null>(null);
  const [isBusy, setBusy] = useState(false);
  const [moving, setMoving] = useState<Item[] | null>(null);
  const reassign = useReassign(draft);
  const form = useId();
  const held = data?.sessions.totalCount;
  // An agent that holds sessions cannot be archived.
  const mustMove = after === 'ARCHIVED';
  const isMoving = held !== 0 && (moves || mustMove);
  const isReady = held !== undefined && (!isMoving || isComplete(draft));

  const finish = async (moved: number): Promise<string | null> => {
    const outcome = await becomes(client, id, after);
    if (!outcome.done) return outcome.message;
    showNotice(
      <NoticeText>{`${id} is ${after.toLowerCase()}.${moved > 0 ? ` ${countOf(moved, 'session')} moved.` : ''}`}</NoticeText>,
    );
    onClose();
    return null;
  };
  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    if (!isReady || isBusy) return;
    setBusy(true);
    setRefusal(null);
    setRefusal(await start());
    setBusy(false);
  };
  const start = async (): Promise<string | null> => {
    if (!isMoving) return finish(0);
    // First: while its sessions move, it gets no others.
    const drained = await becomes(client, id, 'DRAINING');
    if (!drained.done) return drained.message;
    const sessions = await readHeld(client, id);
    if (sessions === null) return 'Its sessions could not be read. It is draining now. Try again.';
    if (sessions.length === 0) return finish(0);
    setMoving(sessions);
    return null;
  };

  if (moving) {
    return (
      <RunDialog
        title={`Take ${id} out: ${countOf(moving.length, 'session')}`}
        items={moving}
        word="Move"
        busy="Moving …"
        icon="swap"
        wide
        fields={null}
        run={reassign}
        onAllDone={(payloads) =>
          void finish(payloads.length).then((message) => {
            if (message !== null) showNotice(<NoticeText tone="bad">{`${id} is draining. ${message}`}</NoticeText>);
          })
        }
        onClose={(done) => {
          if (done.length < moving.length)
            showNotice(
              <NoticeText tone="bad">{`${id} is draining: it still holds ${countOf(moving.length - done.length, 'session')}.`}</NoticeText>,
            );
          onClose();
        }}
      />
    );
  }
  return (
    <Dialog
      title={`Take ${id} out`}
      onClose={onClose}
      wide
      notice={refusal !== null && <ErrorNote>{refusal}</ErrorNote>}
      footer={
        <>
          <button type="button" className="button" onClick={onClose}>
            Keep it in
          </button>
          <button
            type="submit"
            form={form}
            className={`button ${mustMove ? 'danger' : 'primary'}`}
            aria-disabled={!isReady || isBusy}
          >
            <Icon name="exit" />{' '}
            {isBusy
              ? 'Taking it out …'
              : held !== undefined && held > 0 && isMoving
                ? `Move ${countOf(held, 'session')} and take it out`
                : 'Take it out'}
          </button>
        </>
      }
    >
      {error && <RequestError error={error} onRetry={() => ask({ requestPolicy: 'network-only' })} />}
      {!data && !error && <Skeleton height="12rem" />}
      {held !== undefined && (
        <form id={form} className={styles.form} onSubmit={(event) => void submit(event)}>
          <fieldset className={styles.choices}>
            <legend className="label">It becomes</legend>
            {afters.map((each) => (
              <Choice
                key={each.after}
                name="after"
                word={each.word}
                means={each.means}
                checked={after === each.after}
                onChange={() => setAfter(each.after)}
              />
            ))}
          </fieldset>
          {held === 0 ? (
            <p>It holds no session.</p>
          ) : (
            <fieldset className={styles.choices}>
              <legend className="label">
                {held === 1 ? 'The session that it holds' : `The ${held.toLocaleString()} sessions that it holds`}
              </legend>
              <Choice
                name="held"
                word="Leave with it"
                means={mustMove ? 'Not when it is archived: an archived agent holds nothing.' : 'It can finish them.'}
                checked={!isMoving}
                isOff={mustMove}
                onChange={() => setMoves(false)}
              />
              <Choice
                name="held"
                word="Move to others"
                means="Each is handed off and waits there to be accepted. Those that find no place are listed, and stay here."
                checked={isMoving}
                onChange={() => setMoves(true)}
              />
              {isMoving && (
                <div className={styles.target}>
                  <TargetChoice draft={draft} holderId={id} giverId={null} onChange={change} describedBy={undefined} />
                  {draft.by === 'type' && <QueueChoice draft={draft} onChange={change} />}
                </div>
              )}
            </fieldset>
          )}
        </form>
      )}
    </Dialog>
  );
}

interface ChoiceProps {
  name: string;
  word: string;
  means: string;
  checked: boolean;
  isOff?: boolean;
  onChange: () => void;
}

function Choice({ name, word, means, checked, isOff = false, onChange }: ChoiceProps) {
  return (
    <label className={styles.choice}>
      <input type="radio" name={name} checked={checked} disabled={isOff} onChange={onChange} />
      <span>
        <span className="label">{word}</span> <span className="hint">{means}</span>
      </span>
    </label>
  );
}

const becomes = async (client: Client, id: string, after: After): Promise<Outcome> =>
  after === 'ARCHIVED'
    ? outcomeOf(await client.mutation(ArchiveAgent, { id }))
    : outcomeOf(await client.mutation(TakeOut, { id, status: after }));

/** All sessions that it holds now; null when they cannot be read. */
export async function readHeld(client: Client, agentId: string): Promise<Item[] | null> {
  const held: Item[] = [];
  for (let after: string | null = null; ;) {
    const { data } = (await client
      .query(HeldSessions, { agentId, after }, { requestPolicy: 'network-only' })
      .toPromise()) as {
      data?: { sessions: { nodes: Item[]; pageInfo: { hasNextPage: boolean; endCursor?: string | null } } };
    };
    if (!data) return null;
    held.push(...data.sessions.nodes);
    const { hasNextPage, endCursor } = data.sessions.pageInfo;
    if (!hasNextPage || endCursor == null) return held;
    after = endCursor;
  }
}
