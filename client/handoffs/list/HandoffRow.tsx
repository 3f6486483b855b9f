import { useId, useState } from 'react';
import { useQuery } from 'urql';
import { Link } from 'wouter';
import { DownloadButton } from '../../access/DownloadButton.tsx';
import { Decision } from '../../approvals/Decision.tsx';
import { graphql } from '../../gql/gql.ts';
import { readFragment, type FragmentType } from '../../gql/index.ts';
import { ErrorNote, RequestError } from '../../ui/ErrorNote.tsx';
import { Fold } from '../../ui/Fold.tsx';
import { Icon } from '../../ui/Icon.tsx';
import { Skeleton } from '../../ui/Skeleton.tsx';
import { Time } from '../../ui/Time.tsx';
import { endpoints } from '../../urql.ts';
import { endedBecause } from '../ended.ts';
import { HandoffBadge } from '../HandoffBadge.tsx';
import { HandoffPayload } from '../page/HandoffPayload.tsx';
import styles from './HandoffRow.module.css';
import { PromptDialog } from '../PromptDialog.tsx';
import { Route } from '../Route.tsx';

export const HandoffRowFragment = graphql(`
  fragment HandoffRow on Handoff {
    id
    depth
    reason
    initiatedAt
    sentBack
    returnOf {
      id
      depth
    }
    sourceAgent {
      id
      ...AgentChip
    }
    targetAgent {
      id
      ...AgentChip
    }
    ...Ended
    ...HandoffBadge
    ...Decision
  }
`);

/** A handoff in its session's history; opens to show its content. */
export function HandoffRow({ handoff: masked }: { handoff: FragmentType<typeof HandoffRowFragment> }) {
  const handoff = readFragment(HandoffRowFragment, masked);
  const { id, depth, reason, initiatedAt, sentBack, returnOf, sourceAgent, targetAgent } = handoff;
  const [open, setOpen] = useState(false);
  const payload = useId();
  const outcome = endedBecause(handoff);
  return (
    <tbody className={styles.handoff} data-open={open}>
      <tr>
        <td className={styles.depth}>{depth}</td>
        <td className={styles.route}>
          <Route source={sourceAgent} target={targetAgent} plain />
        </td>
        <td className={styles.status}>
          <HandoffBadge handoff={handoff} />
        </td>
        <td className={styles.why}>
          {reason != null ? (
            <Fold text={reason} lines={3} characters={300} />
          ) : (
            <span className="soft">No reason was given.</span>
          )}
          {sentBack && (
            <span className="soft small">Sent back{returnOf && `: returns handoff ${returnOf.depth}`}.</span>
          )}
          <div className="soft small">
            <Decision handoff={handoff} />
          </div>
          {outcome !== null && (
            <div className={styles.outcome}>
              <Icon name="back" size={13} /> <Fold text={outcome} lines={3} characters={300} />
            </div>
          )}
        </td>
        <td className={styles.when}>
          <Time at={initiatedAt} />
        </td>
        <td className={styles.more}>
          <button
            type="button"
            className="button quiet small"
            aria-expanded={open}
            aria-controls={payload}
            onClick={() => setOpen(!open)}
          >
            <Icon name="chevron" size={14} /> Context<span className="hidden"> of handoff {depth}</span>
          </button>
        </td>
      </tr>
      <tr id={payload} hidden={!open}>
        <td colSpan={6} className={styles.payload}>
          {open && <Carried id={id} />}
        </td>
      </tr>
    </tbody>
  );
}

const PayloadQuery = graphql(`
  query HandoffPayloadOf($id: ID!) {
    handoff(id: $id) {
      id
      ...HandoffPayload
    }
  }
`);

function Carried({ id }: { id: string }) {
  const [prompting, setPrompting] = useState(false);
  const [{ data, error }, ask] = useQuery({ query: PayloadQuery, variables: { id } });
  if (error) return <RequestError error={error} onRetry={() => ask({ requestPolicy: 'network-only' })} />;
  if (!data) return <Skeleton height="16rem" />;
  if (!data.handoff) return <ErrorNote title="There is no such handoff" />;
  return (
    <>
      <div className={styles.tools}>
        <Link href={`/handoffs/${id}`} className="button small">
          <Icon name="arrow" size={14} /> Open
        </Link>
        <button type="button" className="button small" onClick={() => setPrompting(true)}>
          <Icon name="copy" size={14} /> Context prompt
        </button>
        <DownloadButton path={endpoints.handoffMarkdown(id)} label="this handoff as Markdown">
          Markdown
        </DownloadButton>
        <DownloadButton path={endpoints.handoffJson(id)} label="this handoff as JSON">
          JSON
        </DownloadButton>
      </div>
      <HandoffPayload handoff={data.handoff} />
      {prompting && <PromptDialog of={{ handoffId: id }} onClose={() => setPrompting(false)} />}
    </>
  );
}
