import { useDeferredValue, useEffect, useMemo, useRef, useState, type FormEvent } from 'react';
import { useClient, useMutation, type CombinedError } from 'urql';
import { Link, useLocation } from 'wouter';
import type { NamedDefinition } from '../../../server/work/pipelines/rules.ts';
import { graphql } from '../../gql/gql.ts';
import { readFragment } from '../../gql/index.ts';
import { ErrorNote, RequestError } from '../../ui/ErrorNote.tsx';
import { PipelineDrawing } from '../PipelineDrawing.tsx';
import { Difference } from '../definitions/Difference.tsx';
import { areEqual } from '../definitions/difference.ts';
import { definitionOf, PipelineQuery, SavedPipelineFragment } from '../definitions/savedPipeline.ts';
import styles from './Editor.module.css';
import { Fields } from './Fields.tsx';
import { JsonView } from './JsonView.tsx';
import { Problems } from './Problems.tsx';
import { draftOf, drawnOf, emptyDraft, faultsOf, read, type Draft } from './draft.ts';
import { faultOfJson, readJson, writeJson } from './json.ts';
import { useKept } from '../../app/kept.ts';
import { focusPlace, placeOf, problemOf, type Problem } from './places.ts';

const DefinePipelineMutation = graphql(`
  mutation DefinePipeline($input: DefinePipelineInput!) {
    definePipeline(input: $input) {
      __typename
      ... on DefinePipelinePayload {
        pipeline {
          id
          ...SavedPipeline
        }
      }
      ... on BadUserInputError {
        path
      }
      ... on Error {
        message
      }
    }
  }
`);

/** The newest version. */
export interface Present {
  definition: NamedDefinition;
  version: number;
  isArchived: boolean;
}

interface Kept {
  draft: Draft;
  /** The version that the draft began with; 0 for a new pipeline. */
  from: number;
  /** Text of the JSON view that cannot be read, so that it is not in the draft. */
  json: string | null;
}

/** Edits a new pipeline or the next version of one: fields or JSON, with the drawing, the problems and the difference. */
export function Editor({ base }: { base: Present | null }) {
  const client = useClient();
  const [, navigate] = useLocation();
  const slug = base?.definition.slug ?? null;
  const { value, change, isChanged, wasKept, drop } = useKept<Kept>(`pipeline.${slug ?? '_new'}`, {
    draft: base === null ? emptyDraft : draftOf(base.definition),
    from: base?.version ?? 0,
    json: null,
  });
  const { draft, from } = value;
  // The newest version, as it was when the definition was saved.
  const [found, setFound] = useState<Present | null>(null);
  const [isStrict, setStrict] = useState(false);
  const [refusal, setRefusal] = useState<Problem | null>(null);
  const [failure, setFailure] = useState<CombinedError | null>(null);
  const [{ fetching }, define] = useMutation(DefinePipelineMutation);
  // Null while the form is shown.
  const [json, setJson] = useState(value.json);
  const form = useRef<HTMLFormElement>(null);

  const { definition, unread } = useMemo(() => read(draft), [draft]);
  // A large definition takes longer to draw and to compare than a key to press.
  const later = useDeferredValue(draft);
  const preview = useMemo(() => ({ drawn: drawnOf(later), definition: read(later).definition }), [later]);
  const jsonFault = useMemo(() => (json === null ? undefined : faultOfJson(json, slug)), [json, slug]);
  // Text that is no definition is in no draft: it comes first.
  const problems = useMemo(
    () =>
      jsonFault === undefined
        ? faultsOf(draft).map((fault) => problemOf(fault, draft))
        : [{ place: 'json', text: jsonFault, isMissing: false }],
    [draft, jsonFault],
  );
  const present = found?.definition.slug === definition.slug ? found : base;
  const hasMoved = present !== null && present.version !== from;
  const isEqual =
    present !== null && !present.isArchived && unread.length === 0 && areEqual(definition, present.definition);
  const version = (present?.version ?? 0) + 1;

  const setDraft = (next: Draft) => {
    change((now) => ({ ...now, draft: next, json: null }));
    setRefusal(null);
  };
  const typeJson = (text: string) => {
    setJson(text);
    const answer = readJson(text, slug);
    if ('definition' in answer) setDraft(draftOf(answer.definition));
    else change((now) => ({ ...now, json: text }));
  };
  const discard = () => {
    drop();
    setJson(null);
    setRefusal(null);
  };
  const errorAt = (place: string): string | undefined =>
    refusal?.place === place
      ? refusal.text
      : problems.find((problem) => problem.place === place && (isStrict || !problem.isMissing))?.text;

  // The field exists in the form only after the render.
  const [focus, setFocus] = useState<{ place: string } | null>(null);
  useEffect(() => {
    if (focus !== null && form.current) focusPlace(form.current, focus.place);
  }, [focus]);
  const goTo = (place: string) => {
    setStrict(true);
    if (place !== 'json') setJson(null);
    setFocus({ place });
  };

  const save = async () => {
    if (fetching) return;
    setStrict(true);
    setFailure(null);
    if (problems[0]) return goTo(problems[0].place);
    // Somebody else may have defined a version meanwhile: the difference to it is shown before anything is written.
    const { data, error } = await client.query(
      PipelineQuery,
      { slug: definition.slug, version: null },
      { requestPolicy: 'network-only' },
    );
    if (error) return setFailure(error);
    const newest = data?.pipeline ? readFragment(SavedPipelineFragment, data.pipeline) : null;
    if (newest !== null && newest.version !== from) {
      setFound({ definition: definitionOf(newest), version: newest.version, isArchived: newest.archivedAt != null });
      if (present?.version !== newest.version) return;
    }
    const result = await define({ input: definition });
    const answer = result.data?.definePipeline;
    setFailure(result.error ?? null);
    if (answer?.__typename === 'DefinePipelinePayload') {
      drop();
      navigate(`/pipelines/${definition.slug}`);
    } else if (answer) {
      const path =
        answer.__typename === 'BadUserInputError'
          ? answer.path.slice(1).map((part) => (/^\d+$/.test(part) ? Number(part) : part))
          : [];
      const place = placeOf(path, draft);
      setRefusal({ place, text: answer.message.replace(/^input\./, ''), isMissing: false });
      setJson(null);
      setFocus({ place });
    }
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void save();
  };

  return (
    <form ref={form} className={styles.form} onSubmit={submit} noValidate>
      <div className={styles.fields}>
        {wasKept && (
          <div className={styles.note} role="status">
            <span>Your unsaved changes are back.</span>
            <button type="button" className="button small" onClick={discard}>
              Discard them
            </button>
          </div>
        )}
        {hasMoved && (
          <div className={styles.note} role="alert">
            {base === null
              ? `There is a pipeline '${definition.slug}' already. Choose another slug, or save again to make this its version ${version}.`
              : `Version ${present.version} was defined after these changes began. The difference below is to it. Save again to define version ${version}.`}
          </div>
        )}
        {present?.isArchived && (
          <div className={styles.note}>This pipeline is archived. Saving puts it into use again.</div>
        )}
        {failure && <RequestError error={failure} onRetry={() => void save()} />}
        {refusal?.place === '' && <ErrorNote title="The definition was not saved">{refusal.text}</ErrorNote>}
        <JsonView
          text={json}
          fault={jsonFault}
          isReadable={unread.length === 0}
          onType={typeJson}
          onOpen={() => {
            setJson(writeJson(definition));
            change((now) => ({ ...now, json: null }));
          }}
          onClose={() => setJson(null)}
        />
        {json === null && <Fields draft={draft} hasSlug={slug !== null} errorAt={errorAt} onChange={setDraft} />}
        <div className={styles.buttons}>
          <button type="submit" className="button primary" aria-disabled={fetching || isEqual}>
            {fetching ? 'Saving …' : version === 1 ? 'Define the pipeline' : `Define version ${version}`}
          </button>
          <Link href={slug === null ? '/pipelines' : `/pipelines/${slug}`} className="button">
            {isChanged ? 'Leave (the changes stay in this tab)' : 'Cancel'}
          </Link>
          {isChanged && !wasKept && (
            <button type="button" className="button quiet" onClick={discard}>
              Discard the changes
            </button>
          )}
        </div>
      </div>
      <div className={styles.side} tabIndex={0} role="region" aria-label="Preview">
        <section className={`card ${styles.part}`} aria-label="Drawing">
          <PipelineDrawing definition={preview.drawn} label="The pipeline as it is typed" />
        </section>
        <Problems problems={problems} isEqual={isEqual} onChoose={goTo} />
        <section className={`card ${styles.part}`} aria-labelledby="difference">
          <h2 id="difference">
            {present === null ? 'What is defined' : `What changes since version ${present.version}`}
          </h2>
          <Difference before={present?.definition ?? null} after={preview.definition} equal="Nothing yet." />
        </section>
      </div>
    </form>
  );
}
