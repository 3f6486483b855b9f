import { useId, useRef, useState } from 'react';
import { Link } from 'wouter';
import { Icon } from '../ui/Icon.tsx';
import { faultOfName, isUnfiltered, type List, longestName, renamed, without, withView } from './saved.ts';
import styles from './SavedViews.module.css';
import { useSavedViews } from './store.ts';

/** The saved views of a list: opens, saves, renames and deletes them. `href` is the present view. */
export function SavedViews({ list, href }: { list: List; href: string }) {
  const [views, setViews] = useSavedViews(list);
  const [naming, setNaming] = useState<'new' | 'present' | null>(null);
  const present = views.find((view) => view.href === href);
  const group = useRef<HTMLDivElement>(null);
  /** The focused button or field disappears. */
  const done = (): void => {
    setNaming(null);
    group.current?.focus();
  };
  if (views.length === 0 && isUnfiltered(list, href)) return null;
  return (
    <div ref={group} role="group" aria-label="Saved views" tabIndex={-1} className={styles.views}>
      {views.map((view) => (
        <Link
          key={view.name}
          href={view.href}
          className={styles.view}
          aria-current={view === present ? 'true' : undefined}
        >
          {view.name}
        </Link>
      ))}
      {naming === null && present === undefined && !isUnfiltered(list, href) && (
        <button type="button" className="button quiet small" onClick={() => setNaming('new')}>
          <Icon name="task" size={14} /> Save this view …
        </button>
      )}
      {naming === null && present !== undefined && (
        <>
          <button
            type="button"
            className="button quiet small"
            onClick={() => setNaming('present')}
            aria-label={`Rename the view "${present.name}"`}
          >
            Rename …
          </button>
          <button
            type="button"
            className="button quiet small"
            aria-label={`Delete the view "${present.name}"`}
            onClick={() => {
              setViews(without(views, present.name));
              done();
            }}
          >
            Delete
          </button>
        </>
      )}
      {naming !== null && (
        <NameForm
          key={href}
          before={naming === 'present' ? present?.name : undefined}
          faultOf={(name) => faultOfName(views, name, naming === 'present' ? present?.name : undefined)}
          onName={(name) => {
            setViews(
              naming === 'present' && present !== undefined
                ? renamed(views, present.name, name)
                : withView(views, { name, href }),
            );
            done();
          }}
          onCancel={done}
        />
      )}
    </div>
  );
}

interface NameFormProps {
  before: string | undefined;
  faultOf: (name: string) => string | null;
  onName: (name: string) => void;
  onCancel: () => void;
}

function NameForm({ before = '', faultOf, onName, onCancel }: NameFormProps) {
  const id = useId();
  const [name, setName] = useState(before);
  const [fault, setFault] = useState<string | null>(null);
  return (
    <form
      className={styles.form}
      onSubmit={(event) => {
        event.preventDefault();
        const found = faultOf(name);
        setFault(found);
        if (found === null) onName(name);
      }}
      onKeyDown={(event) => event.key === 'Escape' && onCancel()}
    >
      <label htmlFor={id} className="hidden">
        Name of the view
      </label>
      <input
        id={id}
        ref={focus}
        className="input"
        value={name}
        placeholder="Name of the view"
        maxLength={longestName}
        autoComplete="off"
        aria-invalid={fault !== null}
        aria-describedby={fault === null ? undefined : `${id}-fault`}
        onChange={({ target }) => setName(target.value)}
      />
      <button type="submit" className="button primary small">
        Save
      </button>
      <button type="button" className="button quiet small" onClick={onCancel}>
        Cancel
      </button>
      {fault !== null && (
        <span id={`${id}-fault`} role="alert" className={styles.fault}>
          {fault}
        </span>
      )}
    </form>
  );
}

const focus = (input: HTMLInputElement | null): void => input?.focus();
