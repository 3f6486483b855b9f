import { useEffect, useRef, type FormEvent, type ReactNode } from 'react';
import { functionOf, formats } from '../../../server/work/tools/define.ts';
import type { ToolVariable } from '../../../server/work/tools/tool.ts';
import { AgentCombobox } from '../../agents/AgentCombobox.tsx';
import { AgentOption } from '../../agents/AgentSelect.tsx';
import { ErrorNote } from '../../ui/ErrorNote.tsx';
import { Icon } from '../../ui/Icon.tsx';
import { FieldError, TextField } from '../../ui/TextField.tsx';
import { Definition } from '../Definition.tsx';
import { CarryFields } from './CarryFields.tsx';
import styles from './ToolForm.module.css';
import { VariableFields } from './VariableFields.tsx';
import { placeOf, toFields, type Draft, type Refusal } from './draft.ts';

export interface ToolFormProps {
  draft: Draft;
  onChange: (part: Partial<Draft>) => void;
  refusal: Refusal | null;
  /** Errors of the request. */
  notice: ReactNode;
  onSubmit: () => void;
  buttons: ReactNode;
}

/** A tool's fields, with the definition that a model would get. */
export function ToolForm({ draft, onChange, refusal, notice, onSubmit, buttons }: ToolFormProps) {
  const place = refusal === null ? null : placeOf(refusal, draft);
  const errorAt = (name: string): string | undefined => (place === name ? refusal?.message : undefined);
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => {
    if (refusal !== null)
      form.current?.querySelector<HTMLElement>('[aria-invalid=true], [data-invalid=true] input')?.focus();
  }, [refusal]);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onSubmit();
  };
  return (
    <form ref={form} className={styles.form} onSubmit={submit} noValidate>
      <div className={styles.fields}>
        {notice}
        {place === '' && <ErrorNote title="The tool was not saved">{refusal?.message}</ErrorNote>}
        <section className={`card ${styles.part}`} aria-label="The tool">
          <TextField
            label="Name"
            value={draft.name}
            mono
            error={errorAt('name')}
            hint="What the model calls: letters, digits, _ and -, such as ask_for_review."
            onChange={(name) => onChange({ name })}
          />
          <TextField
            label="Description"
            value={draft.description}
            rows={3}
            error={errorAt('description')}
            hint="Says to the model when to call it."
            onChange={(description) => onChange({ description })}
          />
          <div className="field" data-invalid={place === 'targetAgentId'}>
            <span className="label" aria-hidden="true">
              Hands off to
            </span>
            <AgentCombobox
              label="Hands off to"
              placeholder="Choose an agent"
              value={draft.targetAgentId}
              onChange={(targetAgentId) => onChange({ targetAgentId })}
            >
              {(agent) => <AgentOption agent={agent} />}
            </AgentCombobox>
            <FieldError message={errorAt('targetAgentId')} />
          </div>
          <AgentList draft={draft} error={errorAt('agentIds')} onChange={(agentIds) => onChange({ agentIds })} />
          <TextField
            label="Instructions for the target"
            value={draft.instructions}
            rows={3}
            error={errorAt('instructions')}
            hint="Optional. The target reads them as _handoff_instructions."
            onChange={(instructions) => onChange({ instructions })}
          />
          <label className={styles.check}>
            <input
              type="checkbox"
              checked={draft.approval === 'REQUIRED'}
              onChange={({ target }) => onChange({ approval: target.checked ? 'REQUIRED' : 'NONE' })}
            />{' '}
            A person approves each handoff
          </label>
        </section>
        <section className={`card ${styles.part}`} aria-labelledby="carry">
          <h2 id="carry">What is passed on</h2>
          <CarryFields
            carry={draft.carry}
            whole="What the collaboration with the target says, else everything."
            errorAt={errorAt}
            onChange={(carry) => onChange({ carry })}
          />
        </section>
        <VariableFields
          variables={draft.variables}
          errorAt={errorAt}
          onChange={(variables) => onChange({ variables })}
        />
        <div className={styles.buttons}>{buttons}</div>
      </div>
      <section className={`card ${styles.part} ${styles.preview}`} aria-labelledby="preview">
        <h2 id="preview">What the model gets</h2>
        <Preview draft={draft} />
      </section>
    </form>
  );
}

function Preview({ draft }: { draft: Draft }) {
  const { approval } = draft;
  const { name, description, variables } = toFields(draft);
  const tool = functionOf({ name, description, approval, variables: variables as ToolVariable[], generated: false });
  return <Definition of={(format) => formats[format](tool)} />;
}

/** The agents to which the tool is offered. */
function AgentList({
  draft: { agentIds, targetAgentId },
  error,
  onChange,
}: {
  draft: Draft;
  error: string | undefined;
  onChange: (agentIds: string[]) => void;
}) {
  const box = useRef<HTMLDivElement>(null);
  const count = useRef(agentIds.length);
  // The field begins anew with each agent: it keeps the focus.
  useEffect(() => {
    if (agentIds.length !== count.current) box.current?.querySelector('input')?.focus();
    count.current = agentIds.length;
  }, [agentIds.length]);
  return (
    <div className="field" data-invalid={error !== undefined}>
      <span className="label" aria-hidden="true">
        Offered to
      </span>
      {agentIds.length > 0 && (
        <ul role="list" className={styles.agents} aria-label="Offered to">
          {agentIds.map((id) => (
            <li key={id}>
              <span className={styles.agent}>{id}</span>
              <button
                type="button"
                className="button quiet small"
                aria-label={`Take ${id} away`}
                onClick={() => onChange(agentIds.filter((other) => other !== id))}
              >
                <Icon name="cross" size={12} />
              </button>
            </li>
          ))}
        </ul>
      )}
      <div ref={box}>
        <AgentCombobox
          key={agentIds.join()}
          label="Offer it to another agent"
          value=""
          placeholder="Add an agent"
          onChange={(id) => id !== '' && onChange([...agentIds, id])}
          obstacleOf={({ id }) => (id === targetAgentId ? 'the target' : agentIds.includes(id) ? 'has it' : null)}
        >
          {(agent) => (
            <AgentOption
              agent={agent}
              note={agent.id === targetAgentId ? 'the target' : agentIds.includes(agent.id) ? 'has it' : undefined}
            />
          )}
        </AgentCombobox>
      </div>
      <FieldError message={error} />
    </div>
  );
}
