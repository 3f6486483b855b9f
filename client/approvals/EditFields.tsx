import { AgentCombobox } from '../agents/AgentCombobox.tsx';
import { AgentOption } from '../agents/AgentSelect.tsx';
import { CarryFields } from '../tools/edit/CarryFields.tsx';
import { TextField } from '../ui/TextField.tsx';
import styles from './Decide.module.css';
import { VariableFields } from './VariableFields.tsx';
import type { EditDraft } from './edits.ts';

interface EditFieldsProps {
  draft: EditDraft;
  onChange: (part: Partial<EditDraft>) => void;
}

/** What a person may change of a proposed handoff. */
export function EditFields({ draft, onChange }: EditFieldsProps) {
  return (
    <>
      <div className="field">
        <span className="label" aria-hidden="true">
          Target
        </span>
        <AgentCombobox
          label="Target"
          value={draft.targetAgentId}
          onChange={(targetAgentId) => onChange({ targetAgentId })}
        >
          {(agent) => <AgentOption agent={agent} />}
        </AgentCombobox>
      </div>
      <TextField
        label="Reason"
        rows={3}
        value={draft.reason}
        error={undefined}
        onChange={(reason) => onChange({ reason })}
      />
      <TextField
        label="Summary"
        rows={4}
        value={draft.summary}
        error={undefined}
        hint="Of the work so far. Empty: composed from the log."
        onChange={(summary) => onChange({ summary })}
      />
      <TextField
        label="Instructions for the target"
        rows={3}
        value={draft.instructions}
        error={undefined}
        hint="In this case only, instead of those of the handoff tool."
        onChange={(instructions) => onChange({ instructions })}
      />
      <VariableFields variables={draft.variables} onChange={(variables) => onChange({ variables })} />
      <fieldset className={styles.carry}>
        <legend className="label">What is passed on</legend>
        <CarryFields
          carry={draft.carry}
          whole="Everything."
          errorAt={() => undefined}
          onChange={(carry) => onChange({ carry })}
        />
      </fieldset>
      <TextField
        label="Note"
        rows={2}
        value={draft.note}
        error={undefined}
        hint="For people, and for the agent that asks. The target’s prompt is without it."
        onChange={(note) => onChange({ note })}
      />
    </>
  );
}
