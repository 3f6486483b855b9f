import { faultOfAgentType, faultOfInteger, faultOfName, faultOfSlug, type FaultOf } from '../../core/faults.ts';
import type { Condition, Stage } from '../custody/pipeline.ts';
import type { Fault, NamedDefinition } from './rules.ts';

/** The rules for the single fields of a definition; `rules.ts` has those for the whole. Pure: the dashboard checks while one types. */

export const mostCharacters = { name: 200, role: 200, phase: 100, variable: 128 };
export const faultOfMinutes = faultOfInteger(1, 525_600);

export const faultOfStageName: FaultOf<string> = (name) =>
  /^[a-zA-Z0-9][a-zA-Z0-9_-]{0,63}$/.test(name)
    ? null
    : "is no name of a stage: give 1 to 64 letters, digits, '_' and '-', a letter or digit first";

export const faultOfOutcome: FaultOf<string> = (outcome) =>
  /^[A-Z][A-Z0-9_]{0,49}$/.test(outcome)
    ? null
    : "is no outcome: give an upper-case letter, then up to 49 upper-case letters, digits and '_'";

export const faultOfEscalation: FaultOf<NonNullable<Stage['escalateTo']>> = ({ agentId, role, operators }) =>
  [agentId !== null, role !== null, operators].filter(Boolean).length === 1
    ? null
    : 'names not exactly one of agentId, role and operators: give one';

/** Of the value with which a condition compares. */
export const faultOfComparison: FaultOf<Condition> = ({ op, value }) =>
  op === 'IN' && !Array.isArray(value)
    ? 'is no list: give the values of IN as a list'
    : (op === 'LT' || op === 'GT') && typeof value !== 'number' && typeof value !== 'string'
      ? `has no order: give a number or a text to ${op}`
      : op === 'EXISTS' && value !== null
        ? 'is given to EXISTS, which compares with none: leave it out'
        : null;

/** All faults of single fields, apart from sizes in bytes and the validity of schemas. */
export function faultsOfFields({ slug, name, stages, transitions }: NamedDefinition): Fault[] {
  const faults: Fault[] = [];
  const check = <Value>(path: Fault['path'], value: Value | null, faultOf: FaultOf<Value>): void => {
    const message = value === null ? null : faultOf(value);
    if (message !== null) faults.push({ path, message });
  };
  check(['slug'], slug, faultOfSlug);
  check(['name'], name, faultOfName(mostCharacters.name));
  for (const [index, stage] of stages.entries()) {
    const at = (field: string) => ['stages', index, field];
    check(at('name'), stage.name, faultOfStageName);
    check(at('role'), stage.role, faultOfName(mostCharacters.role));
    check(at('agentType'), stage.agentType, faultOfAgentType);
    check(at('phase'), stage.phase, faultOfName(mostCharacters.phase));
    check(at('acceptWithinMinutes'), stage.acceptWithinMinutes, faultOfMinutes);
    check(at('remindAfterMinutes'), stage.remindAfterMinutes, faultOfMinutes);
    check(at('escalateTo'), stage.escalateTo, faultOfEscalation);
    check([...at('escalateTo'), 'role'], stage.escalateTo?.role ?? null, faultOfName(mostCharacters.role));
  }
  for (const [index, { outcome, when }] of transitions.entries()) {
    check(['transitions', index, 'outcome'], outcome, faultOfOutcome);
    check(['transitions', index, 'when', 'variable'], when?.variable ?? null, faultOfName(mostCharacters.variable));
    check(['transitions', index, 'when', 'value'], when, faultOfComparison);
  }
  return faults;
}
