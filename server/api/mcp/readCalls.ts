import type { Desk } from './ask.ts';

/** The tool calls beside the messages that baton_read shows. */

/** Calls of one answer, the newest ones; results are read of these only. */
const mostCalls = 20;
/** Characters of all calls, and of the parts of one. */
const mostCharacters = 6_000;
const mostOfArguments = 300;
const mostOfResult = 600;

interface Found {
  id: string;
  sequence: number;
}
interface Read {
  name: string;
  sequence: number;
  arguments: unknown;
  result: string | null;
  error: string | null;
}

export interface ShownCall {
  /** Number of the last message before it. */
  after: number;
  name: string;
  failed: boolean;
  arguments: string;
  /** The result or the error. */
  result: string;
  /** Characters that were left out. */
  cut: number;
}

const turnsDocument = 'query ($ids: [ID!]!) { nodes(ids: $ids) { ... on Turn { toolCalls { id sequence } } } }';
const callsDocument =
  'query ($ids: [ID!]!) { nodes(ids: $ids) { ... on ToolCall { name sequence arguments result error } } }';

/** The calls of these turns that belong to the messages of a range, in order. */
export async function readCalls(
  { query }: Desk,
  turnIds: readonly string[],
  { from, to }: { from: number; to: number },
): Promise<ShownCall[]> {
  if (turnIds.length === 0) return [];
  const turns = await query<{ nodes: ({ toolCalls: Found[] } | null)[] }>(turnsDocument, {
    ids: [...new Set(turnIds)],
  });
  const inRange = turns.nodes
    .flatMap((turn) => turn?.toolCalls ?? [])
    .filter(({ sequence }) => sequence >= from && sequence <= to)
    // Stable: calls of one message keep their order.
    .sort((one, other) => one.sequence - other.sequence)
    .slice(-mostCalls);
  if (inRange.length === 0) return [];
  const { nodes } = await query<{ nodes: (Read | null)[] }>(callsDocument, { ids: inRange.map(({ id }) => id) });
  const shown: ShownCall[] = [];
  let room = mostCharacters;
  for (const call of nodes.toReversed()) {
    if (call === null) continue;
    const next = shownOf(call);
    room -= next.name.length + next.arguments.length + next.result.length;
    if (room < 0) break;
    shown.unshift(next);
  }
  return shown;
}

function shownOf({ name, sequence, arguments: given, result, error }: Read): ShownCall {
  const [whole, outcome] = [given === null ? '' : JSON.stringify(given), error ?? result ?? ''];
  const parts = { arguments: whole.slice(0, mostOfArguments), result: outcome.slice(0, mostOfResult) };
  return {
    after: sequence,
    name,
    failed: error !== null,
    ...parts,
    cut: whole.length + outcome.length - parts.arguments.length - parts.result.length,
  };
}

export const charactersOf = (calls: readonly ShownCall[]): number =>
  calls.reduce((sum, call) => sum + call.name.length + call.arguments.length + call.result.length, 0);
