import { useEffect, useEffectEvent, useId, useRef, useState } from 'react';
import { useClient, useQuery } from 'urql';
import { Link } from 'wouter';
import { titleOf, type Outcome } from '../acts/outcome.ts';
import type { WaitingFragment } from '../gql/graphql.ts';
import { readFragment, type FragmentType } from '../gql/index.ts';
import { Deadline } from '../ui/Deadline.tsx';
import { ErrorNote, RequestError } from '../ui/ErrorNote.tsx';
import { Icon } from '../ui/Icon.tsx';
import { TextField } from '../ui/TextField.tsx';
import styles from './Decide.module.css';
import { answerQuestion, approve, decline, PassedOnQuery, WaitingDocument } from './documents.ts';
import { changesOf, editsOf, type EditDraft } from './edits.ts';

interface ApprovalCardProps {
  waiting: FragmentType<typeof WaitingDocument>;
  /** Whether it shows what would be passed on, and its acts. */
  isOpen: boolean;
  /** Whether the viewer may decide. */
  decides: boolean;
  /** Whether `a`, `e` and `d` act on it. */
  keys?: boolean;
  onOpen?: () => void;
  onDone: () => void;
}

type Given = { waiting: WaitingFragment; onDone: () => void };

const demands = {
  SESSION: 'This session demands an approval.',
  TRANSITION: 'This step of the pipeline demands an approval.',
  TOOL: 'This handoff tool demands an approval.',
  COLLABORATION: 'Handoffs between these agents demand an approval.',
} as const;

/** One thing that waits for a person. */
export function ApprovalCard({ waiting: masked, isOpen, decides, keys = false, onOpen, onDone }: ApprovalCardProps) {
  const waiting = readFragment(WaitingDocument, masked);
  const { id, kind, agent, session, handoff, text, deadlineAt, demandedBy } = waiting;
  const heading = useId();
  return (
    <article
      id={id}
      className={`card ${styles.card}`}
      data-open={isOpen}
      aria-labelledby={heading}
      tabIndex={-1}
      onFocus={onOpen}
    >
      <header className={styles.header}>
        <h2 id={heading}>
          <button type="button" className={styles.choose} aria-expanded={isOpen} onClick={onOpen}>
            {kind === 'QUESTION' ? `${agent.id} asks` : `${agent.id} hands off to ${handoff?.targetAgent.id ?? ''}`}
          </button>
        </h2>
        <Deadline at={deadlineAt} />
      </header>
      <Link href={`/sessions/${session.id}`} className={styles.session}>
        {session.title}
      </Link>
      <p className={styles.why}>{kind === 'QUESTION' ? text : (handoff?.reason ?? 'Without a reason.')}</p>
      {isOpen && demandedBy != null && <p className="soft small">{demands[demandedBy]}</p>}
      {isOpen && kind === 'QUESTION' && decides && <Answer waiting={waiting} onDone={onDone} />}
      {isOpen && handoff != null && decides && (
        <Approval waiting={waiting} handoff={handoff} keys={keys} onDone={onDone} />
      )}
      {isOpen && !decides && <p className="soft small">An operator decides.</p>}
    </article>
  );
}

type Refusal = Extract<Outcome, { done: false }>;

/** Runs one act at a time; a refused one says why. */
function useAct(onDone: () => void) {
  const [busy, setBusy] = useState(false);
  const [refusal, setRefusal] = useState<Refusal | null>(null);
  const run = async (act: () => Promise<Outcome>): Promise<boolean> => {
    if (busy) return false;
    setBusy(true);
    setRefusal(null);
    const outcome = await act();
    setBusy(false);
    if (outcome.done) onDone();
    else setRefusal(outcome);
    return outcome.done;
  };
  const note = refusal && <ErrorNote title={titleOf(refusal)}>{refusal.message}</ErrorNote>;
  return { busy, run, note };
}

function Approval({
  waiting: { id },
  handoff,
  keys,
  onDone,
}: Given & { handoff: NonNullable<WaitingFragment['handoff']>; keys: boolean }) {
  const client = useClient();
  const given: EditDraft = { targetAgentId: handoff.targetAgent.id, reason: handoff.reason ?? '', instructions: '' };
  const [draft, setDraft] = useState(given);
  const [mode, setMode] = useState<'look' | 'edit' | 'decline'>('look');
  const [why, setWhy] = useState('');
  const { busy, run, note } = useAct(onDone);
  const edits = editsOf(given, draft);
  const changes = changesOf(given, draft);
  const [seen, look] = useQuery({
    query: PassedOnQuery,
    variables: { handoffId: id, edits: null },
    requestPolicy: 'network-only',
  });
  const passedOn = seen.data?.simulateApproval ?? null;
  const hash = passedOn?.contentHash ?? null;
  const refused = passedOn?.verdicts.find(({ passed }) => passed === false)?.message ?? null;

  const send = async (): Promise<void> => {
    if (hash === null) return;
    // What is refused because the agent went on is shown anew, and approved by a second press.
    if (!(await run(() => approve(client, id, hash, edits)))) look({ requestPolicy: 'network-only' });
  };
  const sendByKey = useEffectEvent(() => void send());
  const fields = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (mode !== 'look') fields.current?.querySelector<HTMLElement>('textarea, input')?.focus();
  }, [mode]);
  useEffect(() => {
    if (!keys) return;
    const press = (event: KeyboardEvent): void => {
      const { target } = event;
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      if (target instanceof HTMLElement && /^(?:INPUT|TEXTAREA|SELECT)$/.test(target.tagName)) return;
      if (event.key === 'a') sendByKey();
      else if (event.key === 'e') setMode('edit');
      else if (event.key === 'd') setMode('decline');
      else return;
      event.preventDefault();
    };
    document.addEventListener('keydown', press);
    return () => document.removeEventListener('keydown', press);
  }, [keys]);

  return (
    <div className={styles.body}>
      {seen.error && <RequestError error={seen.error} onRetry={() => look({ requestPolicy: 'network-only' })} />}
      {refused !== null && edits === null && (
        <ErrorNote quiet title="It cannot be approved as it is">
          {refused}
        </ErrorNote>
      )}
      <details className={styles.passedOn}>
        <summary>
          What is passed on
          {passedOn?.context ? `: about ${passedOn.context.tokenEstimate.toLocaleString()} tokens` : ''}
        </summary>
        <pre tabIndex={0} aria-label="What is passed on">
          {passedOn?.context?.text ?? 'Loading …'}
        </pre>
      </details>
      <div ref={fields} className={styles.fields}>
        {mode === 'edit' && (
          <>
            <TextField
              label="Target"
              value={draft.targetAgentId}
              error={undefined}
              hint="An agent: its id, or a name, role or type that it alone has."
              onChange={(targetAgentId) => setDraft({ ...draft, targetAgentId })}
            />
            <TextField
              label="Reason"
              rows={3}
              value={draft.reason}
              error={undefined}
              onChange={(reason) => setDraft({ ...draft, reason })}
            />
            <TextField
              label="Instructions for the target"
              rows={3}
              value={draft.instructions}
              error={undefined}
              hint="They replace those of the handoff tool."
              onChange={(instructions) => setDraft({ ...draft, instructions })}
            />
            {changes.length > 0 && (
              <dl className={styles.changes} aria-label="Changes">
                {changes.map(({ label, before, after }) => (
                  <div key={label}>
                    <dt>{label}</dt>
                    <dd>
                      {before !== '' && <del>{before}</del>} {after === '' ? <em>removed</em> : <ins>{after}</ins>}
                    </dd>
                  </div>
                ))}
              </dl>
            )}
          </>
        )}
        {mode === 'decline' && (
          <TextField
            label="Why not"
            rows={3}
            value={why}
            error={undefined}
            hint="The agent reads it before its next prompt."
            onChange={setWhy}
          />
        )}
      </div>
      {note}
      <div className={styles.acts}>
        {mode === 'decline' ? (
          <>
            <button
              type="button"
              className="button small danger"
              aria-disabled={busy || why.trim() === ''}
              onClick={() => why.trim() !== '' && void run(() => decline(client, id, why.trim()))}
            >
              <Icon name="cross" size={14} /> {busy ? 'Declining …' : 'Decline'}
            </button>
            <button type="button" className="button small" onClick={() => setMode('look')}>
              Back
            </button>
          </>
        ) : (
          <>
            <button
              type="button"
              className="button small primary"
              aria-disabled={busy || hash === null}
              onClick={() => void send()}
            >
              <Icon name="check" size={14} />{' '}
              {busy ? 'Approving …' : edits === null ? 'Approve' : 'Approve with changes'}
            </button>
            {mode === 'edit' ? (
              <button
                type="button"
                className="button small"
                onClick={() => {
                  setDraft(given);
                  setMode('look');
                }}
              >
                Drop the changes
              </button>
            ) : (
              <button type="button" className="button small" onClick={() => setMode('edit')}>
                Edit …
              </button>
            )}
            <button type="button" className="button small danger" onClick={() => setMode('decline')}>
              Decline …
            </button>
          </>
        )}
      </div>
    </div>
  );
}

function Answer({ waiting: { id, options }, onDone }: Given) {
  const client = useClient();
  const [answer, setAnswer] = useState('');
  const { busy, run, note } = useAct(onDone);
  const send = (text: string) => text.trim() !== '' && void run(() => answerQuestion(client, id, text.trim()));
  return (
    <form
      className={styles.body}
      onSubmit={(event) => {
        event.preventDefault();
        send(answer);
      }}
    >
      {options != null && options.length > 0 && (
        <div className={styles.acts} role="group" aria-label="Answers to choose from">
          {options.map((option) => (
            <button
              key={option}
              type="button"
              className="button small"
              aria-disabled={busy}
              onClick={() => send(option)}
            >
              {option}
            </button>
          ))}
        </div>
      )}
      <TextField
        label="Answer"
        rows={2}
        value={answer}
        error={undefined}
        hint="The agent reads it as your words, and goes on."
        onChange={setAnswer}
      />
      {note}
      <div className={styles.acts}>
        <button type="submit" className="button small primary" aria-disabled={busy || answer.trim() === ''}>
          <Icon name="check" size={14} /> {busy ? 'Answering …' : 'Answer'}
        </button>
      </div>
    </form>
  );
}
