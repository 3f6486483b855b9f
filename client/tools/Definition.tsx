import { useState } from 'react';
import type { ToolFormat } from '../gql/graphql.ts';
import { CopyButton } from '../ui/CopyButton.tsx';
import segments from '../ui/Segments.module.css';
import styles from './Definition.module.css';
import { formatWords } from './looks.ts';

const names = Object.keys(formatWords) as ToolFormat[];

/** Buttons for the format of a definition. */
export function FormatChoice({ value, onChange }: { value: ToolFormat; onChange: (format: ToolFormat) => void }) {
  return (
    <div className={`${segments.segments} ${styles.formats}`} role="group" aria-label="Format">
      {names.map((name) => (
        <button key={name} type="button" aria-pressed={name === value} onClick={() => onChange(name)}>
          {formatWords[name]}
        </button>
      ))}
    </div>
  );
}

/** What a model gets, in the format that is chosen. */
export function Definition({ of }: { of: (format: ToolFormat) => unknown }) {
  const [format, setFormat] = useState<ToolFormat>('ANTHROPIC');
  return (
    <div className={styles.definition}>
      <FormatChoice value={format} onChange={setFormat} />
      <Json value={of(format)} label={`Definition for ${formatWords[format]}`} />
    </div>
  );
}

/** JSON to read and to copy. */
export function Json({ value, label }: { value: unknown; label: string }) {
  const text = JSON.stringify(value, null, 2);
  return (
    <>
      <pre className={styles.json} tabIndex={0} role="region" aria-label={label}>
        {text}
      </pre>
      <div>
        <CopyButton text={text}>Copy</CopyButton>
      </div>
    </>
  );
}
