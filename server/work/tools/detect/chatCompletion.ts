import { callOf, isRecord, type Json, type UnreadCall, recordsIn, stringOr } from './modelCall.ts';

/** Of a chat completion: `tool_calls` and the older `function_call` of the first choice. Other choices are alternatives to it. */

/** Reads a chat completion, or its message; null for any other shape. */
export function readChatCompletion(answer: unknown): UnreadCall[] | null {
  if (!isRecord(answer)) return null;
  if (answer['object'] === 'chat.completion' || Array.isArray(answer['choices'])) {
    const choice = firstChoice(answer);
    return choice === undefined ? [] : callsIn(choice['message'], choice['finish_reason'] === 'length');
  }
  return Array.isArray(answer['tool_calls']) || isRecord(answer['function_call']) ? callsIn(answer, false) : null;
}

function firstChoice({ choices }: Json): Json | undefined {
  const all = recordsIn(choices);
  return all.find(({ index }) => index === 0) ?? all[0];
}

function callsIn(message: unknown, cut: boolean): UnreadCall[] {
  if (!isRecord(message) || (message['role'] ?? 'assistant') !== 'assistant') return [];
  const toolCalls = recordsIn(message['tool_calls']).map((call) => ({
    id: call['id'],
    called: call['function'] ?? call['custom'],
  }));
  const calls = [...toolCalls, { id: null, called: message['function_call'] }].flatMap(({ id, called }) =>
    isRecord(called) && typeof called['name'] === 'string'
      ? [{ callId: id, name: called['name'], input: called['arguments'] ?? called['input'] }]
      : [],
  );
  return calls.map((call, at) => callOf({ ...call, cut: cut && at === calls.length - 1 }));
}

/** Puts recorded chunks together to a chat completion; null for events of another format. */
export function assembleChatCompletion(events: readonly Json[]): Json | null {
  if (!events.some(({ object }) => object === 'chat.completion.chunk')) return null;
  const toolCalls: Called[] = [];
  const at = new Map<unknown, Called>();
  let older: Called | undefined;
  let finishReason: unknown = null;
  for (const chunk of events) {
    const choice = firstChoice(chunk);
    if (choice === undefined || (choice['index'] ?? 0) !== 0) continue;
    finishReason = choice['finish_reason'] ?? finishReason;
    if (!isRecord(choice['delta'])) continue;
    for (const part of recordsIn(choice['delta']['tool_calls'])) {
      let call = at.get(part['index']);
      // Some providers give every call of an answer the index 0, and an id of its own.
      if (call === undefined || (part['id'] && part['id'] !== call.id)) {
        toolCalls.push((call = { id: part['id'], name: '', arguments: '' }));
        at.set(part['index'], call);
      }
      extend(call, part['function'] ?? part['custom']);
    }
    if (isRecord(choice['delta']['function_call']))
      extend((older ??= { id: null, name: '', arguments: '' }), choice['delta']['function_call']);
  }
  const message = {
    role: 'assistant',
    tool_calls: toolCalls.map(({ id, ...called }) => ({ id, function: called })),
    ...(older && { function_call: older }),
  };
  return { object: 'chat.completion', choices: [{ index: 0, message, finish_reason: finishReason ?? 'length' }] };
}

interface Called {
  id: unknown;
  name: string;
  arguments: string;
}

function extend(call: Called, part: unknown): void {
  if (!isRecord(part)) return;
  // Like the SDKs: the name comes whole, and some providers repeat it.
  call.name = stringOr(part['name'], '') || call.name;
  call.arguments += stringOr(part['arguments'] ?? part['input'], '');
}
