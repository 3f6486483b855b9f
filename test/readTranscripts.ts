import { createReadStream } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { readTranscript, type ReadOptions } from '../server/work/log/transcripts/detect.ts';
import type { Entry, Transcript } from '../server/work/log/transcripts/transcript.ts';

/** Transcripts written for these tests in the tools' formats. */
export const fixture = (name: string): string =>
  fileURLToPath(new URL(`../server/work/log/transcripts/fixtures/${name}.jsonl`, import.meta.url));

export const readFixture = (name: string, options: Partial<ReadOptions> = {}): Promise<Transcript> =>
  readTranscript(createReadStream(fixture(name)), { format: 'AUTO', sidechain: false, ...options });

export const readText = (text: string, options: Partial<ReadOptions> = {}): Promise<Transcript> =>
  readTranscript(piecewise(text, 1_000), { format: 'AUTO', sidechain: false, ...options });

async function* piecewise(text: string, size: number): AsyncGenerator<Uint8Array> {
  // Cuts by bytes, so that characters are split.
  const bytes = new TextEncoder().encode(text);
  for (let from = 0; from < bytes.length; from += size) yield bytes.subarray(from, from + size);
}

/** The messages, each as "turn ROLE: words". */
export const saidIn = ({ entries }: Transcript): string[] =>
  entries.flatMap((entry) =>
    entry.kind === 'message' ? [`${entry.turn} ${entry.role}: ${entry.parts.map(({ text }) => text).join(' | ')}`] : [],
  );

export const callsIn = ({ entries }: Transcript): Extract<Entry, { kind: 'call' }>[] =>
  entries.filter((entry) => entry.kind === 'call');
