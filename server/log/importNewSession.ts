import { BadUserInputError } from '../core/errors.ts';
import type { Work } from '../core/work.ts';
import { redactInput } from '../redaction/redact.ts';
import { createSession } from '../sessions/createSession.ts';
import { importTranscript, type ImportAnswer } from './importTranscript.ts';
import type { Transcript, TranscriptFormat } from './transcripts/transcript.ts';

export interface ImportNewSessionInput {
  /** As it was given, with its secrets; null: as the transcript says. */
  title: string | null;
  /** Who is given the Session, and whose turns they are; null for nobody. */
  agentId: string | null;
  handoffsEnabled: boolean;
  transcript: Transcript;
}

/** Creates a Session and imports a transcript into it, or does neither. */
export async function importNewSession(work: Work, { title, agentId, handoffsEnabled, transcript }: ImportNewSessionInput): Promise<ImportAnswer> {
  if (transcript.entries.length === 0) {
    throw new BadUserInputError('input.content has no message and no tool call: there is nothing to record, and no session was created', ['input', 'content']);
  }
  const given = title === null ? titleOf(transcript) : redactInput({ title }).title;
  const created = { agentId, agentType: null, metadata: null, contextVariables: null, maxHandoffs: 5, handoffsEnabled };
  const { sessionId } = await createSession(work, { ...created, title: given });
  await work.flush();
  return importTranscript(work, { sessionId, agentId, transcript });
}

const programs: Record<TranscriptFormat, string> = { CLAUDE_CODE: 'Claude Code', CODEX: 'Codex', GEMINI_CLI: 'Gemini CLI' };

const titleOf = ({ title, format, facts }: Transcript): string =>
  title ?? `${programs[format]} session${facts.firstAt === null ? '' : ` of ${facts.firstAt.toISOString().slice(0, 10)}`}`;
