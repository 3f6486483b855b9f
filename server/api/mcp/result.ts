import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { neutralise, quoted } from '../../work/context/neutralise.ts';

/**
 * A tool's answer. Some clients show a model `content` alone, others `structuredContent` alone: each has everything.
 * `data` holds ids, states and texts; `message` says in one paragraph what happened and what to do next; `texts` are longer.
 */
export function answer(message: string, data: object, texts: readonly string[] = []): CallToolResult {
  return {
    content: [message, ...texts].map((text) => ({ type: 'text', text })),
    structuredContent: { message, ...(visible(data) as object) },
  };
}

/** Data whose texts, some of them recorded, have no invisible characters. */
function visible(data: unknown): unknown {
  if (typeof data === 'string') return neutralise(data);
  if (Array.isArray(data)) return data.map(visible);
  if (data instanceof Date) return data.toISOString();
  return typeof data === 'object' && data !== null
    ? Object.fromEntries(Object.entries(data).map(([name, value]) => [name, visible(value)]))
    : data;
}

/** A refusal that the model can act on. Becomes an answer with `isError`. */
export class Refused extends Error {
  constructor(
    message: string,
    readonly code: string,
    readonly data: object = {},
  ) {
    super(message);
  }
}

export const refusal = ({ message, code, data }: Refused): CallToolResult => ({
  isError: true,
  content: [{ type: 'text', text: message }],
  structuredContent: { message, code, ...(visible(data) as object) },
});

const longestName = 100;

/** A recorded text as a short quotation within a line of ours. */
export const named = (text: string, most = longestName): string => quoted(text, most);

export const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;
