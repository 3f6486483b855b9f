import { AgentChip } from '../../agents/AgentChip.tsx';
import { graphql } from '../../gql/gql.ts';
import type { SimulationFragment as Fields } from '../../gql/graphql.ts';
import { readFragment, type FragmentType } from '../../gql/index.ts';
import { Variables } from '../../handoffs/Variables.tsx';
import { Badge, type Look } from '../../ui/Badge.tsx';
import { Icon } from '../../ui/Icon.tsx';
import styles from './TryIt.module.css';

export const SimulationFragment = graphql(`
  fragment Simulation on HandoffSimulation {
    wouldSucceed
    verdicts {
      rule
      passed
      message
    }
    target {
      agent {
        id
        ...AgentChip
      }
      freePlaces
    }
    context {
      text
      tokenEstimate
      redactionCount
      kept {
        id
        shortened
      }
      dropped {
        id
        kind
      }
    }
    variables {
      name
      value
      setBy
    }
  }
`);

const looks = {
  passed: { tone: 'good', icon: 'check', word: 'allows it' },
  refused: { tone: 'bad', icon: 'cross', word: 'refuses' },
  open: { tone: 'calm', icon: 'dash', word: 'not asked' },
} satisfies Record<string, Look>;

const lookOf = (passed: boolean | null | undefined): Look =>
  passed == null ? looks.open : passed ? looks.passed : looks.refused;

/** The outcome of a simulated call: each rule's verdict, and what would be carried. */
export function Simulation({ of }: { of: FragmentType<typeof SimulationFragment> }) {
  const { wouldSucceed, verdicts, target, context, variables } = readFragment(SimulationFragment, of);
  const refusal = verdicts.find(({ passed }) => passed === false);
  return (
    <>
      <div className={styles.outcome} data-good={wouldSucceed}>
        <Icon name={wouldSucceed ? 'check' : 'cross'} size={20} />
        <div>
          <strong>{wouldSucceed ? 'The call would hand off.' : 'The call would be refused.'}</strong>
          {refusal?.message != null && <p>{refusal.message}</p>}
          {target && (
            <p className={styles.target}>
              <Icon name="arrow" size={14} /> <AgentChip agent={target.agent} />{' '}
              <span className="small">
                {target.freePlaces === 1 ? '1 free place' : `${target.freePlaces} free places`}
              </span>
            </p>
          )}
        </div>
      </div>
      <h3>Rules</h3>
      <ul role="list" aria-label="Verdicts" className={styles.verdicts}>
        {verdicts.map(({ rule, passed, message }) => (
          <li key={rule}>
            <span>{rule}</span>
            <Badge {...lookOf(passed)} />
            {message != null && <p>{message}</p>}
          </li>
        ))}
      </ul>
      {variables && variables.length > 0 && (
        <>
          <h3>Context variables</h3>
          <Variables variables={variables} />
        </>
      )}
      {context && (
        <>
          <h3>What the target would read</h3>
          <p className="hint">{contextText(context)}</p>
          <pre className={styles.text} tabIndex={0} role="region" aria-label="The context, as the target reads it">
            {context.text}
          </pre>
        </>
      )}
    </>
  );
}

const counted = (count: number, one: string): string => `${count.toLocaleString()} ${one}${count === 1 ? '' : 's'}`;

/** "About 800 tokens: 12 items, 1 of them shortened. Left out: 2 messages. Removed: 1 secret." */
function contextText({ tokenEstimate, kept, dropped, redactionCount }: NonNullable<Fields['context']>): string {
  const shortened = kept.filter((item) => item.shortened).length;
  const kinds = [...new Set(dropped.map(({ kind }) => kind))];
  return [
    `About ${counted(tokenEstimate, 'token')}: ${counted(kept.length, 'item')}${shortened > 0 ? `, ${shortened} of them shortened` : ''}.`,
    dropped.length === 0
      ? 'The text says what is left out.'
      : `Left out: ${kinds.map((kind) => counted(dropped.filter((item) => item.kind === kind).length, kind.toLowerCase().replace('_', ' '))).join(', ')}.`,
    ...(redactionCount > 0 ? [`Removed: ${counted(redactionCount, 'secret')}.`] : []),
  ].join(' ');
}
