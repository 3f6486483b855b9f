import { useState, type ReactNode } from 'react';
import { useQuery } from 'urql';
import { Link } from 'wouter';
import { DownloadButton } from '../../access/DownloadButton.tsx';
import { useMay } from '../../access/viewer.ts';
import { Page } from '../../app/Page.tsx';
import { graphql } from '../../gql/gql.ts';
import type { HandoffPageQuery } from '../../gql/graphql.ts';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { RequestError } from '../../ui/ErrorNote.tsx';
import { usePageActions } from '../../palette/actions.ts';
import { copyAct, CopyId } from '../../ui/CopyId.tsx';
import { Icon } from '../../ui/Icon.tsx';
import { Skeleton } from '../../ui/Skeleton.tsx';
import { endpoints } from '../../urql.ts';
import { HandoffActions } from '../decide/HandoffActions.tsx';
import { HandoffFacts } from './HandoffFacts.tsx';
import styles from './HandoffPage.module.css';
import { HandoffPayload } from './HandoffPayload.tsx';
import { PromptDialog } from '../PromptDialog.tsx';

const HandoffPageDocument = graphql(`
  query HandoffPage($id: ID!) {
    handoff(id: $id) {
      id
      status
      depth
      session {
        id
        title
      }
      sourceAgent {
        id
      }
      targetAgent {
        id
      }
      previous {
        id
      }
      next {
        id
      }
      ...HandoffActions
      ...HandoffFacts
      ...HandoffPayload
    }
  }
`);

/** One handoff with its facts and content. */
export default function HandoffPage({ id }: { id: string }) {
  const [{ data, error }, ask] = useQuery({
    query: HandoffPageDocument,
    variables: { id },
    requestPolicy: 'cache-and-network',
  });
  const failure = error && <RequestError error={error} onRetry={() => ask({ requestPolicy: 'network-only' })} />;
  if (data?.handoff) return <Known handoff={data.handoff} failure={failure} />;
  return (
    <Page title="Handoff">
      {failure}
      {data && (
        <EmptyState icon="swap" title="There is no such handoff.">
          Its address may be mistyped, or your key may not read it.
        </EmptyState>
      )}
      {!data && !error && <Skeleton height="30rem" />}
    </Page>
  );
}

function Known({ handoff, failure }: { handoff: NonNullable<HandoffPageQuery['handoff']>; failure: ReactNode }) {
  const [prompting, setPrompting] = useState(false);
  const decides = useMay('reassign');
  const { id, depth, session, sourceAgent, targetAgent, previous, next } = handoff;
  usePageActions([
    { word: 'Context prompt of this handoff …', icon: 'copy', run: () => setPrompting(true) },
    copyAct(id, 'handoff'),
  ]);
  return (
    <Page
      title={`${sourceAgent?.id ?? 'Unassigned'} to ${targetAgent.id}`}
      intro={
        <>
          Handoff {depth} of <Link href={`/sessions/${session.id}`}>{session.title}</Link>{' '}
          <CopyId id={id} noun="handoff" />
        </>
      }
      actions={
        <>
          <nav className={styles.steps} aria-label="Handoffs of this session">
            <Step to={previous?.id} word="Previous" flip />
            <Step to={next?.id} word="Next" />
          </nav>
          <button type="button" className="button small" onClick={() => setPrompting(true)}>
            <Icon name="copy" size={14} /> Context prompt
          </button>
          <DownloadButton path={endpoints.handoffMarkdown(id)} label="this handoff as Markdown">
            Markdown
          </DownloadButton>
          <DownloadButton path={endpoints.handoffJson(id)} label="this handoff as JSON">
            JSON
          </DownloadButton>
        </>
      }
    >
      {failure}
      <section className={`card ${styles.facts}`} aria-label="Route and outcome">
        <HandoffFacts handoff={handoff} />
        <HandoffActions handoff={handoff} />
        {handoff.status === 'PROPOSED' && decides && (
          <Link href={`/decide/${session.id}`} className="button small primary">
            <Icon name="bulb" size={14} /> Decide
          </Link>
        )}
      </section>
      <section className={`card ${styles.payload}`} aria-labelledby="payload">
        <h2 id="payload">Context</h2>
        <HandoffPayload handoff={handoff} />
      </section>
      {prompting && <PromptDialog of={{ handoffId: id }} onClose={() => setPrompting(false)} />}
    </Page>
  );
}

function Step({ to, word, flip = false }: { to: string | undefined; word: string; flip?: boolean }) {
  if (to === undefined) return null;
  return (
    <Link href={`/handoffs/${to}`} className="button quiet small">
      {flip && <Icon name="left" size={14} />}
      {word}
      {!flip && <Icon name="arrow" size={14} />}
    </Link>
  );
}
