import { statement, type Statement } from '../../core/changes.ts';
import { encodeId } from '../../core/ids.ts';
import type { Work } from '../../core/work.ts';
import type { Prepared } from './preparation.ts';
import type { Usage } from './queries.ts';
import { isInLog } from './transcripts/exported.ts';
import type { LineOf, Tokens } from './transcripts/transcript.ts';

/** The columns of a Turn that an import may change. */
export interface OpenTurn extends Usage {
  id: string;
  windowTokens: number | null;
}

export interface StoredUsage extends Tokens {
  id: string;
  key: string;
  turnId: string;
}

export interface StoredCall {
  id: string;
  callId: string;
  /** Whether it has neither result nor error. */
  open: boolean;
}

/** The parts of this transcript that earlier imports wrote into a locked Session. */
export interface Known {
  /** Whether the log has this line: from an earlier import, or because Baton wrote the line from the log. */
  line(index: number): boolean;
  /** The indexes of those lines. */
  lines: readonly number[];
  /** Turns of earlier imports, by the number of the turn in the file. */
  turnOf: Map<number, string>;
  /** The last of them in the file. */
  lastTurn: { turn: number; id: string } | null;
  calls: Map<string, StoredCall>;
  usage: Map<string, StoredUsage>;
  /** Whether an earlier import wrote a line. */
  continues: boolean;
}

/** Values of one statement: more of them would take the event loop and the database long at once. */
const valuesOfStatement = 5_000;

export function* slicesOf<Value>(values: readonly Value[]): Generator<Value[]> {
  for (let from = 0; from < values.length; from += valuesOfStatement)
    yield values.slice(from, from + valuesOfStatement);
}

type Query = <Row extends object>(statement: Statement, values: unknown[]) => Promise<Row[]>;

const tokens = `input_tokens AS "inputTokens", output_tokens AS "outputTokens",
  cache_creation_input_tokens AS "cacheCreationInputTokens", cache_read_input_tokens AS "cacheReadInputTokens"`;
const findLines = statement(
  'SELECT line_key AS key, turn_id AS "turnId" FROM import_lines WHERE session_id = $1 AND line_key = ANY ($2::text[])',
);
const findCounts = statement(
  'SELECT message_count AS "messageCount", tool_call_count AS "toolCallCount" FROM sessions WHERE id = $1',
);
const findCalls = statement(
  'SELECT id, call_id AS "callId", result IS NULL AND error IS NULL AS open FROM tool_calls WHERE session_id = $1 AND call_id = ANY ($2::text[]) ORDER BY index',
);
const findUsage = statement(
  `SELECT id, key, turn_id AS "turnId", ${tokens} FROM import_usages WHERE session_id = $1 AND key = ANY ($2::text[])`,
);
const findTurns = statement(
  `SELECT id, ${tokens}, model, window_tokens AS "windowTokens" FROM turns WHERE id = ANY ($1::uuid[])`,
);
// A Turn can be continued while it is the Session's last and has its last message.
const findContinued = statement(
  `SELECT id, ${tokens}, model, window_tokens AS "windowTokens" FROM turns t WHERE id = $2 AND session_id = $1 AND index = $3 AND agent_session_id IS NOT DISTINCT FROM $5
     AND EXISTS (SELECT FROM messages m WHERE m.session_id = $1 AND m.sequence = $4 AND m.turn_id = t.id)`,
);

/** The Turns of the lines that are in the log of a Session: from earlier imports, or because Baton wrote the lines from it. */
export async function findKnownLines(
  query: Query,
  sessionId: string,
  lines: readonly LineOf[],
): Promise<{ isKnown: (line: LineOf) => boolean; turns: Map<string, string | null> }> {
  const keys = lines.map(({ key }) => key);
  const found = await query<{ key: string; turnId: string | null }>(findLines, [sessionId, keys]);
  const turns = new Map(found.map(({ key, turnId }) => [key, turnId]));
  const [counts] = lines.some(({ exported }) => exported !== null)
    ? await query<{ messageCount: number; toolCallCount: number }>(findCounts, [sessionId])
    : [];
  const log = counts === undefined ? null : { ...counts, session: encodeId('session', sessionId) };
  return { turns, isKnown: ({ key, exported }) => turns.has(key) || (log !== null && isInLog(exported, log)) };
}

export async function readKnown(work: Work, sessionId: string, { lines, callIds, usage }: Prepared): Promise<Known> {
  const isKnown = new Uint8Array(lines.length);
  const known: number[] = [];
  const turnOf = new Map<number, string>();
  let lastTurn: Known['lastTurn'] = null;
  let continues = false;
  let index = 0;
  for (const some of slicesOf(lines)) {
    const found = await findKnownLines((text, values) => work.query(text, values), sessionId, some);
    continues ||= found.turns.size > 0;
    for (const line of some) {
      const { key, turn } = line;
      if (found.isKnown(line)) {
        isKnown[index] = 1;
        known.push(index);
      }
      index += 1;
      const id = found.turns.get(key);
      if (id == null) continue;
      turnOf.set(turn, id);
      if (lastTurn === null || turn >= lastTurn.turn) lastTurn = { turn, id };
    }
  }
  const calls = new Map<string, StoredCall>();
  const stored = new Map<string, StoredUsage>();
  for (const some of slicesOf(callIds))
    for (const call of await work.query<StoredCall>(findCalls, [sessionId, some])) calls.set(call.callId, call);
  for (const some of slicesOf(usage)) {
    const keys = some.map(({ key }) => key);
    for (const item of await work.query<StoredUsage>(findUsage, [sessionId, keys])) stored.set(item.key, item);
  }
  return {
    line: (at) => isKnown[at] === 1,
    lines: known,
    turnOf,
    lastTurn,
    calls,
    usage: stored,
    continues,
  };
}

export async function readTurns(work: Work, turnIds: string[]): Promise<Map<string, OpenTurn>> {
  const turns = new Map<string, OpenTurn>();
  for (const some of slicesOf(turnIds))
    for (const turn of await work.query<OpenTurn>(findTurns, [some])) turns.set(turn.id, turn);
  return turns;
}

/** The Turn that an import continues; null when it cannot be continued. */
export async function readContinued(
  work: Work,
  session: { id: string; turnCount: number; messageCount: number },
  turnId: string,
  agentSessionId: string | null,
): Promise<OpenTurn | null> {
  const [turn] = await work.query<OpenTurn>(findContinued, [
    session.id,
    turnId,
    session.turnCount,
    session.messageCount,
    agentSessionId,
  ]);
  return turn ?? null;
}
