import { useId } from 'react';

export interface SelectFieldProps<Value extends string> {
  label: string;
  value: Value;
  onChange: (value: Value) => void;
  options: readonly (readonly [value: Value, word: string])[];
  hint?: string;
}

/** One choice, with its hint. */
export function SelectField<Value extends string>({ label, value, onChange, options, hint }: SelectFieldProps<Value>) {
  const id = useId();
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <select id={id} className="select" value={value} aria-describedby={hint && `${id}-hint`} onChange={({ target }) => onChange(options.find(([option]) => option === target.value)?.[0] ?? value)}>
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
    </div>
  );
}
