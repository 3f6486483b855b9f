import { useEffect, useState } from 'react';
import { useAccess } from '../../access/viewer.ts';
import { CopyButton } from '../../ui/CopyButton.tsx';
import { ErrorNote } from '../../ui/ErrorNote.tsx';
import { Skeleton } from '../../ui/Skeleton.tsx';
import { endpoints, readText } from '../../urql.ts';
import styles from './HandoffPayload.module.css';

/** The whole record as JSON, loaded on opening. */
export function WholeJson({ id }: { id: string }) {
  const [open, setOpen] = useState(false);
  return (
    <details className={`${styles.more} ${styles.json}`} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>JSON</summary>
      {open && <Text id={id} />}
    </details>
  );
}

function Text({ id }: { id: string }) {
  const { key } = useAccess();
  const [text, setText] = useState<string | Error | null>(null);
  useEffect(() => {
    let wanted = true;
    const show = (read: string | Error) => wanted && setText(read);
    readText(endpoints.handoffJson(id), key).then(show, show);
    return () => {
      wanted = false;
    };
  }, [id, key]);
  if (text === null) return <Skeleton height="16rem" />;
  if (text instanceof Error) return <ErrorNote title="The JSON could not be loaded">{text.message}</ErrorNote>;
  return (
    <div className={styles.whole}>
      <CopyButton text={text}>Copy JSON</CopyButton>
      <pre tabIndex={0} aria-label="The handoff as JSON">
        {text}
      </pre>
    </div>
  );
}
