import { useRef } from 'react';
import { useClient } from 'urql';
import { useKept } from '../app/kept.ts';
import type { WaitingFragment } from '../gql/graphql.ts';
import { Icon } from '../ui/Icon.tsx';
import { showNotice } from '../ui/notices.ts';
import { TextField } from '../ui/TextField.tsx';
import { NoticeText } from '../ui/UndoNotice.tsx';
import styles from './Decide.module.css';
import { answerQuestion } from './documents.ts';
import { useAct } from './useAct.tsx';
import { useKeys } from './useKeys.ts';

interface AnswerProps {
  waiting: WaitingFragment;
  keys: boolean;
  isFresh: boolean;
  onDone: () => void;
  onRefused: () => void;
}

/** Answers a question by an option or in words. */
export function Answer({ waiting: { id, agent, options }, keys, isFresh, onDone, onRefused }: AnswerProps) {
  const client = useClient();
  const { value: answer, change, drop } = useKept(`decide.${id}`, '');
  const { busy, run, note } = useAct();
  const send = async (text: string): Promise<void> => {
    if (text.trim() === '') return;
    const outcome = await run(() => answerQuestion(client, id, text.trim()));
    if (outcome === null) return;
    if (!outcome.done) return onRefused();
    drop();
    showNotice(<NoticeText>{`Answered: ${agent.id} goes on.`}</NoticeText>);
    onDone();
  };
  const choose = (option: string): void => {
    if (!isFresh) void send(option);
  };
  const form = useRef<HTMLFormElement>(null);
  const byNumber = Object.fromEntries(
    (options ?? []).slice(0, 9).map((option, index) => [index + 1, () => choose(option)]),
  );
  useKeys(keys ? { ...byNumber, e: () => form.current?.querySelector('textarea')?.focus() } : {});
  return (
    <form
      ref={form}
      className={styles.body}
      onSubmit={(event) => {
        event.preventDefault();
        void send(answer);
      }}
      onKeyDown={(event) => {
        if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) form.current?.requestSubmit();
        if (event.key === 'Escape') form.current?.closest('article')?.focus();
      }}
    >
      {options != null && options.length > 0 && (
        <div className={styles.acts} role="group" aria-label="Answers to choose from">
          {options.map((option, index) => (
            <button
              key={option}
              type="button"
              className={`button small ${styles.option}`}
              aria-disabled={busy || isFresh}
              aria-keyshortcuts={keys && index < 9 ? String(index + 1) : undefined}
              onClick={() => choose(option)}
            >
              {keys && index < 9 && (
                <kbd className={styles.keys} aria-hidden="true">
                  {index + 1}
                </kbd>
              )}
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
        onChange={(text) => change(() => text)}
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
