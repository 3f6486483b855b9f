import type { Pool } from 'pg';
import { findLines } from './importKnown.ts';
import { redactNew } from './redactTranscript.ts';
import { maxBytes } from './transcripts/clean.ts';
import { readTranscript, type ReadOptions } from './transcripts/detect.ts';
import type { Entry, Said, Transcript } from './transcripts/transcript.ts';

/**
 * Reads a transcript and redacts what is new of it, before anything is locked: the transaction only writes. What an
 * earlier import brought stays known for ever, so what is left out here cannot be missing later. `sessionId` is null
 * for a Session that does not exist yet.
 * @throws BadUserInputError when AUTO does not recognise the format.
 */
export async function prepareImport(
  pool: Pool,
  { sessionId, chunks, ...options }: ReadOptions & { sessionId: string | null; chunks: AsyncIterable<Uint8Array | string> },
): Promise<Transcript> {
  const transcript = await readTranscript(chunks, options);
  const { rows } = sessionId === null ? { rows: [] } : await pool.query<{ key: string }>({ ...findLines, values: [sessionId, transcript.lines.map(({ key }) => key)] });
  const known = new Set(rows.map(({ key }) => key));
  const isNew = (line: number | null): boolean => line !== null && !known.has(transcript.lines[line]!.key);
  const fresh = { ...transcript, entries: transcript.entries.flatMap((entry) => newPartOf(entry, isNew)) };
  await redactNew(fresh, isNew(transcript.tasksLine));
  return fresh;
}

function newPartOf(entry: Entry, isNew: (line: number | null) => boolean): Entry[] {
  if (entry.kind === 'call') return isNew(entry.line) || isNew(entry.resultLine) ? [entry] : [];
  if (entry.kind === 'compaction') return isNew(entry.line) ? [entry] : [];
  entry.parts = entry.parts.filter(({ line }) => isNew(line));
  if (entry.parts.length === 0) return [];
  dropUnkept(entry);
  return [entry];
}

/**
 * Redacting all parts of a message at once holds the event loop: 30 MB took 8 s. One part more is kept than a message
 * holds, so that a secret that goes on in it is still found.
 */
function dropUnkept(said: Said): void {
  let bytes = 0;
  const full = said.parts.findIndex(({ text }) => (bytes += Buffer.byteLength(text)) > maxBytes);
  if (full < 0) return;
  for (const { text } of said.parts.splice(full + 2)) said.unkept += Buffer.byteLength(text) + 2;
}
