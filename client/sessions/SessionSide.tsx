import { Fragment } from 'react';
import { useClient } from 'urql';
import { Link } from 'wouter';
import { useMay } from '../access/viewer.ts';
import { outcomeOf } from '../acts/outcome.ts';
import { ApprovalSwitch } from '../approvals/ApprovalSwitch.tsx';
import { graphql } from '../gql/gql.ts';
import { readFragment, type FragmentType } from '../gql/index.ts';
import type { SessionSideFragment as Side, TaskStatus } from '../gql/graphql.ts';
import { Variables } from '../handoffs/Variables.tsx';
import { WorkingTree } from '../handoffs/WorkingTree.tsx';
import { Fold } from '../ui/Fold.tsx';
import { Icon, type IconName } from '../ui/Icon.tsx';
import { Time } from '../ui/Time.tsx';
import styles from './SessionSide.module.css';
import { isOpen } from './SessionRow.tsx';

export const SessionSideFragment = graphql(`
  fragment SessionSide on Session {
    id
    status
    createdAt
    maxHandoffs
    handoffsEnabled
    handoffApproval
    metadata
    tokenBudget
    choice {
      explanation
      agent {
        id
      }
    }
    workspace {
      id
      host
      folder
      repository
      branch
      commit
    }
    workingTree {
      ...WorkingTreeShown
    }
    tasks {
      id
      content
      status
    }
    decisions {
      id
      text
      recordedAt
    }
    contextVariables {
      name
      value
      setBy
    }
    usage {
      inputTokens
      outputTokens
      cacheReadInputTokens
      model
    }
  }
`);

const SetHandoffApproval = graphql(`
  mutation SetHandoffApproval($sessionId: ID!, $rule: ApprovalRule!) {
    answer: updateSession(input: { sessionId: $sessionId, handoffApproval: $rule }) {
      __typename
      ... on UpdateSessionPayload {
        session {
          id
          version
          updatedAt
          handoffApproval
        }
      }
      ... on Error {
        code
        message
      }
    }
  }
`);

type Where = NonNullable<Side['workspace']>;

const taskLooks: Record<TaskStatus, { icon: IconName; word: string }> = {
  DONE: { icon: 'check', word: 'done' },
  IN_PROGRESS: { icon: 'play', word: 'in progress' },
  PENDING: { icon: 'dash', word: 'not started' },
};

/** Tasks, decisions, variables and tokens from the log. */
export function SessionSide({ session: masked }: { session: FragmentType<typeof SessionSideFragment> }) {
  const client = useClient();
  const mayChange = useMay('reassign');
  const {
    id,
    status: sessionStatus,
    tasks,
    decisions,
    contextVariables,
    usage,
    tokenBudget,
    choice,
    metadata,
    workspace,
    workingTree,
    createdAt,
    maxHandoffs,
    handoffsEnabled,
    handoffApproval,
  } = readFragment(SessionSideFragment, masked);
  const done = tasks.filter(({ status }) => status === 'DONE').length;
  return (
    <aside className={`card ${styles.side}`} aria-label="About this session" tabIndex={0}>
      {tasks.length > 0 && (
        <section>
          <h2>
            Tasks <span className={styles.note}>{`${done} of ${tasks.length} done`}</span>
          </h2>
          <ul role="list" className={styles.tasks}>
            {tasks.map(({ id, content, status }) => (
              <li key={id} data-status={status}>
                <Icon name={taskLooks[status].icon} size={14} />
                <span>
                  {content} <span className="hidden">({taskLooks[status].word})</span>
                </span>
              </li>
            ))}
          </ul>
        </section>
      )}
      {decisions.length > 0 && (
        <section>
          <h2>Decisions</h2>
          <ul role="list" className={styles.decisions}>
            {decisions.map(({ id, text, recordedAt }) => (
              <li key={id}>
                <Fold text={text} lines={5} characters={400} />
                <span className="soft small">
                  <Time at={recordedAt} />
                </span>
              </li>
            ))}
          </ul>
        </section>
      )}
      {contextVariables.length > 0 && (
        <section>
          <h2>Variables</h2>
          <Variables variables={contextVariables} />
        </section>
      )}
      {workingTree != null && (
        <section>
          <h2>Working tree</h2>
          <WorkingTree tree={workingTree} />
        </section>
      )}
      <section>
        <h2>Session</h2>
        <dl className={styles.facts}>
          <dt>Created</dt>
          <dd>
            <Time at={createdAt} />
          </dd>
          <dt>Tokens</dt>
          <dd>
            {tokens(usage.inputTokens)} in, {tokens(usage.outputTokens)} out
            {usage.cacheReadInputTokens ? `, ${tokens(usage.cacheReadInputTokens)} from caches` : ''}
          </dd>
          {tokenBudget != null && (
            <>
              <dt>Budget</dt>
              <dd>{tokens(tokenBudget)} tokens, then it pauses</dd>
            </>
          )}
          {choice != null && (
            <>
              <dt>Chosen</dt>
              <dd>
                <Fold text={`${choice.agent.id}: ${choice.explanation}`} lines={3} characters={300} />
              </dd>
            </>
          )}
          {usage.model != null && (
            <>
              <dt>Model</dt>
              <dd>{usage.model}</dd>
            </>
          )}
          <dt>Handoffs</dt>
          <dd>
            {handoffsEnabled
              ? `Agents may hand off ${maxHandoffs} times before an operator has to step in.`
              : 'Only operators may hand off.'}
            <ApprovalSwitch
              isRequired={handoffApproval === 'REQUIRED'}
              change={
                mayChange && isOpen(sessionStatus)
                  ? async (isRequired) =>
                      outcomeOf(
                        await client.mutation(SetHandoffApproval, {
                          sessionId: id,
                          rule: isRequired ? 'REQUIRED' : 'NONE',
                        }),
                      )
                  : undefined
              }
            />
          </dd>
          {workspace != null && <Workspace {...workspace} />}
          {metadata != null && (
            <>
              <dt>Metadata</dt>
              <dd>
                <Fold text={JSON.stringify(metadata, null, 2)} mono lines={6} />
              </dd>
            </>
          )}
        </dl>
      </section>
    </aside>
  );
}

/** Where the work is done. */
function Workspace({ id, host, folder, repository, branch, commit }: Where) {
  const facts = { Machine: host, Folder: folder, Repository: repository, Branch: branch, Commit: commit };
  return (
    <>
      {Object.entries(facts).map(([name, value]) =>
        value == null ? null : (
          <Fragment key={name}>
            <dt>{name}</dt>
            <dd>
              {name === 'Folder' && id != null ? (
                <Link href={`/sessions?folder=${id}`} title="All sessions of this folder">
                  {value}
                </Link>
              ) : (
                value
              )}
            </dd>
          </Fragment>
        ),
      )}
    </>
  );
}

const compact = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 });
const tokens = (count: number | null | undefined): string => compact.format(count ?? 0);
