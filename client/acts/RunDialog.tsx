import { useEffect, useId, useRef, useState, type FormEvent, type ReactNode } from 'react';
import { Dialog } from '../ui/Dialog.tsx';
import { ErrorNote } from '../ui/ErrorNote.tsx';
import { Icon, type IconName } from '../ui/Icon.tsx';
import { runEach, titleOf, type Outcome } from './outcome.ts';
import styles from './RunDialog.module.css';

export interface Item {
  id: string;
  title: string;
}

export interface RunDialogProps<Each extends Item, Payload> {
  title: string;
  items: readonly Each[];
  /** The button that begins, and its word while it runs. */
  word: string;
  busy: string;
  icon: IconName;
  danger?: boolean;
  /** The button that leaves without a change. */
  keep?: string;
  /** What is asked or told before; null begins at once. */
  fields: ReactNode | null;
  isReady?: boolean;
  wide?: boolean;
  run: (item: Each) => Promise<Outcome<Payload>>;
  /** Runs when every item was done. */
  onAllDone?: (payloads: readonly Payload[]) => void;
  /** Receives the ids of the items that were done. */
  onClose: (done: readonly string[]) => void;
}

type State<Payload> = 'waiting' | 'running' | Outcome<Payload>;

/**
 * Acts on one record or on many: asks first, shows what became of each, and tries those that were refused again. It closes by itself once
 * all are done. Closed while it runs, it begins no others.
 */
export function RunDialog<Each extends Item, Payload>({
  title,
  items: given,
  word,
  busy,
  icon,
  danger = false,
  keep = 'Cancel',
  fields,
  isReady = true,
  wide = false,
  run,
  onAllDone,
  onClose,
}: RunDialogProps<Each, Payload>) {
  // The records of the moment in which it began.
  const [frozen, setFrozen] = useState<readonly Each[] | null>(null);
  const items = frozen ?? given;
  const [states, setStates] = useState<ReadonlyMap<string, State<Payload>>>(() => new Map());
  const [phase, setPhase] = useState<'asking' | 'running' | 'ended'>(fields === null ? 'running' : 'asking');
  const isStopped = useRef(false);
  const form = useId();
  const [only] = items.length === 1 ? items : [];

  const start = async (todo: readonly Each[]): Promise<void> => {
    isStopped.current = false;
    setPhase('running');
    setFrozen(items);
    const ended = new Map(states);
    const note = (id: string, state: State<Payload>): void => {
      ended.set(id, state);
      setStates(new Map(ended));
    };
    for (const { id } of todo) note(id, 'waiting');
    await runEach(
      todo,
      async (item) => {
        note(item.id, 'running');
        note(item.id, await run(item));
      },
      () => isStopped.current,
    );
    const payloads = [...ended.values()].flatMap((state) =>
      typeof state === 'object' && state.done ? [state.payload] : [],
    );
    if (payloads.length === items.length) {
      onAllDone?.(payloads);
      return onClose(items.map(({ id }) => id));
    }
    if (isStopped.current) return;
    // One record's refusal stands in the form, with what was typed.
    if (only === undefined || fields === null) return setPhase('ended');
    setFrozen(null);
    setPhase('asking');
  };
  const stop = useRef<HTMLButtonElement>(null);
  const typing = useRef<HTMLFormElement>(null);
  useEffect(() => typing.current?.querySelector<HTMLElement>('input, textarea, select')?.focus(), []);
  const begin = useRef(false);
  useEffect(() => {
    if (fields !== null || begin.current) return;
    begin.current = true;
    void start(items);
  });

  const doneIds = items.filter(({ id }) => isDone(states.get(id))).map(({ id }) => id);
  const refused = items.filter(({ id }) => !isDone(states.get(id)));
  const close = (): void => {
    isStopped.current = true;
    onClose(doneIds);
  };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (isReady && phase === 'asking') void start(items);
  };
  const first = only && states.get(only.id);
  const refusal = typeof first === 'object' && !first.done ? first : null;
  const isAsking = phase === 'asking' || (only !== undefined && fields !== null);
  return (
    <Dialog
      title={title}
      onClose={close}
      wide={wide}
      notice={
        isAsking &&
        refusal !== null &&
        phase === 'asking' && <ErrorNote title={titleOf(refusal)}>{refusal.message}</ErrorNote>
      }
      footer={
        isAsking ? (
          <>
            <button type="button" className="button" onClick={close}>
              {keep}
            </button>
            <button
              type="submit"
              form={form}
              className={`button ${danger ? 'danger' : 'primary'}`}
              aria-disabled={!isReady || phase === 'running'}
            >
              <Icon name={icon} /> {phase === 'running' ? busy : word}
            </button>
          </>
        ) : (
          <>
            {phase === 'ended' && (
              <button
                type="button"
                className="button"
                onClick={() => {
                  // This button disappears.
                  stop.current?.focus();
                  void start(refused);
                }}
              >
                {refused.length === 1 ? 'Try it again' : `Try the ${refused.length} others again`}
              </button>
            )}
            <button ref={stop} type="button" className={`button ${phase === 'ended' ? 'primary' : ''}`} onClick={close}>
              {phase === 'ended' ? 'Close' : 'Stop'}
            </button>
          </>
        )
      }
    >
      {isAsking && (
        <form ref={typing} id={form} className={styles.form} onSubmit={submit}>
          {fields}
        </form>
      )}
      {!isAsking && (
        <>
          <p role="status" className={styles.sum}>
            {phase === 'running'
              ? `${busy} ${doneIds.length} of ${items.length} done`
              : `${doneIds.length} of ${items.length} done, ${refused.length} not.`}
          </p>
          <ul role="list" className={styles.items}>
            {items.map(({ id, title: name }) => (
              <Line key={id} name={name} state={states.get(id) ?? 'waiting'} />
            ))}
          </ul>
        </>
      )}
    </Dialog>
  );
}

const isDone = (state: State<unknown> | undefined): boolean => typeof state === 'object' && state.done;

function Line({ name, state }: { name: string; state: State<unknown> }) {
  const isOver = typeof state === 'object';
  const look = !isOver ? 'waiting' : state.done ? 'done' : 'refused';
  return (
    <li data-outcome={look}>
      <Icon name={look === 'waiting' ? 'hourglass' : look === 'done' ? 'check' : 'alert'} />
      <span className={styles.name}>{name}</span>
      <span className={styles.word}>
        {!isOver ? (state === 'running' ? 'under way' : 'waiting') : state.done ? 'done' : state.message}
      </span>
    </li>
  );
}
