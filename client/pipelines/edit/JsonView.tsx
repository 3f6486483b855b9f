import { useId } from 'react';
import { FieldError } from '../../ui/TextField.tsx';
import segments from '../../ui/Segments.module.css';
import styles from './Editor.module.css';

interface JsonViewProps {
  /** Null while the form is shown. */
  text: string | null;
  /** Why the text is no definition. */
  fault: string | undefined;
  /** Whether all fields of the form can be read. */
  isReadable: boolean;
  onType: (text: string) => void;
  /** Writes the draft as JSON. */
  onOpen: () => void;
  onClose: () => void;
}

/** Switches between the form and the definition as JSON. Text that is no definition has to be repaired or given up first. */
export function JsonView({ text, fault, isReadable, onType, onOpen, onClose }: JsonViewProps) {
  const id = useId();
  return (
    <>
      <div className={`${segments.segments} ${styles.views}`} role="group" aria-label="View">
        <button
          type="button"
          aria-pressed={text === null}
          aria-disabled={fault !== undefined}
          aria-describedby={fault === undefined ? undefined : `${id}-fault`}
          onClick={() => fault === undefined && onClose()}
        >
          Form
        </button>
        <button
          type="button"
          aria-pressed={text !== null}
          aria-disabled={!isReadable}
          title={isReadable ? undefined : 'Solve first what cannot be read in the form.'}
          onClick={() => isReadable && text === null && onOpen()}
        >
          JSON
        </button>
      </div>
      {text !== null && (
        <section className={`card ${styles.part}`} aria-label="JSON" data-place="json">
          <div className="field">
            <label htmlFor={id}>Definition</label>
            <textarea
              id={id}
              className={`textarea mono ${styles.json}`}
              rows={28}
              spellCheck={false}
              value={text}
              aria-invalid={fault !== undefined}
              aria-describedby={`${id}-hint${fault === undefined ? '' : ` ${id}-fault`}`}
              onChange={({ target }) => onType(target.value)}
            />
            <span className="hint" id={`${id}-hint`}>
              As definePipeline takes it. Paste a definition here.
            </span>
            <FieldError id={`${id}-fault`} message={fault} quiet />
          </div>
          {fault !== undefined && (
            <div>
              <button type="button" className="button" onClick={onOpen}>
                Go back to the last text that could be read
              </button>
            </div>
          )}
        </section>
      )}
    </>
  );
}
