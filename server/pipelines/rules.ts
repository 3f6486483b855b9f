import type { Definition, Stage, Transition } from '../custody/pipeline.ts';

/** What is wrong with the definition of a pipeline; `path` leads to it within the definition. */
export interface Fault {
  path: (string | number)[];
  message: string;
}

/** The first fault of a definition, or null. */
export function faultOfDefinition(definition: Definition): Fault | null {
  return doubledName(definition) ?? unknownName(definition) ?? doubledOutcome(definition) ?? deadEnd(definition);
}

function doubledName({ stages }: Definition): Fault | null {
  const names = stages.map(({ name }) => name);
  const twice = names.findIndex((name, index) => names.indexOf(name) !== index);
  return twice < 0 ? null : { path: ['stages', twice, 'name'], message: `is the name of two stages ('${names[twice]}'): rename one` };
}

function unknownName({ start, stages, transitions }: Definition): Fault | null {
  const known = (name: string): boolean => stages.some((stage) => stage.name === name);
  const message = (name: string): string => `is '${name}', which is no stage: name one of ${stages.map((stage) => stage.name).join(', ')}`;
  if (!known(start)) return { path: ['start'], message: message(start) };
  for (const [index, { from, to }] of transitions.entries()) {
    if (!known(from)) return { path: ['transitions', index, 'from'], message: message(from) };
    if (to !== null && !known(to)) return { path: ['transitions', index, 'to'], message: `${message(to)}, or null for the end` };
  }
  return null;
}

/** Of the transitions of one outcome of a stage, all but the last have a condition. */
function doubledOutcome({ transitions }: Definition): Fault | null {
  const same = ({ from, outcome }: Transition) => (other: Transition): boolean => other.from === from && other.outcome === outcome;
  for (const [index, transition] of transitions.entries()) {
    const isLast = !transitions.slice(index + 1).some(same(transition));
    const { from, outcome, when } = transition;
    if (isLast && when !== null) return { path: ['transitions', index, 'when'], message: `is on the last transition of outcome ${outcome} of '${from}', which is taken when no condition holds: leave it out` };
    if (!isLast && when === null) return { path: ['transitions', index, 'when'], message: `is missing on outcome ${outcome} of '${from}', which has another transition after it: give a condition, or leave out the other` };
  }
  return null;
}

function deadEnd({ start, stages, transitions }: Definition): Fault | null {
  const reached = closure([start], (stage) => transitions.flatMap(({ from, to }) => (from === stage && to !== null ? [to] : [])));
  const ending = closure(transitions.flatMap(({ from, to }) => (to === null ? [from] : [])), (stage) => transitions.flatMap(({ from, to }) => (to === stage ? [from] : [])));
  const fault = (wrong: (stage: Stage) => boolean, message: (name: string) => string): Fault | null => {
    const index = stages.findIndex(wrong);
    return index < 0 ? null : { path: ['stages', index], message: message(stages[index]!.name) };
  };
  return (
    fault(({ name }) => !reached.has(name), (name) => `cannot be reached ('${name}'): add a transition to it, or leave it out`) ??
    fault(({ name }) => !ending.has(name), (name) => `cannot reach an end ('${name}'): add a transition with 'to' null on its way`)
  );
}

function closure(first: readonly string[], next: (name: string) => readonly string[]): Set<string> {
  const found = new Set(first);
  // A Set visits the names that are added meanwhile.
  for (const name of found) for (const each of next(name)) found.add(each);
  return found;
}
