import { Fold } from '../ui/Fold.tsx';
import styles from './page/HandoffPayload.module.css';

/** Context variables with their values and last setters. */
export function Variables({ variables }: { variables: readonly { name: string; value?: unknown; setBy: string }[] }) {
  return (
    <dl className={styles.variables}>
      {variables.map(({ name, value, setBy }) => (
        <div key={name}>
          <dt className="mono" title={`Set by ${setBy}`}>
            {name}
          </dt>
          <dd>
            <Fold text={textOf(value)} mono lines={4} characters={240} />
          </dd>
        </div>
      ))}
    </dl>
  );
}

/** Compact for short values, indented for longer ones. */
function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  const line = JSON.stringify(value) ?? 'null';
  return line.length <= 60 ? line : JSON.stringify(value, null, 2);
}
