import { useId, useRef, useState } from 'react';
import { useQuery } from 'urql';
import { graphql } from '../gql/gql.ts';
import { CopyButton } from '../ui/CopyButton.tsx';
import { Dialog } from '../ui/Dialog.tsx';
import { ErrorNote, RequestError } from '../ui/ErrorNote.tsx';
import { Skeleton } from '../ui/Skeleton.tsx';
import styles from './PromptDialog.module.css';

const PromptQuery = graphql(`
  query Prompt($handoffId: ID!, $maxTokens: Int) {
    handoff(id: $handoffId) {
      id
      contextPrompt(maxTokens: $maxTokens) {
        text
        tokenEstimate
        dropped {
          id
        }
      }
    }
  }
`);

const SessionPromptQuery = graphql(`
  query SessionPrompt($sessionId: ID!, $maxTokens: Int) {
    contextPreview(sessionId: $sessionId, maxTokens: $maxTokens) {
      text
      tokenEstimate
      dropped {
        id
      }
    }
  }
`);

const budgets = [2_000, 8_000, 32_000];

export type PromptOf = { handoffId: string } | { sessionId: string };

/** The prompt of the next agent as text to copy: of an existing handoff, or of one created now. */
export function PromptDialog({ of, onClose }: { of: PromptOf; onClose: () => void }) {
  const [budget, setBudget] = useState<number | null>(8_000);
  const ofHandoff = 'handoffId' in of;
  const [made] = useQuery({
    query: PromptQuery,
    variables: { handoffId: ofHandoff ? of.handoffId : '', maxTokens: budget },
    pause: !ofHandoff,
  });
  const [preview] = useQuery({
    query: SessionPromptQuery,
    variables: { sessionId: ofHandoff ? '' : of.sessionId, maxTokens: budget },
    pause: ofHandoff,
    requestPolicy: 'network-only',
  });
  const text = useRef<HTMLPreElement>(null);
  const field = useId();
  const { error, fetching } = ofHandoff ? made : preview;
  const prompt = ofHandoff ? made.data?.handoff?.contextPrompt : preview.data?.contextPreview;
  const select = () => text.current && getSelection()?.selectAllChildren(text.current);
  return (
    <Dialog
      title={ofHandoff ? 'Context prompt of this handoff' : 'Context prompt, as of now'}
      onClose={onClose}
      wide
      footer={
        prompt && (
          <CopyButton
            text={prompt.text}
            primary
            onRefused={select}
          >{`Copy about ${prompt.tokenEstimate.toLocaleString()} tokens`}</CopyButton>
        )
      }
    >
      <div className={styles.prompt}>
        <div className={styles.budget}>
          <label htmlFor={field} className="label">
            Budget
          </label>
          <select
            id={field}
            className="select"
            value={budget ?? ''}
            onChange={(event) => setBudget(event.target.value === '' ? null : Number(event.target.value))}
          >
            {budgets.map((tokens) => (
              <option key={tokens} value={tokens}>
                {tokens.toLocaleString()} tokens
              </option>
            ))}
            <option value="">No limit</option>
          </select>
          <span className="hint" role="status">
            {prompt &&
              (prompt.dropped.length > 0
                ? `Left out to stay within the budget: ${prompt.dropped.length === 1 ? '1 item' : `${prompt.dropped.length} items`}.`
                : 'Nothing is left out.')}
          </span>
        </div>
        {error && <RequestError error={error} />}
        {!error && !prompt && !fetching && <ErrorNote title="There is no such session or handoff" />}
        {prompt ? (
          <pre ref={text} className={styles.text} tabIndex={0} aria-label="Context prompt">
            {prompt.text}
          </pre>
        ) : (
          !error && <Skeleton height="50vh" />
        )}
      </div>
    </Dialog>
  );
}
