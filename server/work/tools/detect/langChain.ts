import { callOf, isRecord, type Json, type UnreadCall, recordsIn, stringOr } from './modelCall.ts';

/**
 * Of LangChain: the `tool_calls` of an AIMessage, as Python and JavaScript write it (plain, `{ type, data }`, or `{ lc, id, kwargs }`), alone or
 * as the last of a state's messages. Shapes as in the types of `@langchain/core`.
 */

function messageIn(value: Json): Json | null {
  const { lc, id, kwargs, type, data } = value;
  if (lc === 1 && isRecord(kwargs)) {
    const name = Array.isArray(id) ? stringOr(id.at(-1), '') : '';
    return /^AIMessage(Chunk)?$/.test(name) ? kwargs : null;
  }
  if ((type === 'ai' || type === 'AIMessageChunk') && isRecord(data)) return data;
  if (type === 'ai' || type === 'AIMessageChunk') return value;
  // JavaScript keeps no type in an object that was not serialised.
  return type === undefined && recordsIn(value['tool_calls']).some(isCall) ? value : null;
}

const isCall = (call: Json): boolean =>
  typeof call['name'] === 'string' && call['function'] === undefined && call['args'] !== undefined;

/** Reads a message, or the last one of a list or a state; null for any other shape. */
export function readLangChain(answer: unknown): UnreadCall[] | null {
  if (Array.isArray(answer)) {
    const last = recordsIn(answer).findLast((item) => messageIn(item) !== null);
    return last === undefined ? null : readLangChain(last);
  }
  if (!isRecord(answer)) return null;
  const message = messageIn(answer);
  if (message === null) return Array.isArray(answer['messages']) ? readLangChain(answer['messages']) : null;
  const calls = recordsIn(message['tool_calls']).filter(isCall);
  const invalid = recordsIn(message['invalid_tool_calls']).filter(({ name }) => typeof name === 'string');
  return [...calls, ...invalid].map(({ id, name, args }) =>
    callOf({ callId: id, name: stringOr(name, ''), input: args }),
  );
}

/** Puts the chunks of a stream together to a message; null for events of another format. */
export function assembleLangChain(events: readonly Json[]): Json | null {
  const chunks = events
    .map(messageIn)
    .filter((chunk): chunk is Json => chunk !== null && Array.isArray(chunk['tool_call_chunks']));
  if (chunks.length === 0) return null;
  const calls = new Map<unknown, { id: unknown; name: string; args: string }>();
  for (const { index, id, name, args } of chunks.flatMap((chunk) => recordsIn(chunk['tool_call_chunks']))) {
    const key = index ?? id;
    const call = calls.get(key) ?? { id: null, name: '', args: '' };
    calls.set(key, { id: id ?? call.id, name: call.name + stringOr(name, ''), args: call.args + stringOr(args, '') });
  }
  return { type: 'ai', tool_calls: [...calls.values()] };
}
