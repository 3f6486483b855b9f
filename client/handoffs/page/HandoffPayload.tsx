import { graphql } from '../../gql/gql.ts';
import { readFragment, type FragmentType } from '../../gql/index.ts';
import { Fold } from '../../ui/Fold.tsx';
import type { IconName } from '../../ui/Icon.tsx';
import { Carried } from './Carried.tsx';
import styles from './HandoffPayload.module.css';
import { leftOutText } from './leftOut.ts';
import { Part } from './Part.tsx';
import { Variables } from '../Variables.tsx';
import { WorkingTree } from '../WorkingTree.tsx';
import { WholeJson } from './WholeJson.tsx';

export const HandoffPayloadFragment = graphql(`
  fragment HandoffPayload on Handoff {
    id
    summary
    summaryComposed
    filesModified
    pendingTasks
    decisions
    instructions
    metadata
    tokenEstimate
    redactionCount
    contentHash
    leftOut {
      calls
      decisions
      files
      messages
      shortened
      tasks
      tools
      unansweredCalls
    }
    toolSummaries {
      toolName
      callCount
      errorCount
      lastResult
    }
    contextVariables {
      name
      value
      setBy
    }
    workingTree {
      ...WorkingTreeShown
    }
    ...Carried
  }
`);

/** Everything that a handoff carries for the next agent, shown as plain text. */
export function HandoffPayload({ handoff: masked }: { handoff: FragmentType<typeof HandoffPayloadFragment> }) {
  const handoff = readFragment(HandoffPayloadFragment, masked);
  const {
    summary,
    summaryComposed,
    toolSummaries,
    filesModified,
    pendingTasks,
    decisions,
    contextVariables,
    instructions,
    metadata,
    workingTree,
  } = handoff;
  const left = handoff.leftOut ? leftOutText(handoff.leftOut) : '';
  return (
    <div className={styles.payload}>
      <div className={styles.main}>
        <Part icon="file" title="Summary" note={summaryComposed === true ? 'composed from the log' : undefined}>
          <Fold text={summary} lines={24} characters={3_000} />
        </Part>
        {instructions != null && (
          <Part icon="info" title="Instructions for the target">
            <Fold text={instructions} />
          </Part>
        )}
        <Carried handoff={handoff} />
        {toolSummaries.length > 0 && (
          <Part icon="tool" title="Tools" count={toolSummaries.length}>
            <ul role="list" className={styles.tools}>
              {toolSummaries.map(({ toolName, callCount, errorCount, lastResult }) => (
                <li key={toolName}>
                  <span className={styles.tool}>
                    <strong className="mono">{toolName}</strong>
                    <span className="soft small">{callCount === 1 ? '1 call' : `${callCount} calls`}</span>
                    {errorCount > 0 && <span className={styles.failed}>{errorCount} failed</span>}
                  </span>
                  {lastResult != null && <Fold text={lastResult} mono lines={2} characters={160} />}
                </li>
              ))}
            </ul>
          </Part>
        )}
      </div>
      <div className={styles.side}>
        <List icon="task" title="Tasks not done" items={pendingTasks} />
        <List icon="bulb" title="Decisions" items={decisions} />
        <List icon="file" title="Files modified" items={filesModified} mono />
        {workingTree != null && (
          <Part icon="file" title="Working tree">
            <WorkingTree tree={workingTree} />
          </Part>
        )}
        {contextVariables.length > 0 && (
          <Part icon="list" title="Variables" count={contextVariables.length}>
            <Variables variables={contextVariables} />
          </Part>
        )}
        {metadata != null && (
          <Part icon="info" title="Metadata">
            <Fold text={JSON.stringify(metadata, null, 2)} mono />
          </Part>
        )}
      </div>
      <p className={styles.foot}>
        About {handoff.tokenEstimate.toLocaleString()} tokens. {secretsText(handoff.redactionCount)}{' '}
        {left && `Left out: ${left}.`}{' '}
        <span title="SHA-256 of the context: equal contexts have equal hashes">
          Hash <code>{handoff.contentHash.slice(0, 12)}</code>
        </span>
      </p>
      <WholeJson id={handoff.id} />
    </div>
  );
}

const secretsText = (count: number): string =>
  count === 0 ? 'No secret was found.' : count === 1 ? '1 secret was removed.' : `${count} secrets were removed.`;

function List({
  icon,
  title,
  items,
  mono = false,
}: {
  icon: IconName;
  title: string;
  items: readonly string[];
  mono?: boolean;
}) {
  if (items.length === 0) return null;
  const [shown, rest] = [items.slice(0, 12), items.slice(12)];
  const entries = (some: readonly string[]) =>
    some.map((item, index) => (
      <li key={index} className={mono ? 'mono' : undefined}>
        {item}
      </li>
    ));
  return (
    <Part icon={icon} title={title} count={items.length}>
      <ul className={styles.list}>{entries(shown)}</ul>
      {rest.length > 0 && (
        <details className={styles.rest}>
          <summary>{rest.length.toLocaleString()} more</summary>
          <ul className={styles.list}>{entries(rest)}</ul>
        </details>
      )}
    </Part>
  );
}
