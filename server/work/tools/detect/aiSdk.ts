import { callOf, isRecord, type Json, type UnreadCall, recordsIn, stringOr } from './modelCall.ts';

/**
 * Of the Vercel AI SDK: results of `generateText` (its last step), their messages, messages of a UI, and parts of a stream. Shapes as in
 * the types of `ai` 4 to 6: `input` was `args`.
 */

const isCall = (part: Json): boolean => part['type'] === 'tool-call' && typeof part['toolName'] === 'string';
/** A call in a message of a UI: `tool-<name>`, `dynamic-tool`, or with version 4 `tool-invocation`. */
const isUiCall = (part: Json): boolean => uiCallOf(part) !== null;

function uiCallOf(part: Json): Json | null {
  const { type, toolInvocation, toolCallId } = part;
  if (type === 'tool-invocation') return isRecord(toolInvocation) ? toolInvocation : null;
  if (typeof toolCallId !== 'string' || typeof part['state'] !== 'string') return null;
  if (type === 'dynamic-tool') return part;
  return typeof type === 'string' && type.startsWith('tool-') ? { ...part, toolName: type.slice(5) } : null;
}

function callIn(part: Json): UnreadCall[] {
  const { toolCallId, toolName, state, providerExecuted } = part;
  if (providerExecuted === true || typeof toolName !== 'string') return [];
  const cut = state === 'input-streaming' || state === 'partial-call';
  return [callOf({ callId: toolCallId, name: toolName, input: cut ? '' : (part['input'] ?? part['args']), cut })];
}

const callsIn = (parts: readonly Json[]): UnreadCall[] =>
  parts.flatMap((part) => callIn(isCall(part) ? part : (uiCallOf(part) ?? {})));

/** Reads a result, a message, or a list of parts; null for any other shape. */
export function readAiSdk(answer: unknown): UnreadCall[] | null {
  if (Array.isArray(answer)) {
    const items = recordsIn(answer);
    if (items.some((item) => isCall(item) || isUiCall(item))) return callsIn(items);
    // Messages of a result: only the last answer of the model was not acted on.
    const last = items.findLast(({ role }) => role === 'assistant');
    return last === undefined ? null : readAiSdk(last);
  }
  if (!isRecord(answer)) return null;
  const { steps, toolCalls, content, parts, role } = answer;
  const lastStep = recordsIn(steps).at(-1);
  if (lastStep !== undefined && isResult(lastStep)) return readAiSdk(lastStep);
  if (isResult(answer)) {
    const made = recordsIn(toolCalls);
    return callsIn(made.length > 0 ? made.map((call) => ({ ...call, type: 'tool-call' })) : recordsIn(content));
  }
  if (role !== undefined && role !== 'assistant') return null;
  const inside = [...recordsIn(content), ...recordsIn(parts)];
  return inside.some((part) => isCall(part) || isUiCall(part)) ? callsIn(inside) : null;
}

const isResult = (value: Json): boolean =>
  typeof value['finishReason'] === 'string' && (Array.isArray(value['toolCalls']) || Array.isArray(value['content']));

/** Puts the parts of a stream together; null for events of another format. */
export function assembleAiSdk(events: readonly Json[]): Json | null {
  if (
    !events.some(
      ({ type }) => typeof type === 'string' && /^tool-(input-(start|available)|call-streaming-start)$/.test(type),
    )
  )
    return null;
  const calls = new Map<unknown, Json>();
  const open = (id: unknown, fields: Json): void =>
    void calls.set(id, { ...calls.get(id), type: 'dynamic-tool', toolCallId: id, ...fields });
  for (const event of events) {
    const { type, toolName, input, providerExecuted } = event;
    const id = event['toolCallId'] ?? event['id'];
    const of = {
      ...(typeof toolName === 'string' && { toolName }),
      ...(providerExecuted === true && { providerExecuted }),
    };
    if (type === 'tool-input-start' || type === 'tool-call-streaming-start')
      open(id, { ...of, state: 'input-streaming' });
    else if (type === 'tool-input-available' || type === 'tool-call')
      open(id, { ...of, state: 'input-available', input: input ?? event['args'] });
    else if (stringOr(type, '') === 'start-step') calls.clear();
  }
  return { role: 'assistant', parts: [...calls.values()] };
}
