import { createParser } from 'eventsource-parser';
import { parseJson } from '../../core/json.ts';
import { readAgentsSdk } from './agentsSdk.ts';
import { assembleAiSdk, readAiSdk } from './aiSdk.ts';
import { assembleMessage, readMessage } from './anthropic.ts';
import { assembleConverse, readConverse } from './bedrock.ts';
import { assembleChatCompletion, readChatCompletion } from './chatCompletion.ts';
import type { DetectedFormat } from './detection.ts';
import { assembleGemini, readGemini } from './gemini.ts';
import { assembleLangChain, readLangChain } from './langChain.ts';
import { isRecord, type Json, type ModelCall, recordsIn } from './modelCall.ts';
import { assembleOllama, readOllama } from './ollama.ts';
import { assembleResponse, readResponse } from './response.ts';

interface Format {
  format: DetectedFormat;
  /** Null for another format. */
  read(answer: unknown): ModelCall[] | null;
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

export interface Answer {
  format: DetectedFormat;
  calls: ModelCall[];
}

/** Reads an answer, a list of its parts or of its stream's events, or the text of any of these; null when the shape is unknown. */
export function readAnswer(answer: unknown): Answer | null {
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

/** JSON, a JSON value in each line, or the events of an SSE stream. */
function valueOf(text: string): unknown {
  if (/^\s*[[{]/.test(text)) return parsed(text) ?? text.split('\n').map(parsed);
  const events: unknown[] = [];
  const parser = createParser({ onEvent: ({ data }) => events.push(parsed(data)) });
  // A recording may lack the empty line that ends the last event.
  parser.feed(`${text}\n\n`);
  return events;
}

function parsed(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return null;
  }
}
