import { DomainError, ForbiddenError } from '../../core/errors.ts';
import type { Question } from './demand.ts';
import { rules, type Target } from './mayChangeHands.ts';

/** What one rule says of a change of hands. */
export interface Verdict {
  rule: string;
  /** Null when an earlier refusal makes the rule meaningless. */
  passed: boolean | null;
  code: string | null;
  message: string | null;
}

type Refusal = DomainError | ForbiddenError;

/** The rules of `mayChangeHands.ts`, and between them what commands refuse by themselves. */
const names: readonly string[] = [
  'target',
  'who may hand off',
  'version',
  'open session',
  'active only',
  'proposal',
  'tool',
  'arguments',
  'already assigned',
  'enabled',
  'collaborator',
  'transition',
  'payload',
  'limit',
  'loop',
  'type',
  'role',
  'free choice',
  'availability',
  'capacity',
];

/** After these refusals there is no target or no holder, and the command ends. After all others it goes on. */
const ending: readonly string[] = [
  'who may hand off',
  'version',
  'open session',
  'active only',
  'proposal',
  'already assigned',
  'free choice',
];

/** The rule of a refusal that a command throws by itself. */
const ruleOf: Partial<Record<string, string>> = {
  NOT_FOUND: 'target',
  FORBIDDEN: 'who may hand off',
  INVALID_STATE: 'active only',
  UNKNOWN_HANDOFF_TARGET: 'tool',
  NO_HANDOFF_FOUND: 'tool',
  INVALID_TOOL_ARGUMENTS: 'arguments',
  ALREADY_ASSIGNED: 'already assigned',
  TRANSITION_NOT_ALLOWED: 'transition',
  INVALID_PAYLOAD: 'payload',
};

/** Collects the refusals of a command that is taken back. The first one is what the command would have given. */
export class DryRun {
  readonly #refusals = new Map<string, Refusal>();
  /** The rule whose refusal ended the command. */
  #endedBy: string | null = null;
  #target: Target | null = null;
  /** What demands that a person approves the Handoff first; null when it would move the Session at once. */
  demandedBy: string | null = null;
  /** Hash of the Context before edits; null unless an approval is simulated. */
  contentHash: string | null = null;
  /** The agent that would get the Session, as it is before. */
  target: Pick<Target, 'id' | 'maxCapacity' | 'currentLoad'> | null = null;

  /** Answers as `demandMove` does. @throws the refusals that end the command */
  demand({ move, before }: Question): void {
    if (move.target !== null && move.target !== this.#target) {
      this.#target = move.target;
      this.target = { ...move.target };
    }
    for (const { name, refuses } of rules) {
      if (name === before) return;
      const refusal = refuses(move);
      if (refusal === null || this.#refusals.has(name)) continue;
      this.#refusals.set(name, refusal);
      if (ending.includes(name)) throw refusal;
    }
  }

  get isRefused(): boolean {
    return this.#refusals.size > 0;
  }

  /** The constraints of the database hold for a target that was refused too, so that what is staged can be read. */
  freeTarget(): void {
    if (this.#target !== null) this.#target.currentLoad = this.target!.currentLoad;
  }

  /** Takes the refusal that ended the command. @throws what is no refusal, and BAD_USER_INPUT when no rule refused before */
  endedBy(error: unknown): void {
    if (!(error instanceof DomainError) && !(error instanceof ForbiddenError)) throw error;
    const [ofRule] = [...this.#refusals].find(([, refusal]) => refusal === error) ?? [ruleOf[error.code]];
    if (ofRule !== undefined && !this.#refusals.has(ofRule)) this.#refusals.set(ofRule, error);
    const refused = names.filter((name) => this.#refusals.has(name));
    if (refused.length === 0) throw error;
    this.#endedBy = ofRule ?? refused.at(-1)!;
  }

  verdicts(): Verdict[] {
    const end = this.#endedBy === null ? names.length : names.indexOf(this.#endedBy);
    return names.map((rule, index) => {
      const { code = null, message = null } = this.#refusals.get(rule) ?? {};
      return { rule, passed: code !== null ? false : index > end ? null : true, code, message };
    });
  }
}
