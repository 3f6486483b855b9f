import { AgentChip } from '../agents/AgentChip.tsx';
import { graphql } from '../gql/gql.ts';
import { readFragment, type FragmentType } from '../gql/index.ts';
import type { MessageKind, MessageRole } from '../gql/graphql.ts';
import { Fold } from '../ui/Fold.tsx';
import { Icon, type IconName } from '../ui/Icon.tsx';
import { Time } from '../ui/Time.tsx';
import styles from './LogEntry.module.css';
import { kindWords, roleWords } from './looks.ts';
import { MarkdownText } from './MarkdownText.tsx';
import { NumberLink } from './NumberLink.tsx';

export const LogEntryFragment = graphql(`
  fragment LogEntry on Message {
    id
    sequence
    role
    kind
    content
    createdAt
    agentSession {
      id
      agent {
        id
        ...AgentChip
      }
    }
  }
`);

const icons: Record<MessageRole, IconName> = {
  USER: 'user',
  ASSISTANT: 'bot',
  SYSTEM: 'info',
  TOOL: 'tool',
  HANDOFF: 'arrow',
};
const kindIcons: Record<MessageKind, IconName | null> = {
  TEXT: null,
  ERROR: 'alert',
  STATUS: 'info',
  SKILL: 'bulb',
  SUBTASK: 'task',
};

/** One message: its author, time, kind and recorded text. */
export function LogEntry({
  message: masked,
  isTarget = false,
}: {
  message: FragmentType<typeof LogEntryFragment>;
  isTarget?: boolean;
}) {
  const { role, kind, sequence, content, createdAt, agentSession } = readFragment(LogEntryFragment, masked);
  const agent = role === 'ASSISTANT' ? agentSession?.agent : undefined;
  // What a person or an agent says is Markdown; the rest are texts of programs, which are no one's words.
  const isProse = (role === 'USER' || role === 'ASSISTANT' || kind === 'SUBTASK') && kind !== 'ERROR';
  return (
    <article className={styles.message} data-role={role} data-kind={kind} aria-label={`Message ${sequence}`}>
      <header className={styles.head}>
        <span className={styles.by}>
          {agent ? (
            <AgentChip agent={agent} plain />
          ) : (
            <span className={styles.who}>
              <span className={styles.mark}>
                <Icon name={icons[role]} size={14} />
              </span>
              {roleWords[role]}
            </span>
          )}
          {kindIcons[kind] && (
            <span className={styles.kind}>
              <Icon name={kindIcons[kind]} size={12} /> {kindWords[kind]}
            </span>
          )}
        </span>
        <span className={styles.when}>
          <Time at={createdAt} />
          <NumberLink number={sequence} />
        </span>
      </header>
      {isProse ? (
        <Fold text={content} isOpen={isTarget} draw={drawMarkdown} />
      ) : (
        <Fold
          text={content}
          isOpen={isTarget}
          mono={role === 'TOOL'}
          {...(role === 'SYSTEM' && { lines: 5, characters: 500 })}
        />
      )}
    </article>
  );
}

const drawMarkdown = (text: string) => <MarkdownText text={text} />;
