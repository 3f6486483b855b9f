/** The events that a subscriber received, and those in its stream, by unique names. */
export interface History {
  name: string;
  heard: readonly string[];
  /** The stream's events in order, from the subscriber's start. */
  truth: readonly string[];
}

const shown = 5;

/** The faults of a history: a line per kind with the first few events. Empty when every event was received once and in order. */
export function damageOf({ name, heard, truth }: History): string[] {
  const places = new Map(truth.map((event, place) => [event, place]));
  if (places.size !== truth.length) throw new Error(`The truth of ${name} holds an event twice`);
  const seen = new Set<string>();
  const damage: Record<'lost' | 'repeated' | 'invented' | 'out of order', string[]> = {
    lost: [],
    repeated: [],
    invented: [],
    'out of order': [],
  };
  let furthest = -1;
  for (const event of heard) {
    const place = places.get(event);
    if (seen.has(event)) damage.repeated.push(event);
    else if (place === undefined) damage.invented.push(event);
    else if (place < furthest) damage['out of order'].push(event);
    else furthest = place;
    seen.add(event);
  }
  damage.lost.push(...truth.filter((event) => !seen.has(event)));
  return Object.entries(damage)
    .filter(([, events]) => events.length > 0)
    .map(
      ([kind, events]) =>
        `${name}: ${events.length} of ${truth.length} ${kind}: ${events.slice(0, shown).join(', ')}${events.length > shown ? ', ...' : ''}`,
    );
}
