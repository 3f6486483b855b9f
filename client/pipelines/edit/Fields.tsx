import { useEffect, useRef } from 'react';
import { Icon } from '../../ui/Icon.tsx';
import { SelectField } from '../../ui/SelectField.tsx';
import { FieldError, TextField } from '../../ui/TextField.tsx';
import { withStage, withoutStage, type Draft, type StageDraft } from './draft.ts';
import styles from './Editor.module.css';
import { fromRef, stageOptions, toRef } from './refs.ts';
import { StageFields } from './StageFields.tsx';
import { WayFields, Ways } from './WayFields.tsx';

interface FieldsProps {
  draft: Draft;
  /** A further version keeps its slug. */
  hasSlug: boolean;
  errorAt: (place: string) => string | undefined;
  onChange: (draft: Draft) => void;
}

/** The form of a definition: the pipeline, its stages, and the transitions of each stage. */
export function Fields({ draft, hasSlug, errorAt, onChange }: FieldsProps) {
  const list = useRef<HTMLOListElement>(null);
  const add = useRef<HTMLButtonElement>(null);
  const count = useRef(draft.stages.length);
  // A new stage gets the focus; after one was removed, the button that adds them.
  useEffect(() => {
    if (draft.stages.length > count.current) list.current?.lastElementChild?.querySelector('input')?.focus();
    if (draft.stages.length < count.current) add.current?.focus();
    count.current = draft.stages.length;
  }, [draft.stages.length]);
  const { stages } = draft;
  const change = (key: number, part: Partial<StageDraft>) =>
    onChange({ ...draft, stages: stages.map((stage) => (stage.key === key ? { ...stage, ...part } : stage)) });
  const move = (from: number, to: number) =>
    onChange({ ...draft, stages: stages.toSpliced(from, 1).toSpliced(to, 0, stages[from]!) });
  const lost = draft.transitions.flatMap((way, index) =>
    typeof way.from === 'string' || !stages.some(({ key }) => key === way.from) ? [{ way, index }] : [],
  );
  return (
    <>
      <section className={`card ${styles.part}`} aria-label="The pipeline">
        {!hasSlug && (
          <div data-place="slug">
            <TextField
              label="Slug"
              value={draft.slug}
              mono
              quiet
              error={errorAt('slug')}
              hint="Name for programs, such as release-notes. It cannot be changed later."
              onChange={(slug) => onChange({ ...draft, slug })}
            />
          </div>
        )}
        <div data-place="name">
          <TextField
            label="Name"
            value={draft.name}
            quiet
            error={errorAt('name')}
            onChange={(name) => onChange({ ...draft, name })}
          />
        </div>
        <div data-place="description">
          <TextField
            label="Description"
            value={draft.description}
            rows={2}
            quiet
            error={errorAt('description')}
            onChange={(description) => onChange({ ...draft, description })}
          />
        </div>
        <div data-place="start">
          <SelectField
            label="First stage"
            value={fromRef(draft.start)}
            options={stageOptions(draft, draft.start)}
            error={errorAt('start')}
            onChange={(chosen) => onChange({ ...draft, start: toRef(chosen) ?? '' })}
          />
        </div>
      </section>
      <FieldError message={errorAt('stages')} quiet />
      <ol ref={list} role="list" aria-label="Stages" className={styles.stages} data-place="stages">
        {stages.map((stage, index) => (
          <li key={stage.key}>
            <fieldset className={`card ${styles.part}`} data-place={`stages.${index}`}>
              <legend className="hidden">{`Stage ${index + 1}`}</legend>
              <StageFields stage={stage} index={index} errorAt={errorAt} onChange={(part) => change(stage.key, part)} />
              <Ways draft={draft} stage={stage.key} number={index + 1} errorAt={errorAt} onChange={onChange} />
              <div className={styles.order}>
                <button
                  type="button"
                  className="button quiet small"
                  aria-label={`Move stage ${index + 1} up`}
                  aria-disabled={index === 0}
                  onClick={() => index > 0 && move(index, index - 1)}
                >
                  Up
                </button>
                <button
                  type="button"
                  className="button quiet small"
                  aria-label={`Move stage ${index + 1} down`}
                  aria-disabled={index === stages.length - 1}
                  onClick={() => index < stages.length - 1 && move(index, index + 1)}
                >
                  Down
                </button>
                <button
                  type="button"
                  className="button quiet small"
                  aria-label={`Remove stage ${index + 1}`}
                  onClick={() => onChange(withoutStage(draft, stage.key))}
                >
                  <Icon name="cross" size={12} /> Remove stage
                </button>
              </div>
            </fieldset>
          </li>
        ))}
      </ol>
      <div>
        <button ref={add} type="button" className="button" onClick={() => onChange(withStage(draft))}>
          Add a stage
        </button>
      </div>
      {lost.length > 0 && (
        <section className={`card ${styles.part}`} aria-labelledby="lost">
          <h2 id="lost">Transitions from unknown stages</h2>
          <ul role="list" className={styles.ways}>
            {lost.map(({ way, index }) => (
              <li key={way.key}>
                <WayFields
                  draft={draft}
                  way={way}
                  index={index}
                  name={`Transition ${index + 1}`}
                  errorAt={errorAt}
                  onChange={onChange}
                />
              </li>
            ))}
          </ul>
        </section>
      )}
    </>
  );
}
