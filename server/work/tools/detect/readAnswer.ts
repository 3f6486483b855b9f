import { BoundedJson, TooManyValues } from '../../../core/json.ts';
import { limits } from '../../../core/limits.ts';
import { readAgentsSdk } from './agentsSdk.ts';
import { assembleAiSdk, readAiSdk } from './aiSdk.ts';
import { assembleMessage, readMessage } from './anthropic.ts';
import { assembleConverse, readConverse } from './bedrock.ts';
import { assembleChatCompletion, readChatCompletion } from './chatCompletion.ts';
import type { DetectedFormat } from './detection.ts';
import { assembleGemini, readGemini } from './gemini.ts';
import { assembleLangChain, readLangChain } from './langChain.ts';
import { isRecord, type Json, type ModelCall, readCalls, recordsIn, type UnreadCall } from './modelCall.ts';
import { assembleOllama, readOllama } from './ollama.ts';
import { assembleResponse, readResponse } from './response.ts';

interface Format {
  format: DetectedFormat;
  /** Null for another format. */
  read(answer: unknown): UnreadCall[] | null;
  /** Turns recorded events into the whole answer; null for another format. */
  assemble?(events: readonly Json[]): Json | null;
}

/** The first that fits: items of the Agents SDK contain items of the Responses API, and messages of LangChain and the AI SDK those of providers. */
const formats: readonly Format[] = [
  { format: 'AGENTS_SDK', read: readAgentsSdk },
  { format: 'OPENAI_RESPONSE', read: readResponse, assemble: assembleResponse },
  { format: 'GEMINI_RESPONSE', read: readGemini, assemble: assembleGemini },
  { format: 'BEDROCK_CONVERSE', read: readConverse, assemble: assembleConverse },
  { format: 'OLLAMA_CHAT', read: readOllama, assemble: assembleOllama },
  { format: 'LANGCHAIN_MESSAGE', read: readLangChain, assemble: assembleLangChain },
  { format: 'AI_SDK', read: readAiSdk, assemble: assembleAiSdk },
  { format: 'OPENAI_CHAT_COMPLETION', read: readChatCompletion, assemble: assembleChatCompletion },
  { format: 'ANTHROPIC_MESSAGE', read: readMessage, assemble: assembleMessage },
];

export interface UnreadAnswer {
  format: DetectedFormat;
  calls: UnreadCall[];
}
export interface Answer {
  format: DetectedFormat;
  calls: ModelCall[];
}

/**
 * Reads an answer, a list of its parts or of its stream's events, or the text of any of these; null when the shape is unknown.
 * @throws TooManyValues
 */
export function readAnswer(answer: unknown): UnreadAnswer | null {
  const value = typeof answer === 'string' ? valueOf(answer) : answer;
  if (!Array.isArray(value) && !isRecord(value)) return null;
  const events = Array.isArray(value) ? recordsIn(value) : [];
  for (const { format, read, assemble } of formats) {
    const whole = events.length > 0 ? assemble?.(events) : null;
    const calls = read(whole ?? value);
    if (calls !== null) return { format, calls };
  }
  return null;
}

export const withArguments = ({ format, calls }: UnreadAnswer): Answer => ({ format, calls: readCalls(calls) });

/** JSON, a JSON value in each line, or the events of an SSE stream. */
function valueOf(text: string): unknown {
  const isJson = /^\s*[[{]/.test(text);
  const whole = isJson ? parsed(text, new BoundedJson(limits.values.most)) : null;
  if (whole !== null) return whole;
  const json = new BoundedJson(limits.values.most);
  return (isJson ? linesOf(text) : dataOf(text)).map((each) => parsed(each, json));
}

const linesOf = (text: string): string[] => text.split(/\r\n|\n|\r/);

/** The data of the events of a stream: `eventsource-parser` took 8 s for 900 KB of line breaks, or of lines that are no fields. */
function dataOf(text: string): string[] {
  const events: string[] = [];
  let data: string[] = [];
  // A recording may lack the empty line that ends the last event.
  for (const line of [...linesOf(text.replace(/^\ufeff/, '')), '']) {
    if (line === 'data' || line.startsWith('data:')) data.push(line.slice(5).replace(/^ /, ''));
    else if (line === '' && data.length > 0) {
      events.push(data.join('\n'));
      data = [];
    }
  }
  return events;
}

/** Null also for a text that is empty or no JSON. @throws TooManyValues */
function parsed(text: string, json: BoundedJson): unknown {
  if (text.trim() === '') return null;
  try {
    return json.parse(text);
  } catch (error) {
    if (error instanceof TooManyValues) throw error;
    return null;
  }
}
