import { useEffect, useId, useMemo, useRef, useState, type FormEvent } from 'react';
import { useMutation, useQuery } from 'urql';
import { Dialog } from '../../ui/Dialog.tsx';
import { ErrorNote, RequestError } from '../../ui/ErrorNote.tsx';
import { Icon } from '../../ui/Icon.tsx';
import { showNotice } from '../../ui/notices.ts';
import { Skeleton } from '../../ui/Skeleton.tsx';
import { newKey } from './idempotencyKey.ts';
import { Moved } from './Moved.tsx';
import {
  emptyDraft,
  isComplete,
  placeOf,
  ReassignDialogQuery,
  ReassignMutationDocument,
  toInput,
  type Draft,
  type Refusal,
} from './reassign.ts';
import { ReassignFields, type ReassignData } from './ReassignFields.tsx';
import styles from './ReassignDialog.module.css';

/** Reassigns a session: choose an agent, give a reason, preview, confirm. */
export default function ReassignDialog({
  sessionId,
  draft,
  onClose,
}: {
  sessionId: string;
  draft?: Partial<Draft>;
  onClose: () => void;
}) {
  const [{ data, error }, ask] = useQuery({
    query: ReassignDialogQuery,
    variables: { id: sessionId },
    requestPolicy: 'cache-and-network',
  });
  const { session } = data ?? {};
  if (session) return <Open session={session} given={draft} onClose={onClose} />;
  return (
    <Dialog title="Reassign" onClose={onClose} wide>
      {error && <RequestError error={error} onRetry={() => ask({ requestPolicy: 'network-only' })} />}
      {data && <ErrorNote title="There is no such session" />}
      {!data && !error && <Skeleton height="24rem" />}
    </Dialog>
  );
}

type Session = NonNullable<ReassignData['session']>;

function Open({
  session,
  given,
  onClose,
}: {
  session: Session;
  given: Partial<Draft> | undefined;
  onClose: () => void;
}) {
  const [draft, setDraft] = useState<Draft>({ ...emptyDraft, ...given });
  // The version that the person saw: the server rejects the move if the session has changed since.
  const [seen, setSeen] = useState(session.version);
  const [refusal, setRefusal] = useState<Refusal | null>(null);
  const [{ fetching, error }, reassign] = useMutation(ReassignMutationDocument);
  const form = useId();
  const [refusals, setRefusals] = useState(0);
  // A retry after a lost answer has the same key and moves the session once. A changed draft, or another try after an error,
  // gets a new key.
  const idempotencyKey = useMemo(() => newKey(draft, seen, refusals), [draft, seen, refusals]);

  const change = (part: Partial<Draft>) => {
    setDraft((now) => ({ ...now, ...part }));
    setRefusal(null);
  };
  const submit = async (event?: FormEvent) => {
    event?.preventDefault();
    if (fetching || !isComplete(draft)) return;
    const answer = (await reassign({ input: toInput(draft, { id: session.id, version: seen }, idempotencyKey) })).data
      ?.answer;
    if (answer?.__typename === 'ReassignSessionPayload') {
      showNotice(<Moved payload={answer} />, { hasActs: true });
      return onClose();
    }
    setRefusal(answer ?? null);
    if (answer) setRefusals((count) => count + 1);
  };

  const fields = useRef<HTMLFormElement>(null);
  const send = useRef<HTMLButtonElement>(null);
  // The error may be beside a field that is scrolled out of sight.
  useEffect(() => {
    fields.current?.querySelector('[role=alert]')?.scrollIntoView({ block: 'nearest' });
  }, [refusal]);

  // While a request is running, a new version is most likely its own.
  const changed = session.version !== seen && !fetching;
  const isOfSession = refusal !== null && placeOf(refusal, draft) === 'session';
  const notice = (changed || error || isOfSession) && (
    <>
      {changed && (
        <div className={styles.changed} role="status">
          <Icon name="info" />
          <span>
            The session has changed since you opened this:{' '}
            {session.agent ? `'${session.agent.id}' holds it` : 'it is unassigned'} now.
          </span>
          <button
            type="button"
            className="button small"
            onClick={() => {
              setSeen(session.version);
              setRefusal(null);
              // This button disappears, so the focus moves to the next one to press.
              send.current?.focus();
            }}
          >
            Use the current state
          </button>
        </div>
      )}
      {error && <RequestError error={error} onRetry={() => void submit()} />}
      {isOfSession && <ErrorNote title="The session was not moved">{refusal.message}</ErrorNote>}
    </>
  );
  return (
    <Dialog
      title={`Reassign "${session.title}"`}
      onClose={onClose}
      wide
      notice={notice}
      footer={
        <>
          <button type="button" className="button" onClick={onClose}>
            Cancel
          </button>
          <button
            ref={send}
            type="submit"
            form={form}
            className="button primary"
            aria-disabled={fetching || !isComplete(draft)}
          >
            <Icon name="swap" /> {fetching ? 'Reassigning …' : 'Reassign'}
          </button>
        </>
      }
    >
      <form ref={fields} id={form} className={styles.form} onSubmit={(event) => void submit(event)}>
        <ReassignFields session={session} draft={draft} onChange={change} refusal={refusal} />
      </form>
    </Dialog>
  );
}
