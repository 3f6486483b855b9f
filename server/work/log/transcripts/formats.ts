import { aiderBlocks, aiderReader, isAider } from './aider.ts';
import { claudeCodeReader, isClaudeCode } from './claudeCode.ts';
import { codexReader, isCodex } from './codex.ts';
import { copilotReader, isCopilot } from './copilot.ts';
import { cursorReader, isCursor } from './cursor.ts';
import type { Draft } from './draft.ts';
import { geminiParts, geminiReader, isGemini, isGeminiDocument } from './gemini.ts';
import { isOpenCode, isOpenCodeDocument, openCodeParts, openCodeReader } from './openCode.ts';
import type { Blocks, Reader } from './reader.ts';
import type { Fields, TranscriptFormat } from './transcript.ts';

export interface Format {
  program: string;
  /** What a file of the format is, in errors. */
  name: string;
  /** Whether an entry is of the format: by its fields, never by texts in it. */
  recognises?(entry: Fields): boolean;
  /** The same of a document with a list of messages. */
  recognisesDocument?(document: Fields): boolean;
  /** The same of a plain text, by its first line. Such a format has `blocks`. */
  recognisesText?(line: string): boolean;
  blocks?(): Blocks;
  reader(draft: Draft, sidechain: boolean): Reader;
  /** Splits an entry or a message of a document into entries; `head` is the first entry of the file, or the document without its messages. */
  parts?(entry: Fields, head: Fields): Fields[];
}

export const formats: Record<TranscriptFormat, Format> = {
  CLAUDE_CODE: {
    program: 'Claude Code',
    name: 'a transcript of Claude Code',
    recognises: isClaudeCode,
    reader: claudeCodeReader,
  },
  CODEX: { program: 'Codex', name: 'a rollout of OpenAI Codex', recognises: isCodex, reader: codexReader },
  GEMINI_CLI: {
    program: 'Gemini CLI',
    name: 'a session of Gemini CLI',
    recognises: isGemini,
    recognisesDocument: isGeminiDocument,
    reader: geminiReader,
    parts: geminiParts,
  },
  OPENCODE: {
    program: 'OpenCode',
    name: 'an export of OpenCode',
    recognises: isOpenCode,
    recognisesDocument: isOpenCodeDocument,
    reader: openCodeReader,
    parts: openCodeParts,
  },
  COPILOT_CLI: {
    program: 'Copilot CLI',
    name: 'the events of a session of Copilot CLI',
    recognises: isCopilot,
    reader: copilotReader,
  },
  CURSOR_CLI: {
    program: 'Cursor CLI',
    name: 'a transcript of Cursor CLI',
    recognises: isCursor,
    reader: cursorReader,
  },
  AIDER: {
    program: 'Aider',
    name: 'a chat history of Aider',
    recognisesText: isAider,
    reader: aiderReader,
    blocks: aiderBlocks,
  },
};

/** The format of an entry or a document; null when it is of none. */
export function formatOf(entry: Fields): TranscriptFormat | null {
  const recognises = Array.isArray(entry['messages']) ? 'recognisesDocument' : 'recognises';
  return (Object.keys(formats) as TranscriptFormat[]).find((format) => formats[format][recognises]?.(entry)) ?? null;
}

/** The format of a plain text, by its first line; null when it is of none. */
export const formatOfText = (line: string): TranscriptFormat | null =>
  (Object.keys(formats) as TranscriptFormat[]).find((format) => formats[format].recognisesText?.(line)) ?? null;
