import { useState } from 'react';
import { useQuery } from 'urql';
import { graphql } from '../../gql/gql.ts';
import { RequestError } from '../../ui/ErrorNote.tsx';
import { Icon } from '../../ui/Icon.tsx';
import { Skeleton } from '../../ui/Skeleton.tsx';
import styles from './ContextPreview.module.css';

const budget = 4_000;

const ContextPreviewQuery = graphql(`
  query ContextPreview($sessionId: ID!, $maxTokens: Int!) {
    contextPreview(sessionId: $sessionId, maxTokens: $maxTokens) {
      text
      tokenEstimate
      redactionCount
      dropped {
        id
      }
    }
  }
`);

/** The content of a handoff created now, loaded on opening. */
export function ContextPreview({ sessionId }: { sessionId: string }) {
  const [open, setOpen] = useState(false);
  return (
    <details className={styles.preview} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        <Icon name="chevron" /> Preview of the context
      </summary>
      {open && <Text sessionId={sessionId} />}
    </details>
  );
}

function Text({ sessionId }: { sessionId: string }) {
  const [{ data, error }] = useQuery({
    query: ContextPreviewQuery,
    variables: { sessionId, maxTokens: budget },
    requestPolicy: 'network-only',
  });
  if (error) return <RequestError error={error} />;
  const preview = data?.contextPreview;
  if (!preview) return <Skeleton height="14rem" />;
  const { text, tokenEstimate, redactionCount, dropped } = preview;
  return (
    <>
      <p className="hint">
        About {tokenEstimate.toLocaleString()} tokens, with a budget of {budget.toLocaleString()}.
        {dropped.length > 0 &&
          ` Left out of this preview, but kept in the handoff: ${dropped.length === 1 ? '1 item' : `${dropped.length} items`}.`}
        {redactionCount > 0 && ` Removed secrets: ${redactionCount}.`} Your reason and summary are added.
      </p>
      <pre className={styles.text} tabIndex={0} aria-label="The context, as text">
        {text}
      </pre>
    </>
  );
}
