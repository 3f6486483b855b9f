import type { Pool } from 'pg';
import { findKnownLines, slicesOf } from './importKnown.ts';
import { Preparation, type Prepared, type Records, type Steps } from './preparation.ts';
import type { ReadOptions } from './transcripts/detect.ts';

/** `sessionId` is null for a Session that does not exist yet. */
export async function prepareSteps(pool: Pool, sessionId: string | null, steps: Steps): Promise<Prepared> {
  const lines: Records['lines'][] = [];
  for await (const some of partsOf(steps, 'lines')) {
    if (sessionId !== null) await steps.know(await knownOf(pool, sessionId, some, lines.length));
    lines.push(...some);
  }
  const callIds: string[] = [];
  const compactions: number[] = [];
  let hasEntries = false;
  for (let found = await steps.redactSome(); found !== null; found = await steps.redactSome()) {
    callIds.push(...found.callIds);
    compactions.push(...found.compactions);
    hasEntries ||= found.entries > 0;
  }
  const head = await steps.head();
  const standings = new Map<number, Records['standings']>();
  for await (const some of partsOf(steps, 'standings')) for (const each of some) standings.set(each.turn, each);
  const handoffs = new Set<string>();
  for await (const some of partsOf(steps, 'handoffs')) for (const id of some) handoffs.add(id);
  return {
    ...head,
    lines,
    usage: await recordsOf(steps, 'usage'),
    standings,
    windows: await recordsOf(steps, 'windows'),
    handoffs,
    callIds,
    compactions,
    hasEntries,
    async *entries(known) {
      for (const some of slicesOf(known)) await steps.know(some);
      await steps.begin();
      for (let some = await steps.nextEntries(); some !== null; some = await steps.nextEntries()) yield some;
    },
  };
}

/** Prepares an import in this thread. */
export async function prepareImport(
  pool: Pool,
  {
    sessionId,
    chunks,
    ...options
  }: ReadOptions & { sessionId: string | null; chunks: AsyncIterable<Uint8Array | string> },
): Promise<Prepared> {
  return prepareSteps(pool, sessionId, await Preparation.read(chunks, options));
}

async function* partsOf<Kind extends keyof Records>(
  steps: Steps,
  kind: Kind,
): AsyncGenerator<readonly Records[Kind][]> {
  for (let from = 0, some = await steps.records(kind, 0); some.length > 0; some = await steps.records(kind, from)) {
    yield some;
    from += some.length;
  }
}

async function recordsOf<Kind extends keyof Records>(steps: Steps, kind: Kind): Promise<Records[Kind][]> {
  const all: Records[Kind][] = [];
  for await (const some of partsOf(steps, kind)) all.push(...some);
  return all;
}

/** The indexes of those lines that the log has. */
async function knownOf(
  pool: Pool,
  sessionId: string,
  lines: readonly Records['lines'][],
  from: number,
): Promise<number[]> {
  const { isKnown } = await findKnownLines(
    async (text, values) => (await pool.query({ ...text, values })).rows as never,
    sessionId,
    lines,
  );
  return lines.flatMap((line, index) => (isKnown(line) ? [from + index] : []));
}
