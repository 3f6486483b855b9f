import { useState, type ReactNode } from 'react';
import { useQuery } from 'urql';
import { Link } from 'wouter';
import { formats, functionOf } from '../../server/work/tools/define.ts';
import { useMay } from '../access/viewer.ts';
import { AgentChip } from '../agents/AgentChip.tsx';
import { Page } from '../app/Page.tsx';
import type { SavedToolFragment as SavedTool } from '../gql/graphql.ts';
import { readFragment } from '../gql/index.ts';
import { useRereadOn } from '../live/events.ts';
import { Badge } from '../ui/Badge.tsx';
import { EmptyState } from '../ui/EmptyState.tsx';
import { RequestError } from '../ui/ErrorNote.tsx';
import { Fold } from '../ui/Fold.tsx';
import { Icon } from '../ui/Icon.tsx';
import { Skeleton } from '../ui/Skeleton.tsx';
import { Time } from '../ui/Time.tsx';
import { ArchiveDialog } from './ArchiveDialog.tsx';
import { Definition } from './Definition.tsx';
import styles from './ToolPage.module.css';
import { carryText } from './carry.ts';
import { looksOf } from './looks.ts';
import { SavedToolFragment, ToolQuery } from './savedTool.ts';
import { TryIt } from './try/TryIt.tsx';

/** A handoff tool: its facts, its definition in each format, and a form to try it. */
export default function ToolPage({ id }: { id: string }) {
  const [{ data, error }, ask] = useQuery({ query: ToolQuery, variables: { id }, requestPolicy: 'cache-and-network' });
  const tool = data?.node?.__typename === 'HandoffTool' ? readFragment(SavedToolFragment, data.node) : null;
  // The event of a changed tool is that of its agents.
  useRereadOn(
    ({ type }) => type === 'AGENT_CHANGED',
    () => ask({ requestPolicy: 'network-only' }),
  );
  const failure = error && <RequestError error={error} onRetry={() => ask({ requestPolicy: 'network-only' })} />;
  if (tool) return <Shown tool={tool} failure={failure} />;
  return (
    <Page title="Tool">
      {failure}
      {!data && !error && <Skeleton height="20rem" />}
      {data && (
        <div className="card">
          <EmptyState icon="tool" title="There is no such tool, or you may not read it.">
            <Link href="/tools">All tools</Link>
          </EmptyState>
        </div>
      )}
    </Page>
  );
}

function Shown({ tool, failure }: { tool: SavedTool; failure: ReactNode }) {
  const mayDefine = useMay('manageAgents');
  const [archiving, setArchiving] = useState(false);
  const { id, name, generated, archivedAt, variables } = tool;
  const definition = functionOf({ ...tool, variables: variables });
  return (
    <Page
      title={name}
      intro={
        <span className={styles.badges}>
          {looksOf(tool).map((look) => (
            <Badge key={look.word} {...look} />
          ))}
          <Link href="/tools">All tools</Link>
        </span>
      }
      actions={
        mayDefine &&
        !generated &&
        archivedAt == null && (
          <>
            <Link href={`/tools/${id}/edit`} className="button">
              Edit
            </Link>
            <button type="button" className="button danger" onClick={() => setArchiving(true)}>
              <Icon name="ban" /> Archive
            </button>
          </>
        )
      }
    >
      {failure}
      <div className={styles.top}>
        <section className={`card ${styles.part}`} aria-labelledby="facts">
          <h2 id="facts">The tool</h2>
          <Facts tool={tool} />
        </section>
        <section className={`card ${styles.part}`} aria-labelledby="definition">
          <h2 id="definition">What the model gets</h2>
          <Definition of={(format) => formats[format](definition)} />
        </section>
      </div>
      {archivedAt == null && (
        <section className={`card ${styles.part}`} aria-labelledby="try">
          <h2 id="try">Try it</h2>
          <TryIt key={JSON.stringify(variables)} tool={tool} />
        </section>
      )}
      {archiving && <ArchiveDialog id={id} name={name} onClose={() => setArchiving(false)} />}
    </Page>
  );
}

function Facts({ tool }: { tool: SavedTool }) {
  const {
    description,
    agents,
    targetAgent,
    instructions,
    variables,
    carry,
    approval,
    generated,
    createdAt,
    archivedAt,
  } = tool;
  return (
    <dl className="facts">
      <div>
        <dt>When</dt>
        <dd>
          <Fold text={description} lines={6} />
        </dd>
      </div>
      <div>
        <dt>Offered to</dt>
        <dd className={styles.agents}>
          {agents.map((agent) => (
            <AgentChip key={agent.id} agent={agent} />
          ))}
        </dd>
      </div>
      <div>
        <dt>Hands off to</dt>
        <dd>
          <AgentChip agent={targetAgent} />
        </dd>
      </div>
      {instructions != null && (
        <div>
          <dt>Instructions</dt>
          <dd>
            <Fold text={instructions} lines={6} />
          </dd>
        </div>
      )}
      {carry != null && (
        <div>
          <dt>Passes on</dt>
          <dd>{carryText(carry)}</dd>
        </div>
      )}
      {approval === 'REQUIRED' && (
        <div>
          <dt>Approval</dt>
          <dd>A person approves each handoff.</dd>
        </div>
      )}
      {variables.length > 0 && (
        <div>
          <dt>Variables</dt>
          <dd>
            <ul role="list" className={styles.variables}>
              {variables.map((variable) => (
                <li key={variable.name}>
                  <strong className="mono">{variable.name}</strong>{' '}
                  <span className="soft small">
                    {[variable.type.toLowerCase(), ...(variable.required ? ['required'] : [])].join(', ')}
                  </span>
                  {variable.description != null && <p className="small">{variable.description}</p>}
                </li>
              ))}
            </ul>
          </dd>
        </div>
      )}
      <div>
        <dt>{archivedAt == null ? 'Since' : 'Archived'}</dt>
        <dd>
          {archivedAt != null ? (
            <Time at={archivedAt} />
          ) : createdAt != null ? (
            <Time at={createdAt} />
          ) : (
            <span className="soft">
              {generated && 'It follows from a collaboration of the agent, and changes with it.'}
            </span>
          )}
        </dd>
      </div>
    </dl>
  );
}
