import type { MessageRole, TaskStatus } from '../../generated/prisma/client.ts';

export type TranscriptFormat = 'CLAUDE_CODE' | 'CODEX' | 'GEMINI_CLI';

/** What models reported, in tokens; what was read from a cache or put into one is not in `inputTokens`. */
export interface Tokens {
  inputTokens: number;
  outputTokens: number;
  cacheCreationInputTokens: number;
  cacheReadInputTokens: number;
}

export interface ImportedTask {
  content: string;
  status: TaskStatus;
}

export interface Count {
  name: string;
  count: number;
}

/** What a whole file says, whatever of it is new. */
export interface Facts {
  /** Lines that are not blank. */
  lines: number;
  /** Lines that are no JSON object; the `hugeLines` among them were too long to read. */
  badLines: number;
  hugeLines: number;
  entryTypes: Count[];
  unknownTypes: Count[];
  humanMessages: number;
  assistantMessages: number;
  firstAt: Date | null;
  lastAt: Date | null;
  toolCalls: Count[];
  toolErrors: number;
  filesModified: string[];
  tasks: ImportedTask[];
  usage: Tokens & { model: string | null };
  compactions: number;
  sidechainLines: number;
  thinkingBlocks: number;
  /** NUL and unpaired surrogates, which became U+FFFD. */
  replacedCharacters: number;
  /** Texts and values that were larger than a field holds. */
  shortened: number;
}

/** What somebody said. A model's message may come in parts, on several lines. */
export interface Said {
  kind: 'message';
  turn: number;
  role: Exclude<MessageRole, 'HANDOFF'>;
  at: Date | null;
  parts: { line: number; text: string }[];
  /** Bytes of parts that were dropped, since a message does not hold them. */
  unkept: number;
  /** Secrets that were taken out of it. */
  redactions: number;
}

export interface Called {
  kind: 'call';
  turn: number;
  line: number;
  at: Date | null;
  /** The message that made the call, where it said something before. */
  message: Said | null;
  callId: string;
  name: string;
  arguments: unknown;
  /** The line with the outcome; null while there is none. */
  resultLine: number | null;
  result: string | null;
  error: string | null;
  /** What it wrote; empty unless it has a result. */
  filesModified: string[];
  /** Secrets that were taken out of its arguments and outcome. */
  redactions: number;
}

/** The model's window was cut: of what came before it sees no more than a summary. */
export interface Compacted {
  kind: 'compaction';
  turn: number;
  line: number;
}

export type Entry = Said | Called | Compacted;

export interface LineOf {
  /** What the line is known by when it comes again. */
  key: string;
  turn: number;
  /** Whether it says or does something: lines that only accompany others may be in several files. */
  bears: boolean;
}

/** Tokens that are counted once, under a key: of a message, or of a turn. */
export interface UsageItem {
  key: string;
  /** The line that reported them last. */
  line: number;
  turn: number;
  model: string | null;
  tokens: Tokens;
}

/** Where the work stood, as the file tells it. Null: it does not. */
export interface Standing {
  turn: number;
  /** The line that said it last. */
  line: number;
  folder: string | null;
  branch: string | null;
  commit: string | null;
  /** Secrets that were taken out of it. */
  redactions: number;
}

/** Tokens in the agent's window after a request, as the model reported them in this line. */
export interface WindowAt {
  line: number;
  turn: number;
  tokens: number;
}

/** A file as Baton understands it. A turn is one message of a person up to the next; turns are numbered in the file's order. */
export interface Transcript {
  format: TranscriptFormat;
  /** What the program called it, else its first real request; null when neither is there. */
  title: string | null;
  facts: Facts;
  lines: LineOf[];
  entries: Entry[];
  usage: UsageItem[];
  /** One for each turn that says where it stood, in order. */
  standings: Standing[];
  /** In the file's order. */
  windows: WindowAt[];
  /** The line that said last what the tasks are; null when none did. */
  tasksLine: number | null;
  /** Secrets that were taken out of the tasks. */
  taskRedactions: number;
}

export const noTokens = (): Tokens => ({ inputTokens: 0, outputTokens: 0, cacheCreationInputTokens: 0, cacheReadInputTokens: 0 });

const tokenNames = ['inputTokens', 'outputTokens', 'cacheCreationInputTokens', 'cacheReadInputTokens'] as const;

/** `a` and `factor` times `b`, never below zero. */
export function addTokens(a: Tokens, b: Tokens, factor: 1 | -1 = 1): Tokens {
  const sum = noTokens();
  for (const name of tokenNames) sum[name] = Math.max(0, a[name] + factor * b[name]);
  return sum;
}

export const sameTokens = (a: Tokens, b: Tokens): boolean => tokenNames.every((name) => a[name] === b[name]);

/** A reported number of tokens: whatever is none is 0. */
export const tokensOf = (value: unknown): number =>
  typeof value === 'number' && Number.isInteger(value) && value > 0 && value < 2 ** 31 ? value : 0;

export type Fields = Record<string, unknown>;

export const isObject = (value: unknown): value is Fields => typeof value === 'object' && value !== null && !Array.isArray(value);

export const fieldsOf = (value: unknown): Fields => (isObject(value) ? value : {});

export const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

/** A moment that the database can hold; null for everything else. */
export function instantOf(value: unknown): Date | null {
  if (typeof value !== 'string') return null;
  const at = new Date(value);
  const year = at.getUTCFullYear();
  return year >= 1 && year <= 9999 ? at : null;
}
