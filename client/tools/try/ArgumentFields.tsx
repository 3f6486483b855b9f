import { SelectField } from '../../ui/SelectField.tsx';
import { TextField } from '../../ui/TextField.tsx';
import type { ArgumentField, Typed } from './arguments.ts';

const notGiven = ['', 'not given'] as const;

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
    const common = {
      label: `${name}${required ? ' (required)' : ''}`,
      value: typed.get(name) ?? '',
      onChange: (text: string) => onChange(name, text),
      hint: hintOf(field),
    };
    if (kind === 'choice')
      return (
        <SelectField
          key={name}
          {...common}
          options={[
            notGiven,
            ...field.choices.map(
              (choice, index) => [String(index), typeof choice === 'string' ? choice : JSON.stringify(choice)] as const,
            ),
          ]}
        />
      );
    if (kind === 'boolean')
      return <SelectField key={name} {...common} options={[notGiven, ['true', 'true'], ['false', 'false']]} />;
    return (
      <TextField
        key={name}
        {...common}
        error={faults.get(name)}
        {...(kind === 'json' && { rows: 2, mono: true })}
        {...(kind === 'text' && { rows: 1 })}
      />
    );
  });
}

const hintOf = ({ description, preset, kind }: ArgumentField): string =>
  [description, kind === 'json' && 'As JSON.', preset !== null && `Default: ${preset}`]
    .filter((part) => part !== null && part !== false && part !== '')
    .join(' ');
