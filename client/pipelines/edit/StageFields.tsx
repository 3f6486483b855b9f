import { AgentCombobox } from '../../agents/AgentCombobox.tsx';
import { AgentOption } from '../../agents/AgentSelect.tsx';
import { SelectField } from '../../ui/SelectField.tsx';
import { FieldError, TextField } from '../../ui/TextField.tsx';
import type { Escalation, StageDraft } from './draft.ts';
import styles from './Editor.module.css';

const escalations: [Escalation, string][] = [
  ['BACK', 'Back to the stage before'],
  ['AGENT', 'To an agent'],
  ['ROLE', 'To agents with a role'],
  ['OPERATORS', 'An operator chooses the agent'],
];

interface StageFieldsProps {
  stage: StageDraft;
  index: number;
  errorAt: (place: string) => string | undefined;
  onChange: (part: Partial<StageDraft>) => void;
}

/** The fields of a stage; those that many stages do not need are folded. */
export function StageFields({ stage, index, errorAt, onChange }: StageFieldsProps) {
  const place = (field: string) => `stages.${index}.${field}`;
  const text = (
    field:
      | 'name'
      | 'role'
      | 'agentType'
      | 'phase'
      | 'acceptWithinMinutes'
      | 'remindAfterMinutes'
      | 'instructions'
      | 'payloadSchema',
    label: string,
    more: { hint?: string; rows?: number; mono?: boolean; numeric?: boolean } = {},
  ) => (
    <div data-place={place(field)}>
      <TextField
        label={label}
        value={stage[field]}
        quiet
        error={errorAt(place(field))}
        onChange={(value) => onChange({ [field]: value })}
        {...more}
      />
    </div>
  );
  const isFilled =
    [stage.acceptWithinMinutes, stage.remindAfterMinutes, stage.instructions, stage.payloadSchema].some(
      (value) => value !== '',
    ) || stage.escalate !== 'BACK';
  return (
    <>
      <FieldError message={errorAt(`stages.${index}`)} quiet />
      <div className={styles.line}>
        {text('name', 'Stage')}
        {text('role', 'Role of its agents', { hint: 'Empty: any.' })}
        {text('agentType', 'Type of its agents', { hint: 'Such as CLAUDE. Empty: any.' })}
        {text('phase', 'Phase', { hint: 'For people. Stages may share one.' })}
      </div>
      <details className={styles.more}>
        <summary>Instructions, deadlines, payload{isFilled ? '' : ' (none)'}</summary>
        <div className={styles.inside}>
          {text('instructions', 'Instructions', { rows: 4, hint: 'The agent reads them with the handoff.' })}
          <div className={styles.line}>
            {text('acceptWithinMinutes', 'Accept within minutes', {
              numeric: true,
              hint: "Empty: the server's default.",
            })}
            {text('remindAfterMinutes', 'Remind after minutes', { numeric: true, hint: 'Empty: no reminder.' })}
          </div>
          <div data-place={place('escalateTo')} className={styles.line}>
            <SelectField
              label="When no agent accepts"
              value={stage.escalate}
              options={escalations}
              onChange={(escalate) => onChange({ escalate, escalateTo: '' })}
            />
            {stage.escalate === 'ROLE' && (
              <TextField
                label="Escalation role"
                value={stage.escalateTo}
                quiet
                error={errorAt(place('escalateTo'))}
                onChange={(escalateTo) => onChange({ escalateTo })}
              />
            )}
            {stage.escalate === 'AGENT' && (
              <div className="field">
                <span className="label" aria-hidden="true">
                  Escalation agent
                </span>
                <AgentCombobox
                  label="Escalation agent"
                  placeholder="Choose an agent"
                  value={stage.escalateTo}
                  onChange={(escalateTo) => onChange({ escalateTo })}
                >
                  {(agent) => <AgentOption agent={agent} />}
                </AgentCombobox>
                <FieldError message={errorAt(place('escalateTo'))} quiet />
              </div>
            )}
          </div>
          {text('payloadSchema', 'JSON Schema of the payload', {
            rows: 4,
            mono: true,
            hint: 'Of what the stage is left with. Empty: any payload.',
          })}
        </div>
      </details>
    </>
  );
}
