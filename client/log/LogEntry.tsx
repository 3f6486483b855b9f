import { AgentChip } from '../agents/AgentChip.tsx';
import { graphql } from '../gql/gql.ts';
import { readFragment, type FragmentType } from '../gql/index.ts';
import type { MessageRole } from '../gql/graphql.ts';
import { Fold } from '../ui/Fold.tsx';
import { Icon, type IconName } from '../ui/Icon.tsx';
import { Time } from '../ui/Time.tsx';
import styles from './LogEntry.module.css';
import { roleWords } from './looks.ts';

export const LogEntryFragment = graphql(`
  fragment LogEntry on Message {
    id
    sequence
    role
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

const icons: Record<MessageRole, IconName> = { USER: 'user', ASSISTANT: 'bot', SYSTEM: 'info', TOOL: 'tool', HANDOFF: 'arrow' };

/** One message: its author, time and recorded text. */
export function LogEntry({ message: masked }: { message: FragmentType<typeof LogEntryFragment> }) {
  const { role, sequence, content, createdAt, agentSession } = readFragment(LogEntryFragment, masked);
  const agent = role === 'ASSISTANT' ? agentSession?.agent : undefined;
  return (
    <article className={styles.message} data-role={role}>
      <header className={styles.head}>
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
        <span className={styles.when}>
          <Time at={createdAt} />
          <span className={styles.number} title="Number in the log">
            {sequence}
          </span>
        </span>
      </header>
      <Fold text={content} mono={role === 'TOOL'} />
    </article>
  );
}
