import type { Pool } from 'pg';
import { Breaks, inPieces } from '../core/breaks.ts';
import { redactingTexts, redactingValue, redactTexts } from '../redaction/redact.ts';
import { findKnownLines } from './importKnown.ts';
import { maxBytes } from './transcripts/clean.ts';
import { readTranscript, type ReadOptions } from './transcripts/detect.ts';
import {
  argumentsOf,
  outcomeOf,
  partsOf,
  unload,
  type CallEntry,
  type Entry,
  type MessageEntry,
  type Part,
  type Transcript,
} from './transcripts/transcript.ts';

/** Parts of a message. Real messages have up to 20; redacting 90,000 held the event loop for 600 ms. */
const maxParts = 500;

type IsNew = (line: number | null) => boolean;

/**
 * Reads a transcript and redacts its new parts before the Session is locked, so that the transaction only writes.
 * Known lines stay known for ever, so nothing that is left out here can be missing later. `sessionId` is
 * null for a Session that does not exist yet.
 * @throws BadUserInputError when AUTO does not recognise the format.
 */
export async function prepareImport(
  pool: Pool,
  {
    sessionId,
    chunks,
    ...options
  }: ReadOptions & { sessionId: string | null; chunks: AsyncIterable<Uint8Array | string> },
): Promise<Transcript> {
  const { spool } = options;
  const transcript = await readTranscript(chunks, options);
  const known =
    sessionId === null
      ? null
      : await findKnownLines(
          async (text, values) => (await pool.query({ ...text, values })).rows as never,
          sessionId,
          transcript.lines,
        );
  const isNew: IsNew = (line) => line !== null && known?.isKnown(transcript.lines[line]!) !== true;
  const entries: Entry[] = [];
  const breaks = new Breaks();
  for (const entry of transcript.entries) {
    if (!(await redactEntry(entry, isNew))) continue;
    entries.push(entry);
    if (spool !== undefined && entry.kind !== 'compaction') unload(entry, spool);
    await spool?.settle();
    await breaks.rest();
  }
  await redactFacts(transcript, isNew(transcript.tasksLine));
  return { ...transcript, entries };
}

/** Redacts what an import stores of an entry, and counts the secrets. An import redacts here and in `redactFacts` only. False when nothing is new. */
async function redactEntry(entry: Entry, isNew: IsNew): Promise<boolean> {
  if (entry.kind === 'compaction') return isNew(entry.line);
  if (entry.kind === 'message') return redactMessage(entry, isNew);
  if (!isNew(entry.line) && !isNew(entry.resultLine)) return false;
  await redactCall(entry);
  return true;
}

/** Redacts all new parts together: a secret may begin in one and end in the next. */
async function redactMessage(message: MessageEntry, isNew: IsNew): Promise<boolean> {
  const parts = await keptOf(message, isNew);
  const { texts, count } = await inPieces(redactingTexts(parts.map(({ text }) => text)));
  message.keptParts = [];
  message.parts = parts.map(({ line }, index) => ({ line, text: texts[index]! }));
  message.redactions = count;
  return parts.length > 0;
}

/**
 * The new parts, without those that exceed the size of a message or `maxParts`: redacting all at once held the event
 * loop, 8 s for 30 MB. Keeps one part beyond the size, so that a secret that continues in it is still found.
 */
async function keptOf(message: MessageEntry, isNew: IsNew): Promise<Part[]> {
  const parts: Part[] = [];
  let [bytes, beyond] = [0, 0];
  for await (const part of partsOf(message)) {
    if (!isNew(part.line)) continue;
    const partBytes = Buffer.byteLength(part.text);
    if (beyond === 2 || parts.length === maxParts) {
      message.unkept += partBytes + 2;
      continue;
    }
    parts.push(part);
    bytes += partBytes;
    if (bytes > maxBytes) beyond += 1;
  }
  return parts;
}

async function redactCall(call: CallEntry): Promise<void> {
  const { result, error, filesModified } = await outcomeOf(call);
  const { value, count } = await inPieces(
    redactingValue({ args: await argumentsOf(call), result, error, filesModified }),
  );
  const { args, ...outcome } = value;
  Object.assign(call, { arguments: args, ...outcome, keptArguments: null, keptOutcome: null, redactions: count });
}

async function redactFacts(transcript: Transcript, tasksAreNew: boolean): Promise<void> {
  const breaks = new Breaks();
  for (const standing of transcript.standings) {
    const { folder, branch, commit } = standing;
    const { value, count } = await inPieces(redactingValue({ folder, branch, commit }));
    Object.assign(standing, value, { redactions: count });
    await breaks.rest();
  }
  const { facts } = transcript;
  const { value, count } = await inPieces(redactingValue(facts.tasks));
  const { texts: filesModified } = await inPieces(redactingTexts(facts.filesModified));
  if (transcript.title !== null) transcript.title = redactTexts([transcript.title]).texts[0]!;
  transcript.facts = { ...facts, tasks: value, filesModified };
  transcript.taskRedactions = tasksAreNew ? count : 0;
}
