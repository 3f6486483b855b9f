import type { Condition, Stage, Transition } from '../../../server/work/pipelines/rules.ts';

const minutesText = (minutes: number): string =>
  minutes === 1 ? '1 minute' : `${minutes.toLocaleString('en')} minutes`;

/** "Accept within 30 minutes; a reminder after 10 minutes. When no agent accepts: an operator chooses the agent." */
export function deadlinesText({
  acceptWithinMinutes,
  remindAfterMinutes,
  escalateTo,
}: Pick<Stage, 'acceptWithinMinutes' | 'remindAfterMinutes' | 'escalateTo'>): string {
  const within =
    acceptWithinMinutes === null
      ? "Accept within the server's default"
      : `Accept within ${minutesText(acceptWithinMinutes)}`;
  return `${within}${remindAfterMinutes === null ? '' : `; a reminder after ${minutesText(remindAfterMinutes)}`}. When no agent accepts: ${escalationText(escalateTo)}.`;
}

export function escalationText(to: Stage['escalateTo']): string {
  if (to?.operators) return 'an operator chooses the agent';
  if (to?.agentId != null) return `to the agent ${to.agentId}`;
  if (to?.role != null) return `to an agent with the role ${to.role}`;
  return 'back to the stage before';
}

export const opWords: Record<Condition['op'], string> = {
  EQ: 'is',
  NE: 'is set and is not',
  LT: 'is less than',
  GT: 'is greater than',
  IN: 'is one of',
  EXISTS: 'is set',
};

/** `risk is "high"`, `score is less than 3`, `size is one of "s", "m"`. */
export function conditionText({ variable, op, value }: Condition): string {
  const name = /^[\w.-]+$/.test(variable) ? variable : JSON.stringify(variable);
  const values =
    op === 'EXISTS'
      ? ''
      : ` ${op === 'IN' && Array.isArray(value) ? value.map((each) => JSON.stringify(each)).join(', ') : JSON.stringify(value)}`;
  return `${name} ${opWords[op]}${values}`;
}

export interface Sentence {
  outcome: string;
  /** Such as "if risk is high" and "otherwise"; empty for the only transition of an outcome. */
  when: string;
  /** Null for the end. */
  to: string | null;
  payloadSchema: object | null;
  /** Whether a person approves each handoff that takes it. */
  isApproved: boolean;
}

/** The transitions of a stage, in the order in which they are tried. */
export function sentencesOf(stage: string, transitions: readonly Transition[]): Sentence[] {
  const own = transitions.filter(({ from }) => from === stage);
  return own.map(({ outcome, when, to, payloadSchema, approval }, index) => {
    const follows = own.slice(0, index).some((other) => other.outcome === outcome);
    return {
      outcome,
      to,
      payloadSchema,
      isApproved: approval === 'REQUIRED',
      when: when === null ? (follows ? 'otherwise' : '') : `${follows ? 'else ' : ''}if ${conditionText(when)}`,
    };
  });
}
