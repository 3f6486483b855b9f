import { useId } from 'react';
import { TextField } from '../../ui/TextField.tsx';
import type { ArgumentField, Typed } from './arguments.ts';

interface ArgumentFieldsProps {
  fields: readonly ArgumentField[];
  typed: Typed;
  faults: ReadonlyMap<string, string>;
  onChange: (name: string, text: string) => void;
}

/** A form made from a tool's schema. */
export function ArgumentFields({ fields, typed, faults, onChange }: ArgumentFieldsProps) {
  return fields.map((field) => {
    const { name, kind, required } = field;
    const common = { label: `${name}${required ? ' (required)' : ''}`, value: typed.get(name) ?? '', onChange: (text: string) => onChange(name, text), hint: hintOf(field) };
    if (kind === 'choice') return <Choice key={name} {...common} options={field.choices.map((choice, index) => [String(index), typeof choice === 'string' ? choice : JSON.stringify(choice)])} />;
    if (kind === 'boolean') return <Choice key={name} {...common} options={[['true', 'true'], ['false', 'false']]} />;
    return <TextField key={name} {...common} error={faults.get(name)} {...(kind === 'json' && { rows: 2, mono: true })} {...(kind === 'text' && { rows: 1 })} />;
  });
}

const hintOf = ({ description, preset, kind }: ArgumentField): string =>
  [description, kind === 'json' && 'As JSON.', preset !== null && `Default: ${preset}`].filter((part) => part !== null && part !== false && part !== '').join(' ');

interface ChoiceProps {
  label: string;
  value: string;
  onChange: (value: string) => void;
  hint: string;
  options: [value: string, word: string][];
}

function Choice({ label, value, onChange, hint, options }: ChoiceProps) {
  const id = useId();
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <select id={id} className="select" value={value} aria-describedby={`${id}-hint`} onChange={({ target }) => onChange(target.value)}>
        <option value="">not given</option>
        {options.map(([option, word]) => (
          <option key={option} value={option}>
            {word}
          </option>
        ))}
      </select>
      <span className="hint" id={`${id}-hint`}>
        {hint}
      </span>
    </div>
  );
}
