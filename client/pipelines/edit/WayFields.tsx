import { useEffect, useRef } from 'react';
import type { Condition } from '../../../server/work/pipelines/rules.ts';
import { Icon } from '../../ui/Icon.tsx';
import { SelectField } from '../../ui/SelectField.tsx';
import { FieldError, TextField } from '../../ui/TextField.tsx';
import { opWords } from '../definitions/words.ts';
import styles from './Editor.module.css';
import { moveWay, withWay, type Draft, type WayDraft } from './draft.ts';
import { fromRef, stageOptions, toRef } from './refs.ts';

interface Common {
  draft: Draft;
  errorAt: (place: string) => string | undefined;
  onChange: (draft: Draft) => void;
}

/** The transitions of a stage, in the order in which they are tried. */
export function Ways({ draft, stage, number, errorAt, onChange }: Common & { stage: number; number: number }) {
  const list = useRef<HTMLUListElement>(null);
  const add = useRef<HTMLButtonElement>(null);
  const own = draft.transitions.flatMap((way, index) => (way.from === stage ? [{ way, index }] : []));
  const count = useRef(own.length);
  // A new transition gets the focus; after one was removed, the button that adds them.
  useEffect(() => {
    if (own.length > count.current) list.current?.lastElementChild?.querySelector('input')?.focus();
    if (own.length < count.current) add.current?.focus();
    count.current = own.length;
  }, [own.length]);
  return (
    <div className={styles.inside}>
      <h3>Transitions</h3>
      <ul ref={list} role="list" aria-label={`Transitions of stage ${number}`} className={styles.ways}>
        {own.map(({ way, index }, at) => (
          <li key={way.key}>
            <WayFields
              draft={draft}
              way={way}
              index={index}
              name={`Transition ${at + 1} of stage ${number}`}
              errorAt={errorAt}
              onChange={onChange}
            />
          </li>
        ))}
      </ul>
      <div>
        <button
          ref={add}
          type="button"
          className="button small"
          aria-label={`Add a transition to stage ${number}`}
          onClick={() => onChange(withWay(draft, stage))}
        >
          Add a transition
        </button>
      </div>
    </div>
  );
}

const ops = Object.entries(opWords) as [Condition['op'], string][];

/** One transition: its outcome, its condition, and where it leads. */
export function WayFields({
  draft,
  way,
  index,
  name,
  errorAt,
  onChange,
}: Common & { way: WayDraft; index: number; name: string }) {
  const place = (field: string) => `transitions.${index}.${field}`;
  const change = (part: Partial<WayDraft>) =>
    onChange({
      ...draft,
      transitions: draft.transitions.map((each) => (each.key === way.key ? { ...each, ...part } : each)),
    });
  const isLost = !draft.stages.some(({ key }) => key === way.from);
  return (
    <fieldset className={styles.way} data-place={`transitions.${index}`}>
      <legend className="hidden">{name}</legend>
      <FieldError message={errorAt(`transitions.${index}`)} quiet />
      <div className={styles.line}>
        {isLost && (
          <div data-place={place('from')}>
            <SelectField
              label="From"
              value={fromRef(way.from)}
              options={stageOptions(draft, way.from)}
              error={errorAt(place('from'))}
              onChange={(chosen) => change({ from: toRef(chosen) ?? '' })}
            />
          </div>
        )}
        <div data-place={place('outcome')}>
          <TextField
            label="Outcome"
            value={way.outcome}
            mono
            quiet
            error={errorAt(place('outcome'))}
            onChange={(outcome) => change({ outcome })}
          />
        </div>
        <div data-place={place('to')}>
          <SelectField
            label="Leads to"
            value={fromRef(way.to)}
            options={[['', 'The end'], ...stageOptions(draft, way.to)]}
            error={errorAt(place('to'))}
            onChange={(chosen) => change({ to: toRef(chosen) })}
          />
        </div>
      </div>
      <div data-place={place('when')} className={styles.inside}>
        <label className={styles.check}>
          <input
            type="checkbox"
            checked={way.conditional}
            onChange={({ target }) => change({ conditional: target.checked })}
          />{' '}
          Only under a condition
        </label>
        <FieldError message={errorAt(place('when'))} quiet />
      </div>
      {way.conditional && (
        <div className={styles.line}>
          <div data-place={place('when.variable')}>
            <TextField
              label="Context variable"
              value={way.variable}
              mono
              quiet
              error={errorAt(place('when.variable'))}
              hint="Or payload.name, stages.review.name."
              onChange={(variable) => change({ variable })}
            />
          </div>
          <SelectField label="Comparison" value={way.op} options={ops} onChange={(op) => change({ op })} />
          {way.op !== 'EXISTS' && (
            <div data-place={place('when.value')}>
              <TextField
                label="Value"
                value={way.value}
                mono
                quiet
                error={errorAt(place('when.value'))}
                hint={way.op === 'IN' ? 'A list, such as ["low", "high"].' : 'A number, true, or a text.'}
                onChange={(value) => change({ value })}
              />
            </div>
          )}
        </div>
      )}
      <div data-place={place('approval')} className={styles.inside}>
        <label className={styles.check}>
          <input
            type="checkbox"
            checked={way.isApproved}
            onChange={({ target }) => change({ isApproved: target.checked })}
          />{' '}
          A person approves each handoff
        </label>
        <FieldError message={errorAt(place('approval'))} quiet />
      </div>
      <details className={styles.more}>
        <summary>Payload of its own{way.payloadSchema === '' ? ' (none)' : ''}</summary>
        <div data-place={place('payloadSchema')} className={styles.inside}>
          <TextField
            label="JSON Schema of the payload"
            value={way.payloadSchema}
            rows={4}
            mono
            quiet
            error={errorAt(place('payloadSchema'))}
            hint="Empty: that of the stage."
            onChange={(payloadSchema) => change({ payloadSchema })}
          />
        </div>
      </details>
      <div className={styles.order}>
        <button
          type="button"
          className="button quiet small"
          aria-label={`Move ${name.toLowerCase()} up`}
          onClick={() => onChange(moveWay(draft, way.key, -1))}
        >
          Up
        </button>
        <button
          type="button"
          className="button quiet small"
          aria-label={`Move ${name.toLowerCase()} down`}
          onClick={() => onChange(moveWay(draft, way.key, 1))}
        >
          Down
        </button>
        <button
          type="button"
          className="button quiet small"
          aria-label={`Remove ${name.toLowerCase()}`}
          onClick={() => onChange({ ...draft, transitions: draft.transitions.filter(({ key }) => key !== way.key) })}
        >
          <Icon name="cross" size={12} /> Remove
        </button>
      </div>
    </fieldset>
  );
}
