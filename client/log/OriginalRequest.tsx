import { graphql } from '../gql/gql.ts';
import { readFragment, type FragmentType } from '../gql/index.ts';
import { Icon } from '../ui/Icon.tsx';
import { MarkdownText } from './MarkdownText.tsx';
import styles from './OriginalRequest.module.css';

export const OriginalRequestFragment = graphql(`
  fragment OriginalRequest on Message {
    id
    sequence
    role
    kind
    content
  }
`);

/** The first words of a person, above the conversation wherever the reader is. */
export function OriginalRequest({
  messages: masked,
  onJump,
}: {
  messages: readonly FragmentType<typeof OriginalRequestFragment>[];
  onJump: (message: number) => void;
}) {
  const request = readFragment(OriginalRequestFragment, masked).findLast(
    ({ role, kind }) => role === 'USER' && kind === 'TEXT',
  );
  if (request === undefined) return null;
  return (
    <details className={styles.request}>
      <summary>
        <Icon name="user" size={14} />
        <strong>Request</strong>
        <span className={styles.words}>{request.content.slice(0, 300)}</span>
      </summary>
      <div className={styles.whole} tabIndex={0} role="region" aria-label="The original request">
        <MarkdownText text={request.content} />
        <button type="button" className="button small" onClick={() => onJump(request.sequence)}>
          Go to message {request.sequence}
        </button>
      </div>
    </details>
  );
}
