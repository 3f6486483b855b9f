import { diffArrays } from 'diff';
import { canonicalJson } from '../../../server/core/canonicalJson.ts';
import type { NamedDefinition } from '../../../server/work/pipelines/rules.ts';
import { conditionText, escalationText } from './words.ts';

export interface Line {
  kind: 'same' | 'added' | 'removed';
  text: string;
}

/** Unchanged lines in a row that are not shown. */
export interface Gap {
  kind: 'gap';
  lines: number;
}

const context = 3;

/** What the second definition changes, line by line, with three unchanged lines around each change. Empty when they are equal. */
export function differenceOf(before: NamedDefinition | null, after: NamedDefinition): (Line | Gap)[] {
  const lines = diffArrays(before === null ? [] : linesOf(before), linesOf(after)).flatMap(
    ({ added, removed, value }) =>
      value.map((text): Line => ({ kind: added ? 'added' : removed ? 'removed' : 'same', text })),
  );
  const isNear = lines.map((_line, index) =>
    lines.slice(Math.max(0, index - context), index + context + 1).some(({ kind }) => kind !== 'same'),
  );
  const shown: (Line | Gap)[] = [];
  for (const [index, line] of lines.entries()) {
    const last = shown.at(-1);
    if (isNear[index]) shown.push(line);
    else if (last?.kind === 'gap') last.lines += 1;
    else shown.push({ kind: 'gap', lines: 1 });
  }
  return shown.some(({ kind }) => kind !== 'gap') ? shown : [];
}

export const areEqual = (one: NamedDefinition, other: NamedDefinition): boolean =>
  canonicalJson(one) === canonicalJson(other);

/** A definition as lines to read. Different definitions have different lines; the order of the names in a schema makes no difference. */
export function linesOf({ name, description, start, stages, transitions }: NamedDefinition): string[] {
  return [
    ...field('name', name),
    ...field('description', description),
    ...field('start', start),
    ...stages.flatMap((stage) => [
      `stage ${stage.name}`,
      ...indented([
        ...field('role', stage.role),
        ...field('type', stage.agentType),
        ...field('phase', stage.phase),
        ...field('accept within minutes', stage.acceptWithinMinutes),
        ...field('remind after minutes', stage.remindAfterMinutes),
        ...field('when no agent accepts', stage.escalateTo && escalationText(stage.escalateTo)),
        ...field('instructions', stage.instructions),
        ...schema(stage.payloadSchema),
      ]),
    ]),
    ...transitions.flatMap(({ from, outcome, to, when, payloadSchema, approval }) => [
      `transition ${from} ${outcome} to ${to === null ? 'the end' : to}${when === null ? '' : ` if ${conditionText(when)}`}`,
      ...indented([...(approval === 'REQUIRED' ? ['a person approves each handoff'] : []), ...schema(payloadSchema)]),
    ]),
  ];
}

/** One line, or for a text of several lines a block. */
function field(name: string, value: string | number | null): string[] {
  if (value === null) return [];
  const lines = String(value).split('\n');
  return lines.length === 1 ? [`${name}: ${lines[0]}`] : [`${name}:`, ...indented(lines)];
}

const schema = (value: object | null): string[] =>
  value === null ? [] : field('payload schema', JSON.stringify(JSON.parse(canonicalJson(value)), null, 2));

const indented = (lines: readonly string[]): string[] => lines.map((line) => `  ${line}`);
