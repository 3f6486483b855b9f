import { callOf, isRecord, type Json, type UnreadCall, recordsIn, stringOr } from './modelCall.ts';

/** Of Amazon Bedrock's Converse: `toolUse` blocks of the message. Shapes as in the types of `@aws-sdk/client-bedrock-runtime`. */

const isToolUse = (block: Json): block is Json & { toolUse: Json & { name: string } } =>
  isRecord(block['toolUse']) && typeof block['toolUse']['name'] === 'string';

/** Reads an answer of Converse or its message; null for any other shape. */
export function readConverse(answer: unknown): UnreadCall[] | null {
  if (!isRecord(answer)) return null;
  const { output } = answer;
  const isAnswer = isRecord(output) && isRecord(output['message']);
  const message = isAnswer ? (output['message'] as Json) : answer;
  if (message['role'] !== 'assistant' || !Array.isArray(message['content'])) return null;
  const blocks = recordsIn(message['content']);
  // A message without calls is also one of other formats.
  if (!isAnswer && !blocks.some(isToolUse)) return null;
  const cut = answer['stopReason'] === 'max_tokens' || answer['stopReason'] === 'model_context_window_exceeded';
  return blocks
    .filter(isToolUse)
    .map((block) => {
      const { toolUseId, name, input, type } = block.toolUse;
      const isCut = cut && block === blocks.at(-1);
      return {
        ...callOf({ callId: toolUseId, name, input: isCut ? '' : input, cut: isCut }),
        isOfProvider: type === 'server_tool_use',
      };
    })
    .flatMap(({ isOfProvider, ...call }) => (isOfProvider ? [] : [call]));
}

/** Puts the events of ConverseStream together to an answer; null for events of another format. */
export function assembleConverse(events: readonly Json[]): Json | null {
  if (!events.some(({ messageStart, contentBlockStart }) => isRecord(messageStart) || isRecord(contentBlockStart)))
    return null;
  const blocks = new Map<unknown, { toolUse: Json; input: string; whole: boolean }>();
  let stopReason: unknown = null;
  for (const { contentBlockStart, contentBlockDelta, contentBlockStop, messageStop } of events) {
    if (isRecord(contentBlockStart) && isRecord(contentBlockStart['start'])) {
      const { toolUse } = contentBlockStart['start'];
      if (isRecord(toolUse)) blocks.set(contentBlockStart['contentBlockIndex'], { toolUse, input: '', whole: false });
    }
    if (isRecord(contentBlockDelta) && isRecord(contentBlockDelta['delta'])) {
      const { toolUse } = contentBlockDelta['delta'];
      const open = blocks.get(contentBlockDelta['contentBlockIndex']);
      if (open !== undefined && isRecord(toolUse)) open.input += stringOr(toolUse['input'], '');
    }
    if (isRecord(contentBlockStop)) {
      const open = blocks.get(contentBlockStop['contentBlockIndex']);
      if (open !== undefined) open.whole = true;
    }
    if (isRecord(messageStop)) stopReason = messageStop['stopReason'];
  }
  const all = [...blocks.values()];
  const content = all.map(({ toolUse, input }) => ({ toolUse: { ...toolUse, input } }));
  return {
    output: { message: { role: 'assistant', content } },
    stopReason: (all.at(-1)?.whole ?? true) ? stopReason : 'max_tokens',
  };
}
