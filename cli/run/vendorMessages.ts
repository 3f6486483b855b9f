import type { LanguageModelV3Message, LanguageModelV3Prompt, LanguageModelV3ToolResultPart } from '@ai-sdk/provider';
import type { Call, Question, Step } from './conversation.ts';

/** The conversation as the AI SDK takes it. */
export function messagesOf({ system, entries }: Question, provider: string): LanguageModelV3Prompt {
  const messages = entries.flatMap((entry): LanguageModelV3Message[] =>
    entry.kind === 'said' ? [{ role: 'user', content: [{ type: 'text', text: entry.text }] }] : messagesOfStep(entry),
  );
  // All before the last message is the same at the next step: Anthropic reads it from its cache for a tenth of the price.
  const last = messages.at(-1);
  if (provider === 'anthropic' && last !== undefined)
    last.providerOptions = { anthropic: { cacheControl: { type: 'ephemeral' } } };
  return [{ role: 'system', content: system }, ...messages];
}

function messagesOfStep({ text, calls }: Step): LanguageModelV3Message[] {
  const said: LanguageModelV3Message = {
    role: 'assistant',
    content: [
      ...(text.trim() === '' ? [] : [{ type: 'text' as const, text }]),
      ...calls.map((call) => ({
        type: 'tool-call' as const,
        ...named(call),
        input: call.arguments ?? {},
        ...(call.providerOptions !== undefined && { providerOptions: call.providerOptions as never }),
      })),
    ],
  };
  return calls.length === 0 ? [said] : [said, { role: 'tool', content: calls.map(resultOf) }];
}

const resultOf = (call: Call): LanguageModelV3ToolResultPart => ({
  type: 'tool-result',
  ...named(call),
  output:
    call.error === null
      ? { type: 'text', value: call.result ?? 'It has no outcome.' }
      : { type: 'error-text', value: call.error },
});

/** Providers refuse other names, also of a tool that the model invented. */
const named = ({ id, name }: Call): { toolCallId: string; toolName: string } => ({
  toolCallId: id,
  toolName: name.replaceAll(/[^a-zA-Z0-9_-]/g, '_').slice(0, 64) || 'tool',
});
