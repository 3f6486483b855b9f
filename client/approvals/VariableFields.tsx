import { Icon } from '../ui/Icon.tsx';
import { TextField } from '../ui/TextField.tsx';
import styles from './Decide.module.css';
import type { VariableDraft } from './variables.ts';

interface VariableFieldsProps {
  variables: readonly VariableDraft[];
  onChange: (variables: VariableDraft[]) => void;
}

/** The variables that the handoff sets in the session. */
export function VariableFields({ variables, onChange }: VariableFieldsProps) {
  const change = (at: number, part: Partial<VariableDraft>): void =>
    onChange(variables.map((each, index) => (index === at ? { ...each, ...part } : each)));
  return (
    <fieldset className={styles.carry}>
      <legend className="label">Variables</legend>
      {variables.map(({ name, text }, at) => (
        <div key={at} className={styles.variable}>
          <TextField
            label={`Name of variable ${at + 1}`}
            mono
            value={name}
            error={undefined}
            onChange={(to) => change(at, { name: to })}
          />
          <TextField
            label={`Value of variable ${at + 1}`}
            mono
            rows={Math.min(6, text.split('\n').length)}
            value={text}
            error={undefined}
            onChange={(to) => change(at, { text: to })}
          />
          <button
            type="button"
            className="button quiet small"
            aria-label={`Remove variable ${name === '' ? at + 1 : name}`}
            onClick={() => onChange(variables.filter((_, index) => index !== at))}
          >
            <Icon name="cross" size={14} />
          </button>
        </div>
      ))}
      <p className="hint">A value is text as it stands, or JSON. Variables of the session that are not here stay.</p>
      <div>
        <button type="button" className="button small" onClick={() => onChange([...variables, { name: '', text: '' }])}>
          <Icon name="plus" size={14} /> Add a variable
        </button>
      </div>
    </fieldset>
  );
}
