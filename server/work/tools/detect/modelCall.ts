import { BoundedJson, TooDeep, TooManyValues } from '../../../core/json.ts';
import { limits } from '../../../core/limits.ts';
import type { Arguments, Problem } from './detection.ts';

/** A call in a model's answer, without what is peculiar to the format, and with its arguments as the answer has them. */
export interface UnreadCall {
  callId: string | null;
  toolName: string;
  input: unknown;
  /** The answer ended in this call. */
  cut: boolean;
  /** Set when an SDK marks the call as a handoff: the target's name as the SDK knows it, or null. */
  handoff?: { target: string | null };
}

export interface ModelCall extends Omit<UnreadCall, 'input' | 'cut'> {
  /** Null exactly when there is a problem. */
  arguments: Arguments | null;
  problem: Problem | null;
}

export type Json = Readonly<Record<string, unknown>>;

export const isRecord = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
export const recordsIn = (value: unknown): Json[] => (Array.isArray(value) ? value.filter(isRecord) : []);
export const stringOr = <Other>(value: unknown, other: Other): string | Other =>
  typeof value === 'string' ? value : other;

export const callOf = ({
  callId,
  name,
  input,
  cut = false,
}: {
  callId: unknown;
  name: string;
  input: unknown;
  cut?: boolean;
}): UnreadCall => ({ callId: stringOr(callId, null), toolName: name, input, cut });

/** Reads the arguments of calls. Their texts are bounded together. */
export function readCalls(calls: readonly UnreadCall[]): ModelCall[] {
  const json = new BoundedJson(limits.values.most);
  return calls.map(({ input, cut, ...call }) => {
    const given = argumentsOf(input, cut, json);
    const failed = 'code' in given;
    return { ...call, arguments: failed ? null : given.arguments, problem: failed ? given : null };
  });
}

function argumentsOf(input: unknown, cut: boolean, json: BoundedJson): { arguments: Arguments } | Problem {
  let value = input;
  if (typeof input === 'string' && input.trim() !== '') {
    try {
      value = json.parse(input);
    } catch (error) {
      if (error instanceof TooManyValues) return invalid(`The arguments are ${error.message}: send fewer`);
      if (error instanceof TooDeep) return nested;
      return cut ? wasCut : invalid('The arguments are not JSON: send one JSON object');
    }
  } else if (cut) return wasCut;
  // For a tool without arguments models leave them out, or send null or an empty text.
  if (value === undefined || value === null || (value === input && typeof value === 'string')) value = {};
  if (!isRecord(value)) return invalid('The arguments are not a JSON object: send one JSON object');
  return faultIn(value) ?? { arguments: value };
}

const invalid = (message: string, path: readonly string[] = []): Problem => ({
  code: 'INVALID_ARGUMENTS',
  message,
  suggestions: [],
  path,
});
const nested = invalid(`The arguments are nested more than ${limits.json.depth} levels deep: flatten them`);
const wasCut = invalid('The answer ends within the arguments: ask the model again');

/** What could not be stored or sent on: text that PostgreSQL cannot hold, and deep nesting. Without recursion, since the depth is the sender's. */
function faultIn(value: Json): Problem | null {
  const { depth } = limits.json;
  const open: { value: object; path: Path }[] = [{ value, path: { depth: 0 } }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    for (const [key, part] of Object.entries(next.value as Json)) {
      const path: Path = { depth: next.path.depth + 1, key, before: next.path };
      const message = textFault(key) ?? (typeof part === 'string' ? textFault(part) : null);
      if (message !== null) return invalid(message, keysOf(path));
      if (typeof part !== 'object' || part === null) continue;
      if (path.depth >= depth) return nested;
      open.push({ value: part, path });
    }
  }
  return null;
}

interface Path {
  depth: number;
  key?: string;
  before?: Path;
}

const keysOf = ({ key, before }: Path): string[] =>
  key === undefined || before === undefined ? [] : [...keysOf(before), key];

const loneSurrogate = /\p{Surrogate}/u;

function textFault(text: string): string | null {
  if (text.includes('\0')) return 'An argument contains NUL (U+0000): remove it';
  return loneSurrogate.test(text) ? 'An argument contains an unpaired surrogate: remove it' : null;
}
