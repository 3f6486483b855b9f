import { createAnthropic } from '@ai-sdk/anthropic';
import { createGoogleGenerativeAI } from '@ai-sdk/google';
import { createOpenAI } from '@ai-sdk/openai';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import type { LanguageModelV3, LanguageModelV3Content, LanguageModelV3Usage } from '@ai-sdk/provider';
import { ModelError, type Answer, type Model, type Usage } from './conversation.ts';
import type { ModelEntry } from './modelsFile.ts';
import { modelErrorOf } from './vendorError.ts';
import { messagesOf } from './vendorMessages.ts';

/** Models of providers, by the parts of the AI SDK that know their interfaces. Only `models.ts` loads this file, when one is used. */

type Vendor = Exclude<ModelEntry['provider'], 'script'>;

const makers: Record<
  Vendor,
  (options: { baseURL?: string | undefined; apiKey?: string | undefined; model: string }) => LanguageModelV3
> = {
  anthropic: ({ model, ...options }) => createAnthropic(given(options))(model),
  openai: ({ model, ...options }) => createOpenAI(given(options))(model),
  google: ({ model, ...options }) => createGoogleGenerativeAI(given(options))(model),
  'openai-compatible': ({ model, baseURL = '', ...options }) =>
    createOpenAICompatible({ name: 'server', baseURL, includeUsage: true, ...given(options) })(model),
};

/** Without what is not set. The AI SDK would look for a key in the environment: a server without one gets none. */
const given = ({ baseURL, apiKey }: { baseURL?: string | undefined; apiKey?: string | undefined }) => ({
  ...(baseURL !== undefined && { baseURL }),
  ...(apiKey !== undefined ? { apiKey } : baseURL !== undefined && { apiKey: 'none' }),
});

export function vendorModel(
  name: string,
  { provider, model, baseURL, stream, timeoutSeconds }: ModelEntry & { provider: Vendor },
  apiKey: string | undefined,
  limits: Pick<Model, 'contextWindow' | 'price'>,
): Model {
  const vendor = makers[provider]({ model, baseURL, apiKey });
  return {
    name,
    ...limits,
    async answer(question, signal) {
      const timeout = AbortSignal.timeout(timeoutSeconds * 1_000);
      const options = {
        prompt: messagesOf(question, provider),
        tools: question.tools.map((tool) => ({ type: 'function' as const, ...tool })),
        abortSignal: AbortSignal.any([signal, timeout]),
      };
      try {
        const got = await (stream ? streamed : atOnce)(vendor, options);
        return answerOf(got, model, provider);
      } catch (error) {
        signal.throwIfAborted();
        if (timeout.aborted) throw new ModelError(`${name} did not end its answer in ${timeoutSeconds} s`, true);
        throw error instanceof ModelError ? error : modelErrorOf(name, error, apiKey);
      }
    },
  };
}

interface Got {
  response: unknown;
  content: LanguageModelV3Content[];
  usage: LanguageModelV3Usage | undefined;
  isCut: boolean;
  modelId: string | undefined;
}

type Options = Parameters<LanguageModelV3['doGenerate']>[0];

async function atOnce(vendor: LanguageModelV3, options: Options): Promise<Got> {
  const { content, usage, finishReason, response } = await vendor.doGenerate(options);
  return {
    response: response?.body,
    content,
    usage,
    isCut: finishReason.unified === 'length',
    modelId: response?.modelId,
  };
}

/** The whole answer that came in parts. @throws ModelError when it ends in the middle */
async function streamed(vendor: LanguageModelV3, options: Options): Promise<Got> {
  const { stream } = await vendor.doStream({ ...options, includeRawChunks: true });
  const events: unknown[] = [];
  const content: LanguageModelV3Content[] = [];
  const got: Got = { response: events, content, usage: undefined, isCut: false, modelId: undefined };
  let isWhole = false;
  let text = '';
  for await (const part of stream as unknown as AsyncIterable<
    Awaited<ReturnType<LanguageModelV3['doStream']>>['stream'] extends ReadableStream<infer Part> ? Part : never
  >) {
    if (part.type === 'raw') events.push(part.rawValue);
    if (part.type === 'text-delta') text += part.delta;
    if (part.type === 'tool-call') content.push(part);
    if (part.type === 'response-metadata') got.modelId = part.modelId ?? got.modelId;
    if (part.type === 'error') throw part.error;
    if (part.type !== 'finish') continue;
    // Without a reason of the provider the connection ended first. OpenAI gives its reason only for an answer that it cut.
    isWhole = part.finishReason.raw !== undefined || events.some(isCompletion);
    got.isCut = part.finishReason.unified === 'length';
    got.usage = part.usage;
  }
  if (!isWhole) throw new ModelError('The connection ended in the middle of an answer', true);
  content.unshift({ type: 'text', text });
  return got;
}

const isCompletion = (event: unknown): boolean => (event as { type?: unknown } | null)?.type === 'response.completed';

function answerOf({ response, content, usage, isCut, modelId }: Got, model: string, provider: Vendor): Answer {
  return {
    response,
    text: content.map((part) => (part.type === 'text' ? part.text : '')).join(''),
    model: modelId ?? model,
    usage: usage === undefined ? null : usageOf(usage),
    isCut,
    // Gemini refuses a call that comes back without its signature.
    providerOptions: content.flatMap((part) =>
      part.type === 'tool-call' && part.providerExecuted !== true
        ? [provider === 'google' ? part.providerMetadata : undefined]
        : [],
    ),
  };
}

const usageOf = ({ inputTokens, outputTokens }: LanguageModelV3Usage): Usage => ({
  inputTokens: inputTokens.noCache ?? inputTokens.total ?? null,
  outputTokens: outputTokens.total ?? null,
  cacheReadInputTokens: inputTokens.cacheRead ?? null,
  cacheCreationInputTokens: inputTokens.cacheWrite ?? null,
});
