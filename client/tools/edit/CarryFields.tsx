import type { CarriedMessages, CarriedToolCalls } from '../../gql/graphql.ts';
import { SelectField } from '../../ui/SelectField.tsx';
import { FieldError, TextField } from '../../ui/TextField.tsx';
import { callWords, messageWords } from '../carry.ts';
import { everything, type CarryDraft } from './draft.ts';
import styles from './ToolForm.module.css';

// Functions: the words may be in a part of the code that runs after this one.
const messages = () => Object.entries(messageWords) as [CarriedMessages, string][];
const toolCalls = () => Object.entries(callWords) as [CarriedToolCalls, string][];

interface CarryFieldsProps {
  carry: CarryDraft | null;
  /** What is passed on without a choice. */
  whole: string;
  errorAt: (name: string) => string | undefined;
  onChange: (carry: CarryDraft | null) => void;
}

/** What of the context a handoff passes on. */
export function CarryFields({ carry, whole, errorAt, onChange }: CarryFieldsProps) {
  const change = (part: Partial<CarryDraft>) => carry !== null && onChange({ ...carry, ...part });
  return (
    <>
      <Check
        label="Pass on a part of the context only"
        checked={carry !== null}
        onChange={(checked) => onChange(checked ? everything : null)}
      />
      <FieldError message={errorAt('carry')} />
      {carry === null ? (
        <p className="hint">{whole}</p>
      ) : (
        <>
          <div className={styles.values}>
            <SelectField
              label="Messages"
              value={carry.messages}
              options={messages()}
              onChange={(chosen) => change({ messages: chosen, lastMessages: '' })}
            />
            {carry.messages === 'LAST' && (
              <TextField
                label="How many"
                value={carry.lastMessages}
                error={errorAt('carry.lastMessages')}
                hint="1 to 40. Empty: 10."
                numeric
                onChange={(lastMessages) => change({ lastMessages })}
              />
            )}
          </div>
          <div className={styles.values}>
            <SelectField
              label="Tool calls"
              value={carry.toolCalls}
              options={toolCalls()}
              onChange={(chosen) => change({ toolCalls: chosen })}
            />
            <TextField
              label="Most tokens"
              value={carry.maxTokens}
              error={errorAt('carry.maxTokens')}
              hint="Estimated, at least 200. Empty: no limit."
              numeric
              onChange={(maxTokens) => change({ maxTokens })}
            />
          </div>
          <div className={styles.order}>
            <Check label="Files" checked={carry.files} onChange={(files) => change({ files })} />
            <Check label="Tasks" checked={carry.tasks} onChange={(tasks) => change({ tasks })} />
            <Check label="Decisions" checked={carry.decisions} onChange={(decisions) => change({ decisions })} />
            <Check
              label="All variables"
              checked={carry.allVariables}
              onChange={(allVariables) => change({ allVariables })}
            />
          </div>
          {!carry.allVariables && (
            <TextField
              label="Variables to pass on"
              value={carry.variables}
              rows={2}
              mono
              error={errorAt('carry.variables')}
              hint="One name a line. Empty: none but those of Baton."
              onChange={(variables) => change({ variables })}
            />
          )}
        </>
      )}
    </>
  );
}

function Check({
  label,
  checked,
  onChange,
}: {
  label: string;
  checked: boolean;
  onChange: (checked: boolean) => void;
}) {
  return (
    <label className={styles.check}>
      <input type="checkbox" checked={checked} onChange={({ target }) => onChange(target.checked)} /> {label}
    </label>
  );
}
