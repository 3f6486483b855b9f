import { useId } from 'react';
import { FieldError } from './TextField.tsx';

export interface SelectFieldProps<Value extends string> {
  label: string;
  value: Value;
  onChange: (value: Value) => void;
  options: readonly (readonly [value: Value, word: string])[];
  hint?: string;
  /** Changes with the choice: not announced at once. */
  error?: string | undefined;
}

/** One choice, with its hint. */
export function SelectField<Value extends string>({
  label,
  value,
  onChange,
  options,
  hint,
  error,
}: SelectFieldProps<Value>) {
  const id = useId();
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <select
        id={id}
        className="select"
        value={value}
        aria-invalid={error !== undefined}
        aria-describedby={
          [hint && `${id}-hint`, error !== undefined && `${id}-error`].filter(Boolean).join(' ') || undefined
        }
        onChange={({ target }) => onChange(options.find(([option]) => option === target.value)?.[0] ?? value)}
      >
        {options.map(([option, word]) => (
          <option key={option} value={option}>
            {word}
          </option>
        ))}
      </select>
      {hint && (
        <span className="hint" id={`${id}-hint`}>
          {hint}
        </span>
      )}
      <FieldError id={`${id}-error`} message={error} quiet />
    </div>
  );
}
