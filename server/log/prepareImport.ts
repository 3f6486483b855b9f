import { setImmediate as letOthers } from 'node:timers/promises';
import type { Pool } from 'pg';
import { redactTexts, redactValue } from '../redaction/redact.ts';
import { findLines } from './importKnown.ts';
import { maxBytes } from './transcripts/clean.ts';
import { readTranscript, type ReadOptions } from './transcripts/detect.ts';
import type { CallEntry, Entry, MessageEntry, Transcript } from './transcripts/transcript.ts';

/**
 * Reads a transcript and redacts its new parts before the Session is locked, so that the transaction only writes.
 * Lines of earlier imports stay known for ever, so nothing that is left out here can be missing later. `sessionId` is
 * null for a Session that does not exist yet.
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
  const newParts = { ...transcript, entries: transcript.entries.flatMap((entry) => newPartOf(entry, isNew)) };
  await redactNew(newParts, isNew(transcript.tasksLine));
  return newParts;
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
 * Drops the parts that exceed the size of a message: redacting all at once held the event loop, 8 s for 30 MB. Keeps
 * one part beyond the size, so that a secret that continues in it is still found.
 */
function dropUnkept(message: MessageEntry): void {
  let bytes = 0;
  const full = message.parts.findIndex(({ text }) => (bytes += Buffer.byteLength(text)) > maxBytes);
  if (full < 0) return;
  for (const { text } of message.parts.splice(full + 2)) message.unkept += Buffer.byteLength(text) + 2;
}

/** The longest time that redacting blocks the event loop. */
const yieldAfterMs = 5;

/** Redacts everything that an import stores or reports, and counts the secrets per entry. An import redacts nowhere else. */
async function redactNew(transcript: Transcript, tasksAreNew: boolean): Promise<void> {
  let last = performance.now();
  for (const entry of transcript.entries) {
    if (entry.kind === 'message') redactMessage(entry);
    else if (entry.kind === 'call') redactCall(entry);
    if (performance.now() - last < yieldAfterMs) continue;
    await letOthers();
    last = performance.now();
  }
  for (const standing of transcript.standings) {
    const { value, count } = redactValue({ folder: standing.folder, branch: standing.branch, commit: standing.commit });
    Object.assign(standing, value, { redactions: count });
  }
  const { facts } = transcript;
  const { value, count } = redactValue(facts.tasks);
  if (transcript.title !== null) transcript.title = redactTexts([transcript.title]).texts[0]!;
  transcript.facts = { ...facts, tasks: value, filesModified: redactTexts(facts.filesModified).texts };
  transcript.taskRedactions = tasksAreNew ? count : 0;
}

/** Redacts all parts together: a secret may begin in one and end in the next. */
function redactMessage(message: MessageEntry): void {
  const { texts, count } = redactTexts(message.parts.map(({ text }) => text));
  message.parts = message.parts.map(({ line }, index) => ({ line, text: texts[index]! }));
  message.redactions = count;
}

function redactCall(call: CallEntry): void {
  const { arguments: args, result, error, filesModified } = call;
  const { value, count } = redactValue({ args, result, error, filesModified });
  call.arguments = value.args;
  call.result = value.result;
  call.error = value.error;
  call.filesModified = value.filesModified;
  call.redactions = count;
}
