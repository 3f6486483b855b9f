/** What one subscriber heard, and what its stream held; events by names that tell them apart. */
export interface History {
  name: string;
  heard: readonly string[];
  /** In the order of the stream, from where the subscriber began. */
  truth: readonly string[];
}

const shown = 5;

/** What is wrong with a history: a line for each kind of damage, with the first few events that show it. Empty when it heard everything once and in order. */
export function damageOf({ name, heard, truth }: History): string[] {
  const places = new Map(truth.map((event, place) => [event, place]));
  if (places.size !== truth.length) throw new Error(`The truth of ${name} holds an event twice`);
  const seen = new Set<string>();
  const damage: Record<'lost' | 'repeated' | 'invented' | 'out of order', string[]> = { lost: [], repeated: [], invented: [], 'out of order': [] };
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
    .map(([kind, events]) => `${name}: ${events.length} of ${truth.length} ${kind}: ${events.slice(0, shown).join(', ')}${events.length > shown ? ', ...' : ''}`);
}
