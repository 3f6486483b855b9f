import { callOf, isRecord, type Json, type UnreadCall, recordsIn, stringOr } from './modelCall.ts';

/** Of a Message: `content` with `tool_use` blocks. `server_tool_use` and `mcp_tool_use` ran at the provider and are not calls. */

const isBlock = ({ type }: Json): boolean =>
  type === 'tool_use' || type === 'text' || type === 'thinking' || type === 'redacted_thinking';
const isToolUse = (block: Json | undefined): block is Json & { name: string } =>
  block?.['type'] === 'tool_use' && typeof block['name'] === 'string';

/** Reads a Message, or a list of its content blocks; null for any other shape. */
export function readMessage(answer: unknown): UnreadCall[] | null {
  if (Array.isArray(answer)) return recordsIn(answer).some(isBlock) ? callsIn(answer, false) : null;
  if (!isRecord(answer) || !Array.isArray(answer['content'])) return null;
  const { type, role, content } = answer;
  if (role === undefined ? type !== 'message' : role !== 'assistant') return null;
  return callsIn(
    content,
    answer['stop_reason'] === 'max_tokens' || answer['stop_reason'] === 'model_context_window_exceeded',
  );
}

function callsIn(content: unknown, cut: boolean): UnreadCall[] {
  const blocks = recordsIn(content);
  const last = blocks.at(-1);
  return blocks.filter(isToolUse).map((block) => {
    const isCut = cut && block === last;
    // The provider completes the JSON of an input that was cut, so the input itself does not show it.
    return callOf({ callId: block['id'], name: block.name, input: isCut ? '' : block['input'], cut: isCut });
  });
}

/** Puts a recorded stream together to a Message; null for events of another format. */
export function assembleMessage(events: readonly Json[]): Json | null {
  if (!events.some(({ type }) => type === 'message_start' || type === 'content_block_start')) return null;
  const blocks = new Map<unknown, Block>();
  let stopReason: unknown = null;
  for (const event of events) {
    if (event['type'] === 'message_start') blocks.clear();
    if (event['type'] === 'content_block_start' && isRecord(event['content_block'])) {
      blocks.set(event['index'], { start: event['content_block'], input: '', whole: false });
    }
    const block = blocks.get(event['index']);
    if (event['type'] === 'content_block_stop' && block) block.whole = true;
    if (isRecord(event['delta'])) {
      if (block) block.input += stringOr(event['delta']['partial_json'], '');
      if (event['type'] === 'message_delta') stopReason = event['delta']['stop_reason'];
    }
  }
  const content = [...blocks.values()];
  const whole = content.at(-1)?.whole ?? true;
  return {
    type: 'message',
    role: 'assistant',
    content: content.map(blockOf),
    stop_reason: whole ? stopReason : 'max_tokens',
  };
}

interface Block {
  start: Json;
  input: string;
  whole: boolean;
}

const blockOf = ({ start, input }: Block): Json => (input === '' ? start : { ...start, input });
