import { createReadStream } from 'node:fs';
import type { RecordedCall, RecordedLog } from '../server/work/context/derive/log.ts';
import { readTranscript } from '../server/work/log/transcripts/detect.ts';
import type { Transcript } from '../server/work/log/transcripts/transcript.ts';
import { isSubagent, realPath } from './realData.ts';

/** The log of a Session after importing a transcript. */
export function logOf({ entries, standings }: Transcript): RecordedLog {
  const messages: RecordedLog['messages'][number][] = [];
  const calls: RecordedCall[] = [];
  const numbers = new Map<unknown, number>();
  for (const entry of entries) {
    if (entry.kind === 'message') {
      const sequence = messages.push({
        sequence: messages.length + 1,
        role: entry.role,
        content: entry.parts.map(({ text }) => text).join('\n\n'),
      });
      numbers.set(entry, sequence);
    } else if (entry.kind === 'call') {
      const { callId, turn, name, arguments: given, result, error, filesModified } = entry;
      calls.push({
        callId,
        turn,
        sequence: numbers.get(entry.message) ?? messages.length,
        name,
        arguments: given,
        result,
        error,
        filesModified,
      });
    }
  }
  return { messages, calls, workspaces: standings };
}

export async function realLog(file: string): Promise<RecordedLog> {
  return logOf(await readTranscript(createReadStream(realPath(file)), { format: 'AUTO', sidechain: isSubagent(file) }));
}

/** A shell tool's call. Without an answer it is still open. */
export const ran = (
  callId: string,
  command: string,
  answer: { result?: string; error?: string; name?: string; folder?: string } = { result: '' },
): RecordedCall => ({
  callId,
  turn: 1,
  sequence: 1,
  name: answer.name ?? 'Bash',
  arguments: { command, ...(answer.folder !== undefined && { workdir: answer.folder }) },
  result: answer.result ?? null,
  error: answer.error ?? null,
  filesModified: [],
});

export const edited = (callId: string, file: string, error: string | null = null): RecordedCall => ({
  callId,
  turn: 1,
  sequence: 1,
  name: 'Edit',
  arguments: { file_path: file },
  result: error === null ? 'done' : null,
  error,
  filesModified: error === null ? [file] : [],
});

export const workOf = (...calls: RecordedCall[]): RecordedLog => ({
  messages: [],
  calls,
  workspaces: [{ turn: 0, folder: '/work', branch: null, commit: null }],
});
