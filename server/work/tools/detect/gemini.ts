import { callOf, isRecord, type Json, type UnreadCall, recordsIn } from './modelCall.ts';

/**
 * Of the Gemini API: the `functionCall` parts of the first candidate. Other candidates are alternatives to it. Python writes snake_case. Shapes
 * as in the types of `@google/genai` (GenerateContentResponse, Content, Part).
 */

const calledBy = (part: Json): unknown => part['functionCall'] ?? part['function_call'];
const isContent = (value: unknown): value is Json =>
  isRecord(value) && Array.isArray(value['parts']) && (value['role'] ?? 'model') === 'model';

/** Reads a response or its content; null for any other shape. */
export function readGemini(answer: unknown): UnreadCall[] | null {
  if (!isRecord(answer)) return null;
  const { candidates } = answer;
  if (Array.isArray(candidates)) {
    const all = recordsIn(candidates);
    const first = all.find(({ index }) => index === 0) ?? all[0];
    const reason = first?.['finishReason'] ?? first?.['finish_reason'];
    return first === undefined ? [] : callsIn(first['content'], reason === 'MAX_TOKENS');
  }
  return isContent(answer) && recordsIn(answer['parts']).some((part) => isRecord(calledBy(part)) || isText(part))
    ? callsIn(answer, false)
    : null;
}

/** A text of the API has no `type`, unlike those of other formats. */
const isText = (part: Json): boolean => typeof part['text'] === 'string' && part['type'] === undefined;

function callsIn(content: unknown, cut: boolean): UnreadCall[] {
  const parts = isContent(content) ? recordsIn(content['parts']) : [];
  const last = parts.at(-1);
  return parts.flatMap((part) => {
    const called = calledBy(part);
    if (!isRecord(called) || typeof called['name'] !== 'string') return [];
    // A cut answer ends before its last call is complete.
    const isCut = cut && part === last;
    return [callOf({ callId: called['id'], name: called['name'], input: isCut ? '' : called['args'], cut: isCut })];
  });
}

/** Puts the responses of a stream together to one; null for events of another format. */
export function assembleGemini(events: readonly Json[]): Json | null {
  if (!events.some(({ candidates }) => Array.isArray(candidates))) return null;
  const firsts = events.flatMap(({ candidates }) => recordsIn(candidates).filter(({ index }) => (index ?? 0) === 0));
  const parts = firsts.flatMap(({ content }) => (isRecord(content) ? recordsIn(content['parts']) : []));
  const reasons = firsts.map((first) => first['finishReason'] ?? first['finish_reason']);
  return {
    candidates: [{ content: { role: 'model', parts }, finishReason: reasons.findLast((reason) => reason != null) }],
  };
}
