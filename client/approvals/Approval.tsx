import { lazy, Suspense, useEffect, useRef, useState } from 'react';
import { useClient, useQuery } from 'urql';
import { useKept } from '../app/kept.ts';
import type { HandoffEditsInput, PassedOnQuery as PassedOnData, WaitingFragment } from '../gql/graphql.ts';
import { Moved } from '../handoffs/reassign/Moved.tsx';
import { useRereadOn } from '../live/events.ts';
import { ErrorNote, RequestError } from '../ui/ErrorNote.tsx';
import { Icon } from '../ui/Icon.tsx';
import { showNotice } from '../ui/notices.ts';
import { TextField } from '../ui/TextField.tsx';
import { NoticeText } from '../ui/UndoNotice.tsx';
import { useAgain } from '../ui/useAgain.ts';
import { useSettled } from '../ui/useSettled.ts';
import styles from './Decide.module.css';
import { approve, decline, PassedOnQuery, ProposedQuery } from './documents.ts';
import { EditFields } from './EditFields.tsx';
import { changesOf, editsOf, givenOf, type EditDraft } from './edits.ts';
import { useAct } from './useAct.tsx';
import { useFresh } from './useFresh.ts';
import { useKeys } from './useKeys.ts';

const Changes = lazy(async () => ({ default: (await import('./Differences.tsx')).Changes }));
const WentOn = lazy(async () => ({ default: (await import('./Differences.tsx')).WentOn }));

interface ApprovalProps {
  waiting: WaitingFragment;
  handoff: NonNullable<WaitingFragment['handoff']>;
  keys: boolean;
  isFresh: boolean;
  onDone: () => void;
  onRefused: () => void;
}

/** What a person has typed: kept while the handoff waits. */
interface Typed {
  mode: 'look' | 'edit' | 'decline';
  edits: Partial<EditDraft>;
  why: string;
}

const nothingTyped: Typed = { mode: 'look', edits: {}, why: '' };

/** Approves a proposed handoff as it was looked at, with changes, or declines it. */
export function Approval({ waiting, handoff, keys, isFresh, onDone, onRefused }: ApprovalProps) {
  const { id, agent, session } = waiting;
  const client = useClient();
  const given = givenOf({ ...waiting, handoff });
  const { value: typed, change, drop } = useKept<Typed>(`decide.${id}`, nothingTyped);
  const { mode, why } = typed;
  const turn = (to: Typed['mode']) => change((now) => ({ ...now, mode: to }));
  const draft = { ...given, ...typed.edits };
  const edits = editsOf(given, draft);
  const changes = changesOf(given, draft);
  const { busy, run, note, said } = useAct();
  const { now, seen, accept, error, look, isSettled } = usePassedOn(id, edits, session.status);
  const refused = now?.verdicts.find(({ passed }) => passed === false)?.message ?? null;
  const isRefused = refused !== null && isSettled;
  const asksAgain = seen !== null && seen.accepted !== seen.contentHash;
  const target = edits?.targetAgentId ?? handoff.targetAgent.id;
  // What the target would read depends on these; what is refused, on any session that may free a place.
  useRereadOn(
    (event) =>
      event.agent === null
        ? event.session?.id === session.id || refused !== null
        : [target, agent.id].includes(event.agent.id),
    look,
  );
  const isNew = seen !== null && now?.contentHash != null && now.contentHash !== seen.contentHash;

  const [unread, showUnread] = useFresh();
  const waits = isFresh || unread !== null;
  const send = async (): Promise<void> => {
    if (seen === null || waits) return;
    // What is refused may be allowed by now.
    if (isRefused) return look();
    const outcome = await run(() =>
      approve(client, id, { expectedContentHash: seen.accepted, edits, note: draft.note.trim() || null }),
    );
    if (outcome === null) return;
    if (outcome.done) {
      drop();
      const { targetAgent, session } = outcome.payload.handoff;
      const message = `Approved: '${targetAgent.id}' gets "${session.title}".`;
      showNotice(<Moved payload={{ handoff: outcome.payload.handoff, message, session }} />, { hasActs: true });
      return onDone();
    }
    // What is refused because the agent went on is shown anew, and approved by a second press.
    if (outcome.code === 'CONFLICT') {
      showUnread(id);
      accept();
    } else {
      look();
      onRefused();
    }
  };
  const refuse = async (): Promise<void> => {
    if (why.trim() === '') return;
    const outcome = await run(() => decline(client, id, why.trim()));
    if (outcome === null) return;
    if (!outcome.done) return onRefused();
    drop();
    showNotice(<NoticeText>{`Declined: ${agent.id} goes on with the session and reads why.`}</NoticeText>);
    onDone();
  };

  // A refusal such as that of a paused session leaves no preview.
  const [{ data: asProposed }] = useQuery({
    query: ProposedQuery,
    variables: { handoffId: id },
    pause: now === null || now.context != null,
    requestPolicy: 'network-only',
  });
  const proposed = asProposed === undefined ? null : (asProposed.handoff?.contextPrompt ?? undefined);
  const passedOn = now === null ? null : (now.context ?? proposed);

  const body = useRef<HTMLDivElement>(null);
  const toApprove = (): void => {
    const button = body.current?.querySelector<HTMLElement>('[data-approve]');
    button?.focus({ preventScroll: true });
    button?.scrollIntoView({ block: 'center' });
  };
  const fields = useRef<HTMLDivElement>(null);
  const wasMode = useRef(mode);
  useEffect(() => {
    if (wasMode.current === mode) return;
    wasMode.current = mode;
    if (mode === 'look') body.current?.closest('article')?.focus({ preventScroll: true });
    else fields.current?.querySelector<HTMLElement>('textarea, input')?.focus();
  }, [mode]);
  useKeys(keys ? { a: () => void send(), e: () => turn('edit'), d: () => turn('decline') } : {});
  const pressIn = (event: React.KeyboardEvent): void => {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) void (mode === 'decline' ? refuse() : send());
    const isOfList = event.target instanceof HTMLElement && event.target.role === 'combobox';
    if (event.key === 'Escape' && !isOfList) turn('look');
  };

  return (
    <div ref={body} className={styles.body}>
      {error && <RequestError error={error} onRetry={look} />}
      {refused !== null && (
        <ErrorNote
          quiet
          id={`${id}-refused`}
          title={edits === null ? 'It cannot be approved as it is' : 'It cannot be approved like this'}
        >
          {refused}
        </ErrorNote>
      )}
      <div ref={fields} className={styles.fields} onKeyDown={pressIn}>
        {mode === 'edit' && (
          <EditFields
            draft={draft}
            onChange={(part) => change((now) => ({ ...now, edits: { ...now.edits, ...part } }))}
          />
        )}
        {mode === 'decline' && (
          <TextField
            label="Why not"
            rows={3}
            value={why}
            error={undefined}
            hint="The agent reads it before its next prompt."
            onChange={(text) => change((now) => ({ ...now, why: text }))}
          />
        )}
      </div>
      <Suspense>
        {mode !== 'decline' && changes.length > 0 && <Changes changes={changes} title="What you changed" />}
        {isNew && (
          <WentOn before={seen.text} after={now.context?.text ?? ''} onShown={asksAgain ? toApprove : undefined} />
        )}
      </Suspense>
      {said !== refused && note}
      <div className={styles.acts}>
        {mode === 'decline' ? (
          <>
            <button
              type="button"
              className="button small danger"
              aria-disabled={busy || why.trim() === ''}
              onClick={() => void refuse()}
            >
              <Icon name="cross" size={14} /> {busy ? 'Declining …' : 'Decline'}
            </button>
            <button type="button" className="button small" onClick={() => turn('look')}>
              Back
            </button>
          </>
        ) : (
          <>
            <button
              type="button"
              className="button small primary"
              aria-disabled={busy || seen === null || waits || isRefused}
              aria-describedby={isRefused ? `${id}-refused` : undefined}
              data-approve
              aria-keyshortcuts={keys ? 'a' : undefined}
              onClick={() => void send()}
            >
              <Icon name="check" size={14} />{' '}
              {busy
                ? 'Approving …'
                : `Approve${asksAgain ? ' what is new' : ''}${changes.length === 0 ? '' : ' with changes'}`}
            </button>
            {changes.length > 0 && (
              <button
                type="button"
                className="button small"
                onClick={() => change((now) => ({ ...now, mode: 'look', edits: {} }))}
              >
                Drop the changes
              </button>
            )}
            {mode === 'edit' ? (
              changes.length === 0 && (
                <button type="button" className="button small" onClick={() => turn('look')}>
                  Back
                </button>
              )
            ) : (
              <button
                type="button"
                className="button small"
                aria-keyshortcuts={keys ? 'e' : undefined}
                onClick={() => turn('edit')}
              >
                Edit …
              </button>
            )}
            <button
              type="button"
              className="button small danger"
              aria-keyshortcuts={keys ? 'd' : undefined}
              onClick={() => turn('decline')}
            >
              Decline …
            </button>
          </>
        )}
      </div>
      <details open className={styles.passedOn}>
        <summary>
          {now?.context == null && passedOn ? 'What was to be passed on when it was proposed' : 'What is passed on'}
          {passedOn ? `: about ${passedOn.tokenEstimate.toLocaleString()} tokens` : ''}
        </summary>
        <pre tabIndex={0} role="region" aria-label="What is passed on">
          {passedOn?.text ?? (now === null || proposed === null ? 'Loading …' : 'Nothing: it cannot be approved.')}
        </pre>
      </details>
    </div>
  );
}

interface Seen {
  /** Of what was looked at first. */
  contentHash: string;
  text: string;
  /** Of what the next press approves. */
  accepted: string;
}

/**
 * What the target would read. The first answer is what a person looks at: when a later one differs because the agent went on, it takes a
 * refused approval, after which the difference is in sight, to accept that one.
 */
function usePassedOn(handoffId: string, edits: HandoffEditsInput | null, status: string) {
  const settled = useSettled(JSON.stringify(edits));
  const [{ data, error, fetching }, ask] = useQuery({
    query: PassedOnQuery,
    variables: { handoffId, edits: JSON.parse(settled) as HandoffEditsInput | null },
    requestPolicy: 'network-only',
  });
  const client = useClient();
  const [now, setNow] = useState<PassedOnData['simulateApproval']>(null);
  const [seen, setSeen] = useState<Seen | null>(null);
  const answer = data?.simulateApproval ?? null;
  if (answer !== null && answer !== now) {
    setNow(answer);
    const { contentHash, context } = answer;
    if (contentHash != null && (seen === null || contentHash === seen.contentHash))
      setSeen({ contentHash, accepted: contentHash, ...seen, text: context?.text ?? '' });
  }
  const accept = async (): Promise<void> => {
    const { data: read } = await client.query(PassedOnQuery, { handoffId, edits }, { requestPolicy: 'network-only' });
    const fresh = read?.simulateApproval;
    if (fresh?.contentHash == null) return;
    const accepted = fresh.contentHash;
    setNow(fresh);
    setSeen((before) => before && { ...before, accepted });
  };
  // An answer that is on its way may be of before: it is asked for once more.
  const isOld = useRef(false);
  const look = (): void => {
    if (fetching) isOld.current = true;
    else ask({ requestPolicy: 'network-only' });
  };
  useEffect(() => {
    if (!isOld.current || fetching) return;
    isOld.current = false;
    ask({ requestPolicy: 'network-only' });
  }, [fetching, ask]);
  // A resumed session can be approved, also while no event comes.
  useAgain(ask, status);
  return { now, seen, error, accept: () => void accept(), look, isSettled: settled === JSON.stringify(edits) };
}
