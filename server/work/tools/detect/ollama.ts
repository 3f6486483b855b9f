import { callOf, isRecord, type Json, type UnreadCall, recordsIn } from './modelCall.ts';

/** Of Ollama's chat: the `tool_calls` of the message, whose arguments are objects. Shapes as in the types of `ollama` (ChatResponse). */

const isAnswer = ({ done, message }: Json): boolean => typeof done === 'boolean' && isRecord(message);

/** Reads an answer; null for any other shape. */
export function readOllama(answer: unknown): UnreadCall[] | null {
  if (!isRecord(answer) || !isAnswer(answer) || !isRecord(answer['message'])) return null;
  const { message, done_reason: reason } = answer;
  const calls = recordsIn(message['tool_calls']).flatMap(({ id, function: called }) =>
    isRecord(called) && typeof called['name'] === 'string'
      ? [{ callId: id, name: called['name'], input: called['arguments'] }]
      : [],
  );
  return calls.map((call, at) =>
    reason === 'length' && at === calls.length - 1 ? callOf({ ...call, input: '', cut: true }) : callOf(call),
  );
}

/** Puts the answers of a stream together to one; null for events of another format. */
export function assembleOllama(events: readonly Json[]): Json | null {
  const answers = events.filter(isAnswer);
  const last = answers.at(-1);
  if (last === undefined) return null;
  const calls = answers.flatMap(({ message }) => (isRecord(message) ? recordsIn(message['tool_calls']) : []));
  return { ...last, message: { role: 'assistant', tool_calls: calls } };
}
