import { claudeCodeReader, isClaudeCode } from './claudeCode.ts';
import { codexReader, isCodex } from './codex.ts';
import type { Draft } from './draft.ts';
import { geminiParts, geminiReader, isGemini } from './gemini.ts';
import type { Reader } from './reader.ts';
import type { Fields, TranscriptFormat } from './transcript.ts';

export interface Format {
  program: string;
  /** What a file of the format is, in errors. */
  name: string;
  /** Whether an entry is of the format: by its fields, never by texts in it. */
  recognises?(entry: Fields): boolean;
  /** The same of a document with a list of messages. */
  recognisesDocument?(document: Fields): boolean;
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
    recognisesDocument: isGemini,
    reader: geminiReader,
    parts: geminiParts,
  },
};

/** The format of an entry or a document; null when it is of none. */
export function formatOf(entry: Fields): TranscriptFormat | null {
  const recognises = Array.isArray(entry['messages']) ? 'recognisesDocument' : 'recognises';
  return (Object.keys(formats) as TranscriptFormat[]).find((format) => formats[format][recognises]?.(entry)) ?? null;
}
