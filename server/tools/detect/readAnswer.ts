import { createParser } from 'eventsource-parser';
import { parseJson } from '../../core/json.ts';
import { readAgentsSdk } from './agentsSdk.ts';
import { assembleMessage, readMessage } from './anthropic.ts';
import { assembleChatCompletion, readChatCompletion } from './chatCompletion.ts';
import type { DetectedFormat } from './detection.ts';
import { isRecord, type Json, type ModelCall, recordsIn } from './modelCall.ts';
import { assembleResponse, readResponse } from './response.ts';

interface Format {
  format: DetectedFormat;
  /** Null for another format. */
  read(answer: unknown): ModelCall[] | null;
  /** Turns recorded events into the whole answer; null for another format. */
  assemble?(events: readonly Json[]): Json | null;
}

/** The first that fits: items of the Agents SDK contain items of the Responses API. */
const formats: readonly Format[] = [
  { format: 'AGENTS_SDK', read: readAgentsSdk },
  { format: 'OPENAI_RESPONSE', read: readResponse, assemble: assembleResponse },
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

/** JSON, else the events of an SSE stream. */
function valueOf(text: string): unknown {
  if (/^\s*[[{]/.test(text)) return parsed(text);
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
