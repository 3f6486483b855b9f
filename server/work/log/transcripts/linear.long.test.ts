import { expect, test } from 'vitest';
import { made, madeOtherwise, type Texts } from '../../../../test/madeTranscripts.ts';
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
  '\n',
  '\n\n',
  '"',
  '\\',
  '{',
  '[{',
  '\0',
  '\u202e',
  '<user_query>',
  '</user_query> ',
  '<exited with exit code 1> ',
  '*** Begin Patch\n*** Update File: ',
  '{"output":',
  'Exit Code: ',
  'Output: ',
  '/a ',
  '😀',
];
const ways = [
  ...Object.entries(made),
  ...madeOtherwise.map(([format, make]) => [`${format} otherwise`, make] as const),
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
  ...Object.fromEntries(
    ways.flatMap(([format, make]) =>
      (['said', 'output', 'answer'] as const satisfies (keyof Texts)[]).map((part) => [
        `what ${format} calls ${part}`,
        (text: string) => make({ [part]: text }),
      ]),
    ),
  ),
};

/** A transcript whose messages are repeated `times` times. */
function repeated(transcript: string, times: number): string {
  if (!transcript.trimStart().startsWith('{') || transcript.trimEnd().split('\n}\n').length > 1)
    return transcript.repeat(times);
  try {
    const { messages, ...head } = JSON.parse(transcript) as { messages: object[] };
    return JSON.stringify({ ...head, messages: Array.from({ length: times }, () => messages).flat() });
  } catch {
    return `${transcript.trimEnd()}\n`.repeat(times);
  }
}

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

test.each(ways)(
  'a transcript of %s is read in time in proportion to its messages, the same or others',
  async (_format, make) => {
    const distinct = (times: number): string => {
      let n = 0;
      return repeated(make({}), times).replaceAll(
        /"(id|uuid|parentId|messageID|messageId|callID|call_id|toolCallId)": ?"\w+"/g,
        (_all, name) => `"${name}":"x${(n += 1)}"`,
      );
    };
    for (const many of [(times: number) => repeated(make({}), times), distinct]) {
      const [one, four] = [await cpuTime(many(250)), await cpuTime(many(1_000))];
      expect(four).toBeLessThan(one * 8 + 20);
    }
  },
  120_000,
);
