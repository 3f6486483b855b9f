import type { Stage, Transition } from '../../../server/work/pipelines/rules.ts';
import { Fold } from '../../ui/Fold.tsx';
import { Icon } from '../../ui/Icon.tsx';
import styles from './PipelinePage.module.css';
import { deadlinesText, sentencesOf } from './words.ts';

/** A stage: who works in it, until when, with which instructions, and where its outcomes lead. */
export function StageCard({
  stage,
  transitions,
  isStart,
}: {
  stage: Stage;
  transitions: readonly Transition[];
  isStart: boolean;
}) {
  const { name, role, agentType, phase, instructions, payloadSchema } = stage;
  return (
    <li className={`card ${styles.stage}`}>
      <h2>{name}</h2>
      <p className="small">
        {[
          isStart ? 'First stage' : null,
          role === null ? 'any role' : `role ${role}`,
          agentType === null ? 'any type' : `type ${agentType}`,
          phase === null ? null : `phase ${phase}`,
        ]
          .filter((each) => each !== null)
          .join(', ')}
      </p>
      <p className="soft small">{deadlinesText(stage)}</p>
      <ul role="list" aria-label={`Transitions of ${name}`} className={styles.ways}>
        {sentencesOf(name, transitions).map(({ outcome, when, to, payloadSchema: own, isApproved }, index) => (
          <li key={index}>
            <p>
              <strong>{outcome}</strong>
              {when !== '' && <> {when}</>} <Icon name="arrow" size={13} />
              <span className="hidden">leads to</span> {to === null ? 'the end' : <strong>{to}</strong>}
            </p>
            {isApproved && <p className="soft small">A person approves each handoff.</p>}
            {own !== null && <Schema title="Payload of this transition" schema={own} />}
          </li>
        ))}
      </ul>
      {instructions !== null && instructions !== '' && (
        <div>
          <h3>Instructions</h3>
          <Fold text={instructions} lines={6} characters={600} />
        </div>
      )}
      {payloadSchema !== null && <Schema title="Payload" schema={payloadSchema} />}
    </li>
  );
}

function Schema({ title, schema }: { title: string; schema: object }) {
  return (
    <details className={styles.schema}>
      <summary>{title}: JSON Schema</summary>
      <Fold text={JSON.stringify(schema, null, 2)} mono lines={40} characters={4_000} />
    </details>
  );
}
