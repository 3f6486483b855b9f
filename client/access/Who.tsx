import { Icon } from '../ui/Icon.tsx';
import { useAccess } from './viewer.ts';
import styles from './who.module.css';

/** The viewer's name and the sign-out button. */
export function Who() {
  const { viewer, key, signOut } = useAccess();
  const role = (viewer.role ?? 'nobody').toLowerCase();
  const name = viewer.agentId ?? viewer.keyName ?? (key === null ? 'this machine' : 'admin key');
  return (
    <div
      className={styles.who}
      title={key === null ? 'This server has no keys: every caller has full access.' : undefined}
    >
      <Icon name={viewer.agentId === null ? 'user' : 'bot'} />
      <span className={styles.name}>
        {name} <span className="soft">{role}</span>
      </span>
      {key !== null && (
        <button type="button" className="button quiet small" onClick={signOut} aria-label="Sign out" title="Sign out">
          <Icon name="exit" />
        </button>
      )}
    </div>
  );
}
