import type { Definition, Stage, Transition } from '../custody/pipeline.ts';
import { faultOfComparing, sourceOfCondition, type ConditionSource } from '../custody/rules.ts';

export type { Condition, Stage, Transition } from '../custody/pipeline.ts';

export interface NamedDefinition extends Definition {
  slug: string;
  name: string;
  description: string | null;
}

/** What is wrong with the definition of a pipeline; `path` leads to it within the definition. */
export interface Fault {
  path: (string | number)[];
  message: string;
}

/** The faults of a definition. Ways are only followed when all names are right. */
export function faultsOfDefinition(definition: Definition): Fault[] {
  const faults = [
    ...doubledNames(definition),
    ...unknownNames(definition),
    ...doubledOutcomes(definition),
    ...approvedEnds(definition),
  ];
  return faults.length > 0 ? faults : [...deadEnds(definition), ...wrongConditions(definition)];
}

function doubledNames({ stages }: Definition): Fault[] {
  const names = stages.map(({ name }) => name);
  return names.flatMap((name, index) =>
    names.indexOf(name) === index
      ? []
      : [{ path: ['stages', index, 'name'], message: `is the name of two stages ('${name}'): rename one` }],
  );
}

function unknownNames({ start, stages, transitions }: Definition): Fault[] {
  const check = (path: Fault['path'], name: string, or = ''): Fault[] =>
    stages.some((stage) => stage.name === name)
      ? []
      : [
          {
            path,
            message: `is '${name}', which is no stage: name one of ${stages.map((stage) => stage.name).join(', ')}${or}`,
          },
        ];
  return [
    ...check(['start'], start),
    ...transitions.flatMap(({ from, to }, index) => [
      ...check(['transitions', index, 'from'], from),
      ...(to === null ? [] : check(['transitions', index, 'to'], to, ', or null for the end')),
    ]),
  ];
}

/** Of the transitions of one outcome of a stage, all but the last have a condition. */
function doubledOutcomes({ transitions }: Definition): Fault[] {
  const same =
    ({ from, outcome }: Transition) =>
    (other: Transition): boolean =>
      other.from === from && other.outcome === outcome;
  return transitions.flatMap((transition, index) => {
    const isLast = !transitions.slice(index + 1).some(same(transition));
    const { from, outcome, when } = transition;
    if (isLast === (when === null)) return [];
    const message = isLast
      ? `is on the last transition of outcome ${outcome} of '${from}', which is taken when no condition holds: leave it out`
      : `is missing on outcome ${outcome} of '${from}', which has another transition after it: give a condition, or leave out the other`;
    return [{ path: ['transitions', index, 'when'], message }];
  });
}

/** The end of a pipeline is no Handoff, so that there is nothing to approve. */
const approvedEnds = ({ transitions }: Definition): Fault[] =>
  transitions.flatMap(({ to, approval }, index) =>
    to === null && approval === 'REQUIRED'
      ? [
          {
            path: ['transitions', index, 'approval'],
            message: 'is on a way to the end, which hands nothing off: leave it out, or add a stage before the end',
          },
        ]
      : [],
  );

function deadEnds(definition: Definition): Fault[] {
  const { start, stages, transitions } = definition;
  const reached = closure([start], nextOf(definition));
  const ending = closure(
    transitions.flatMap(({ from, to }) => (to === null ? [from] : [])),
    (stage) => transitions.flatMap(({ from, to }) => (to === stage ? [from] : [])),
  );
  const faults = (wrong: (stage: Stage) => boolean, message: (name: string) => string): Fault[] =>
    stages.flatMap((stage, index) => (wrong(stage) ? [{ path: ['stages', index], message: message(stage.name) }] : []));
  return [
    ...faults(
      ({ name }) => !reached.has(name),
      (name) => `cannot be reached ('${name}'): add a transition to it, or leave it out`,
    ),
    ...faults(
      ({ name }) => !ending.has(name),
      (name) => `cannot reach an end ('${name}'): add a transition with 'to' null on its way`,
    ),
  ];
}

/** Conditions on a stage that never comes before, or on a value that their payload's schema gives another kind. */
function wrongConditions(definition: Definition): Fault[] {
  const { stages, transitions } = definition;
  const next = nextOf(definition);
  return transitions.flatMap(({ from, outcome, when }, index) => {
    if (when === null) return [];
    const fault = (field: string, message: string): Fault[] => [
      { path: ['transitions', index, 'when', field], message },
    ];
    const source = sourceOfCondition(when.variable);
    if (source.of === 'variable') return [];
    const stage = source.of === 'stage' ? source.stage : from;
    if (!stages.some(({ name }) => name === stage))
      return fault(
        'variable',
        `names stage '${stage}', which does not exist: name one of ${stages.map(({ name }) => name).join(', ')}`,
      );
    if (source.of === 'stage' && !closure(next(stage), next).has(from))
      return fault('variable', `reads stage '${stage}', which never comes before '${from}': name one that does`);
    const wrong = samplesOf(definition, source, stage, outcome)?.map((sample) =>
      faultOfComparing(when.op, sample, when.value),
    );
    if (wrong?.length === 0)
      return fault('variable', `reads '${when.variable}', which the schema of the payload does not allow: correct one`);
    return wrong === undefined || wrong.includes(null)
      ? []
      : fault(
          'value',
          `compares what cannot be compared: '${when.variable}' ${wrong[0]}, by the schema of the payload`,
        );
  });
}

/** The stages to which the transitions of a stage lead. */
function nextOf({ transitions }: Definition): (stage: string) => string[] {
  const next = new Map<string, string[]>();
  for (const { from, to } of transitions) if (to !== null) next.set(from, [...(next.get(from) ?? []), to]);
  return (stage) => next.get(stage) ?? [];
}

/** A value of each type of JSON Schema. */
const samples: Record<string, unknown> = {
  string: '',
  number: 0,
  integer: 0,
  boolean: true,
  array: [],
  object: {},
};

/** Values of each kind that the schemas of a stage's payloads allow at a path; empty when they allow none, undefined unless all say it. */
function samplesOf(
  { stages, transitions }: Definition,
  { of, path }: Exclude<ConditionSource, { of: 'variable' }>,
  stage: string,
  outcome: string,
): unknown[] | undefined {
  const ofStage = stages.find(({ name }) => name === stage)?.payloadSchema ?? null;
  const found = transitions
    .filter((each) => each.from === stage && (of === 'stage' || each.outcome === outcome))
    .map(({ payloadSchema }) => samplesIn(payloadSchema ?? ofStage, path));
  return found.some((each) => each === undefined) ? undefined : found.flatMap((each) => each!);
}

function samplesIn(schema: unknown, path: readonly string[]): unknown[] | undefined {
  let at = schema;
  for (const name of path) {
    const property = memberOf(memberOf(at, 'properties'), name);
    const isClosed = memberOf(at, 'additionalProperties') === false && memberOf(at, 'patternProperties') === undefined;
    if (property === undefined && isClosed) return [];
    at = property;
  }
  const [only, values] = [memberOf(at, 'const'), memberOf(at, 'enum')];
  const named: unknown[] | null = only !== undefined ? [only] : Array.isArray(values) ? values : null;
  if (named !== null) return named.some((value) => value !== null) ? named.filter((value) => value !== null) : [null];
  const type = memberOf(at, 'type');
  const types = (Array.isArray(type) ? type : [type]).filter((each) => each !== 'null');
  return types.length > 0 && types.every((each) => typeof each === 'string' && Object.hasOwn(samples, each))
    ? types.map((each) => samples[each as string])
    : undefined;
}

const memberOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? (value as Record<string, unknown>)[name]
    : undefined;

function closure(first: readonly string[], next: (name: string) => readonly string[]): Set<string> {
  const found = new Set(first);
  // A Set visits the names that are added meanwhile.
  for (const name of found) for (const each of next(name)) found.add(each);
  return found;
}
