import { expect, test } from 'vitest';
import { readTranscript } from './detect.ts';

const seeds = [
  'a',
  '1',
  '1.',
  '1,',
  'k',
  ' ',
  '\t',
  '1 ',
  '1k ',
  'a/',
  '`',
  '<a',
  '<command-name>',
  '<system-reminder>',
];
const begun = '# aider chat started at 2026-01-01 00:00:00\n\n';
const line = (type: string, content: unknown): string =>
  JSON.stringify({ type, sessionId: 's', uuid: type, message: { role: type, content } });

/** A transcript with the text where a reader looks for something. */
const places: Record<string, (text: string) => string> = {
  'a notice of Aider': (text) => `${begun}> ${text}\n`,
  'the tokens of Aider': (text) => `${begun}> Tokens: ${text}\n`,
  'the model of Aider': (text) => `${begun}> Main model: ${text}\n`,
  'words for Aider': (text) => `${begun}#### ${text}\n`,
  'an answer of Aider': (text) => `${begun}${text}\n`,
  'words for Claude Code': (text) => line('user', `<command-args>${text}`),
  'an answer of Claude Code': (text) => line('assistant', [{ type: 'text', text }]),
};

async function* only(text: string): AsyncGenerator<string> {
  yield text;
}

/** Milliseconds of this process's own time: the least of three. */
async function cpuTime(text: string): Promise<number> {
  let least = Infinity;
  for (let n = 0; n < 3; n += 1) {
    const from = process.cpuUsage();
    await readTranscript(only(text), { format: 'AUTO', sidechain: false });
    const { user, system } = process.cpuUsage(from);
    least = Math.min(least, (user + system) / 1_000);
  }
  return least;
}

test.each(Object.entries(places))(
  'a transcript is read in time in proportion to its length, whatever stands in %s',
  async (_place, transcript) => {
    const slow: string[] = [];
    for (const seed of seeds) {
      const filled = (length: number): string => transcript(seed.repeat(length / seed.length));
      const [one, four] = [await cpuTime(filled(8_000)), await cpuTime(filled(32_000))];
      if (four > one * 8 + 20) slow.push(`${JSON.stringify(seed)}: ${one.toFixed(1)} and ${four.toFixed(1)} ms`);
    }
    expect(slow).toEqual([]);
  },
  120_000,
);
