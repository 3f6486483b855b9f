import { useId, useState, type FormEvent } from 'react';
import { ErrorNote } from '../ui/ErrorNote.tsx';
import { Icon } from '../ui/Icon.tsx';
import { usePageTitle } from '../app/pageTitle.ts';
import { useFocusPassedOn } from '../app/useFocusPassedOn.ts';
import { basePath } from '../urql.ts';
import styles from './access.module.css';

/** Asks for a key. */
export function SignIn({ wasRefused, onKey }: { wasRefused: boolean; onKey: (key: string) => void }) {
  const [text, setText] = useState('');
  const field = useId();
  usePageTitle('Sign in');
  const main = useFocusPassedOn();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const key = text.trim();
    if (key !== '') onKey(key);
  };
  return (
    <main ref={main} className={styles.signIn}>
      <form className={`card ${styles.form}`} onSubmit={submit}>
        <img src={`${basePath}/icon.svg`} alt="" width="44" height="44" />
        <h1>Sign in to Baton</h1>
        <p className="soft">
          This server requires a key. An administrator creates one with <code>baton key create</code>.
        </p>
        {wasRefused && <ErrorNote title="This key was not accepted">It may be mistyped, expired or revoked.</ErrorNote>}
        <div className="field">
          <label htmlFor={field}>Key</label>
          <input
            id={field}
            ref={focus}
            className="input mono"
            type="password"
            autoComplete="off"
            spellCheck={false}
            required
            value={text}
            aria-invalid={wasRefused}
            onChange={(event) => setText(event.target.value)}
          />
          <span className="hint">Signs in all tabs of this browser, until you close them or sign out.</span>
        </div>
        <button type="submit" className="button primary">
          <Icon name="key" /> Sign in
        </button>
      </form>
    </main>
  );
}

const focus = (input: HTMLInputElement | null): void => input?.focus();
