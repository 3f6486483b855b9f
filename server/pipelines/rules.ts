import type { Definition, Stage, Transition } from '../custody/pipeline.ts';

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
  const faults = [...doubledNames(definition), ...unknownNames(definition), ...doubledOutcomes(definition)];
  return faults.length > 0 ? faults : deadEnds(definition);
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

function deadEnds({ start, stages, transitions }: Definition): Fault[] {
  const reached = closure([start], (stage) =>
    transitions.flatMap(({ from, to }) => (from === stage && to !== null ? [to] : [])),
  );
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

function closure(first: readonly string[], next: (name: string) => readonly string[]): Set<string> {
  const found = new Set(first);
  // A Set visits the names that are added meanwhile.
  for (const name of found) for (const each of next(name)) found.add(each);
  return found;
}
