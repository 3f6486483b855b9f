import type { MessageKind, MessageRole, TaskStatus } from '../../../generated/prisma/client.ts';
import type { Kept, Spool } from '../spool.ts';

export type TranscriptFormat =
  'CLAUDE_CODE' | 'CODEX' | 'GEMINI_CLI' | 'OPENCODE' | 'COPILOT_CLI' | 'CURSOR_CLI' | 'AIDER';

/** Tokens as models reported them; `inputTokens` excludes tokens that were read from or written to a cache. */
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

/** Facts of the whole file, whether new or known. */
export interface Facts {
  /** Without blank lines. */
  lines: number;
  /** Lines that are not JSON objects; the `hugeLines` among them were too long to read. */
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
  /** NUL characters and unpaired surrogates replaced by U+FFFD. */
  replacedCharacters: number;
  /** Texts and values that exceeded the limit of a field. */
  shortened: number;
}

export interface Part {
  line: number;
  text: string;
}

/** A message. A model's message may consist of parts from several lines. */
export interface MessageEntry {
  kind: 'message';
  turn: number;
  role: Exclude<MessageRole, 'HANDOFF'>;
  messageKind: MessageKind;
  at: Date | null;
  parts: Part[];
  /** The parts before those, outside of memory. */
  keptParts: Kept<Part[]>[];
  /** Bytes of parts that were dropped, because a message cannot hold them. */
  unkept: number;
  /** Secrets that were removed. */
  redactions: number;
}

/** The outcome of a call. */
export interface CallOutcome {
  result: string | null;
  error: string | null;
  /** Files that it wrote; empty without a result. */
  filesModified: string[];
}

export interface CallEntry extends CallOutcome {
  kind: 'call';
  turn: number;
  line: number;
  at: Date | null;
  /** The message that made the call; null without one. */
  message: MessageEntry | null;
  callId: string;
  name: string;
  arguments: unknown;
  /** Line of the outcome; null without one. */
  resultLine: number | null;
  /** Time from the call to its outcome; null when the file does not say. */
  durationMs: number | null;
  /** Arguments and outcome outside of memory; null while they are here. */
  keptArguments: Kept<unknown> | null;
  keptOutcome: Kept<CallOutcome> | null;
  /** Secrets that were removed from its arguments and outcome. */
  redactions: number;
}

/** A cut of the model's window: afterwards the model sees only a summary of the earlier log. */
export interface CompactionEntry {
  kind: 'compaction';
  turn: number;
  line: number;
}

/** Moves the texts of an entry out of memory. */
export function unload(entry: MessageEntry | CallEntry, spool: Spool): void {
  if (entry.kind === 'message') {
    if (entry.parts.length > 0) entry.keptParts.push(spool.put(entry.parts));
    entry.parts = [];
    return;
  }
  const { arguments: given, result, error, filesModified } = entry;
  if (given !== null) entry.keptArguments = spool.put(given);
  if (result !== null || error !== null) entry.keptOutcome = spool.put({ result, error, filesModified });
  Object.assign(entry, { arguments: null, result: null, error: null, filesModified: [] });
}

/** The parts of a message, one after the other. */
export async function* partsOf({ keptParts, parts }: MessageEntry): AsyncGenerator<Part> {
  for (const kept of keptParts) yield* await kept.read();
  yield* parts;
}

export const argumentsOf = async ({ keptArguments, arguments: given }: CallEntry): Promise<unknown> =>
  keptArguments === null ? given : keptArguments.read();

export const outcomeOf = async ({ keptOutcome, result, error, filesModified }: CallEntry): Promise<CallOutcome> =>
  keptOutcome === null ? { result, error, filesModified } : keptOutcome.read();

export type Entry = MessageEntry | CallEntry | CompactionEntry;

/** What a line of a transcript that Baton wrote stands for: the field `baton` of the line. An import of the same Session knows such lines. */
export interface Exported {
  /** Public id of the Session. */
  session: string;
  /** Number of the Message; null when the line has none. */
  message: number | null;
  /** Number of the ToolCall; null when the line has none. */
  call: number | null;
  /** In the first line that Baton says: it has the log from its first Message on. */
  whole?: true;
}

export interface LineOf {
  /** Identifies the line in later imports. */
  key: string;
  turn: number;
  /** Whether it contains a message or a call. Lines without one may occur in several files. */
  bears: boolean;
  /** Null when Baton did not write the line. */
  exported: Exported | null;
}

/** Tokens of a message or a turn, counted once under a key. */
export interface UsageItem {
  key: string;
  /** Line of the last report. */
  line: number;
  turn: number;
  model: string | null;
  tokens: Tokens;
}

/** Workspace of a turn, as in the file. Null means not stated. */
export interface WorkspaceAt {
  turn: number;
  /** Line of the last statement. */
  line: number;
  folder: string | null;
  branch: string | null;
  commit: string | null;
  /** What the program allowed its agent; absent when not stated. */
  sandbox?: string;
  /** Secrets that were removed. */
  redactions: number;
}

/** Tokens in the agent's window after a request, as the model reported them. */
export interface WindowAt {
  line: number;
  turn: number;
  tokens: number;
}

/** A parsed transcript. A turn lasts from one message of a person to the next; turns are numbered in the file's order. */
export interface Transcript {
  format: TranscriptFormat;
  /** Title from the program, else from the first real request; null without either. */
  title: string | null;
  facts: Facts;
  lines: LineOf[];
  entries: Entry[];
  usage: UsageItem[];
  /** One for each turn that states a workspace, in order. */
  standings: WorkspaceAt[];
  /** In the file's order. */
  windows: WindowAt[];
  /** Public ids of the handoffs whose prompts `baton watch` gave the program. */
  handoffs: ReadonlySet<string>;
  /** Tokens that fit into the agent's window, as the program last said; null when it did not. */
  contextWindow: number | null;
  /** Line of the last task list; null without one. */
  tasksLine: number | null;
  /** Secrets that were removed from the tasks. */
  taskRedactions: number;
}

export const noTokens = (): Tokens => ({
  inputTokens: 0,
  outputTokens: 0,
  cacheCreationInputTokens: 0,
  cacheReadInputTokens: 0,
});

const tokenNames = ['inputTokens', 'outputTokens', 'cacheCreationInputTokens', 'cacheReadInputTokens'] as const;

/** `a + factor * b`, never below zero. */
export function addTokens(a: Tokens, b: Tokens, factor: 1 | -1 = 1): Tokens {
  const sum = noTokens();
  for (const name of tokenNames) sum[name] = Math.max(0, a[name] + factor * b[name]);
  return sum;
}

export const sameTokens = (a: Tokens, b: Tokens): boolean => tokenNames.every((name) => a[name] === b[name]);

/** A reported number of tokens; 0 for any invalid value. */
export const tokensOf = (value: unknown): number =>
  typeof value === 'number' && Number.isInteger(value) && value > 0 && value < 2 ** 31 ? value : 0;

export type Fields = Record<string, unknown>;

export const isObject = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export const fieldsOf = (value: unknown): Fields => (isObject(value) ? value : {});

export const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

/** A time that the database can store; null for any other value. */
export function instantOf(value: unknown): Date | null {
  if (typeof value !== 'string') return null;
  const at = new Date(value);
  const year = at.getUTCFullYear();
  return year >= 1 && year <= 9999 ? at : null;
}
