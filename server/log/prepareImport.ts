import { setImmediate as letOthers } from 'node:timers/promises';
import type { Pool } from 'pg';
import { redactTexts, redactValue } from '../redaction/redact.ts';
import { findLines } from './importKnown.ts';
import { maxBytes } from './transcripts/clean.ts';
import { readTranscript, type ReadOptions } from './transcripts/detect.ts';
import type { Called, Entry, Said, Transcript } from './transcripts/transcript.ts';

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

/** The longest time that redacting blocks the event loop. */
const yieldAfterMs = 5;

/** Takes the secrets out of what an import is about to store and to report, and counts them where they were: the one place where an import redacts. */
async function redactNew(transcript: Transcript, tasksAreNew: boolean): Promise<void> {
  let last = performance.now();
  for (const entry of transcript.entries) {
    if (entry.kind === 'message') redactSaid(entry);
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

/** All parts at once: a secret may begin in one and end in the next. */
function redactSaid(said: Said): void {
  const { texts, count } = redactTexts(said.parts.map(({ text }) => text));
  said.parts = said.parts.map(({ line }, index) => ({ line, text: texts[index]! }));
  said.redactions = count;
}

function redactCall(call: Called): void {
  const { arguments: args, result, error, filesModified } = call;
  const { value, count } = redactValue({ args, result, error, filesModified });
  call.arguments = value.args;
  call.result = value.result;
  call.error = value.error;
  call.filesModified = value.filesModified;
  call.redactions = count;
}
