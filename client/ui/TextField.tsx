import { useId } from 'react';
import { ErrorNote } from './ErrorNote.tsx';

interface TextFieldProps {
  label: string;
  value: string;
  onChange: (value: string) => void;
  error: string | undefined;
  hint?: string;
  rows?: number;
  mono?: boolean;
  /** A whole number. */
  numeric?: boolean;
  /** The error changes while one types. */
  quiet?: boolean;
}

/** One text, with its hint and its error. */
export function TextField({
  label,
  value,
  onChange,
  error,
  hint,
  rows,
  mono = false,
  numeric = false,
  quiet = false,
}: TextFieldProps) {
  const id = useId();
  const common = {
    id,
    value,
    'aria-invalid': error !== undefined,
    'aria-describedby':
      [hint && `${id}-hint`, error !== undefined && `${id}-error`].filter(Boolean).join(' ') || undefined,
    onChange: ({ target }: { target: HTMLInputElement | HTMLTextAreaElement }) => onChange(target.value),
  };
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      {rows === undefined ? (
        <input
          {...common}
          {...(numeric && { type: 'number', min: 0, step: 1 })}
          className={`input ${mono ? 'mono' : ''}`}
          spellCheck={!mono}
          autoComplete="off"
        />
      ) : (
        <textarea {...common} className={`textarea ${mono ? 'mono' : ''}`} rows={rows} spellCheck={!mono} />
      )}
      {hint && (
        <span className="hint" id={`${id}-hint`}>
          {hint}
        </span>
      )}
      <FieldError id={`${id}-error`} message={error} quiet={quiet} />
    </div>
  );
}

export function FieldError({
  id,
  message,
  quiet = false,
}: {
  id?: string;
  message: string | undefined;
  quiet?: boolean;
}) {
  if (message === undefined) return null;
  return (
    <div id={id}>
      <ErrorNote quiet={quiet}>{message}</ErrorNote>
    </div>
  );
}
