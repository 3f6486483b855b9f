import { useEffect, useRef } from 'react';
import type { HandoffToolVariableType } from '../../gql/graphql.ts';
import { Icon } from '../../ui/Icon.tsx';
import { SelectField } from '../../ui/SelectField.tsx';
import { FieldError, TextField } from '../../ui/TextField.tsx';
import { emptyVariable, type VariableDraft } from './draft.ts';
import styles from './ToolForm.module.css';

const typeWords: Record<HandoffToolVariableType, string> = {
  STRING: 'Text',
  NUMBER: 'Number',
  INTEGER: 'Whole number',
  BOOLEAN: 'Yes or no',
  ARRAY: 'List (JSON)',
  OBJECT: 'Object (JSON)',
};
const types = Object.entries(typeWords) as [HandoffToolVariableType, string][];

const examples: Record<HandoffToolVariableType, string> = {
  STRING: 'low',
  NUMBER: '0.5',
  INTEGER: '3',
  BOOLEAN: 'true',
  ARRAY: '["a", "b"]',
  OBJECT: '{"a": 1}',
};

interface VariableFieldsProps {
  variables: VariableDraft[];
  errorAt: (name: string) => string | undefined;
  onChange: (variables: VariableDraft[]) => void;
}

/** Builds the typed arguments of a tool. */
export function VariableFields({ variables, errorAt, onChange }: VariableFieldsProps) {
  const list = useRef<HTMLOListElement>(null);
  const add = useRef<HTMLButtonElement>(null);
  const count = useRef(variables.length);
  // A new variable gets the focus; after one was removed, the button that adds them.
  useEffect(() => {
    if (variables.length > count.current) list.current?.lastElementChild?.querySelector('input')?.focus();
    if (variables.length < count.current) add.current?.focus();
    count.current = variables.length;
  }, [variables.length]);
  const change = (key: number, part: Partial<VariableDraft>) =>
    onChange(variables.map((each) => (each.key === key ? { ...each, ...part } : each)));
  const move = (from: number, to: number) => onChange(variables.toSpliced(from, 1).toSpliced(to, 0, variables[from]!));
  return (
    <section className={`card ${styles.part}`} aria-labelledby="variables">
      <h2 id="variables">Variables</h2>
      <p className="hint">
        Typed arguments besides reason and summary, which every tool has. The handoff sets them as context variables.
      </p>
      <FieldError message={errorAt('variables')} />
      <ol ref={list} role="list" className={styles.variables} hidden={variables.length === 0}>
        {variables.map((variable, index) => (
          <li key={variable.key}>
            <fieldset className={styles.variable}>
              <legend className="hidden">{`Variable ${index + 1}`}</legend>
              <Variable
                variable={variable}
                index={index}
                errorAt={errorAt}
                onChange={(part) => change(variable.key, part)}
              />
              <div className={styles.order}>
                <button
                  type="button"
                  className="button quiet small"
                  aria-label={`Move variable ${index + 1} up`}
                  aria-disabled={index === 0}
                  onClick={() => index > 0 && move(index, index - 1)}
                >
                  Up
                </button>
                <button
                  type="button"
                  className="button quiet small"
                  aria-label={`Move variable ${index + 1} down`}
                  aria-disabled={index === variables.length - 1}
                  onClick={() => index < variables.length - 1 && move(index, index + 1)}
                >
                  Down
                </button>
                <button
                  type="button"
                  className="button quiet small"
                  aria-label={`Remove variable ${index + 1}`}
                  onClick={() => onChange(variables.toSpliced(index, 1))}
                >
                  <Icon name="cross" size={12} /> Remove
                </button>
              </div>
            </fieldset>
          </li>
        ))}
      </ol>
      <div>
        <button ref={add} type="button" className="button" onClick={() => onChange([...variables, emptyVariable()])}>
          Add a variable
        </button>
      </div>
    </section>
  );
}

interface VariableProps {
  variable: VariableDraft;
  index: number;
  errorAt: (name: string) => string | undefined;
  onChange: (part: Partial<VariableDraft>) => void;
}

function Variable({ variable, index, errorAt, onChange }: VariableProps) {
  const { name, type, required, description, allowed, preset } = variable;
  const error = (field: string) => errorAt(`variables.${index}.${field}`);
  return (
    <>
      <div className={styles.line}>
        <TextField
          label="Variable name"
          value={name}
          mono
          error={error('name')}
          onChange={(value) => onChange({ name: value })}
        />
        <SelectField label="Type" value={type} options={types} onChange={(chosen) => onChange({ type: chosen })} />
        <label className={styles.required}>
          <input type="checkbox" checked={required} onChange={({ target }) => onChange({ required: target.checked })} />{' '}
          Required
        </label>
      </div>
      <TextField
        label="Meaning"
        value={description}
        error={error('description')}
        onChange={(value) => onChange({ description: value })}
      />
      <div className={styles.values}>
        <TextField
          label="Allowed values"
          value={allowed}
          rows={2}
          mono
          error={error('enum')}
          hint={`One a line, such as ${examples[type]}. Empty: any.`}
          onChange={(value) => onChange({ allowed: value })}
        />
        <TextField
          label="Default"
          value={preset}
          mono
          error={error('default')}
          hint="When the call gives none. Not with Required."
          onChange={(value) => onChange({ preset: value })}
        />
      </div>
    </>
  );
}
