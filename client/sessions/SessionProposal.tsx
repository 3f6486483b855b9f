import { graphql } from '../gql/gql.ts';
import { readFragment, type FragmentType } from '../gql/index.ts';
import type { Draft } from '../handoffs/reassign/reassign.ts';
import { Icon } from '../ui/Icon.tsx';
import { fullnessOf, reasonOf, type Proposal } from './proposal.ts';
import styles from './SessionNow.module.css';

export const SessionProposalFragment = graphql(`
  fragment SessionProposal on Session {
    agent {
      id
    }
    agentSession {
      id
      proposal {
        id
        metadata
      }
    }
  }
`);

interface SessionProposalProps {
  session: FragmentType<typeof SessionProposalFragment>;
  /** Opens the dialog with these fields; undefined without the right to reassign. */
  onReassign: ((draft: Partial<Draft>) => void) | undefined;
}

/** The proposed handoff of a holder whose window is nearly full; nothing without one. */
export function SessionProposal({ session: masked, onReassign }: SessionProposalProps) {
  const { agent, agentSession } = readFragment(SessionProposalFragment, masked);
  if (!agent || !agentSession?.proposal) return null;
  const proposal = agentSession.proposal.metadata as Proposal;
  const { targets } = proposal;
  return (
    <div className={styles.line} role="note" aria-label="Proposed handoff">
      <Icon name="alert" size={14} />
      <span>
        The context window is {fullnessOf(proposal)}.{' '}
        {targets.length === 0
          ? 'No agent that may take the session had a free place.'
          : `It may go to ${targets.map(({ agentId }) => agentId).join(', ')}.`}
      </span>
      {onReassign && (
        <button
          type="button"
          className="button small"
          onClick={() => onReassign({ reason: reasonOf(proposal, agent.id), agentId: targets[0]?.agentId ?? '' })}
        >
          <Icon name="swap" size={14} /> Hand off
        </button>
      )}
    </div>
  );
}
