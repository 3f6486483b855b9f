import { expect, test } from 'vitest';
import { byUser, someSources } from '../../../test/contexts.ts';
import { ran } from '../../../test/recordedLogs.ts';
import { buildContext } from './build.ts';
import { isSetting, ownWords } from './ownWords.ts';
import type { Sources } from './sources.ts';

// What makes patterns slow is to begin anew at every place and never to end: each text is a short one over and over.
const seeds = [
  ...'ay0.-_/\\:;,\'"`=(){}[]<>$#*&|!?~@%^+ \n\t'.split(''),
  ...[
    'a ',
    'a\n',
    'a.',
    'a/',
    '/a',
    './',
    '../',
    'a: ',
    'a:',
    'a=',
    '-a ',
    '--a=',
    '"a',
    "'a",
    '$(',
    '${',
    '`a',
    '<<A\n',
    '> ',
    '>>',
    '&& ',
    '; ',
    '| ',
  ],
  ...[
    'error: ',
    'Error: a\n',
    ' at a',
    'not found',
    ': not found',
    'is not recognized as',
    'Exit code 1\n',
    '\nOutput: ',
    '\nOutput: \nStderr: ',
    'FAIL a\n',
    'passed ',
    '1 failed',
    '\u001B[1m',
  ],
  ...[
    'cd a && ',
    'npm run ',
    'npx ',
    'sh -c "',
    'env A=b ',
    'sudo ',
    'cat <<',
    'sed -i ',
    'mv a b; ',
    'git mv ',
    'tee ',
    'timeout 1 ',
  ],
  ...[
    '<a>',
    '<a',
    '</a>',
    '<system-reminder>',
    '[a](',
    '# ',
    '- [ ] ',
    '- [ ] a\n',
    '`a.md` ',
    'since is ',
    '```\n',
    '? ',
    'Should I ',
    'the ',
    '\u4e00',
    '\u{1F600}',
    'e\u0301',
  ],
];
/** Characters of a message, and of each text of a call, as they are read (`bounds`). */
const [message, call] = [16_000, 4_000];

const filled = (seed: string, length: number): string => seed.repeat(Math.ceil(length / seed.length)).slice(0, length);

/** A log of which each text is the seed over and over. */
const places: Record<string, (text: (length: number) => string) => Partial<Sources>> = {
  command: (text) => ({ calls: [ran('a', text(call)), ran('b', `npm test ${text(call)}`, { error: text(call) })] }),
  result: (text) => ({
    calls: [ran('a', 'npm test', { result: text(call) }), ran('b', 'cat a', { result: text(call) })],
  }),
  'result in a frame': (text) => ({ calls: [ran('a', 'npm test', { result: `Command: ${text(call)}` })] }),
  error: (text) => ({
    calls: [ran('a', 'npm test', { error: text(call) }), ran('b', 'make', { error: `Exit code 1\n${text(call)}` })],
  }),
  person: (text) => ({ byUsers: [byUser(1, text(message)), byUser(2, `Mend it. ${text(message)}`)] }),
  assistant: (text) => ({
    lastAssistant: {
      sequence: 3,
      role: 'ASSISTANT',
      content: text(message),
      shortened: false,
      agentId: 'ada',
    },
    recent: [{ sequence: 2, role: 'ASSISTANT', content: text(2_000) }],
  }),
};

/** Milliseconds of this process's own time, whatever else the machine does: the least of three. */
function cpuTime(work: () => void): number {
  const times = Array.from({ length: 3 }, () => {
    const from = process.cpuUsage();
    work();
    const { user, system } = process.cpuUsage(from);
    return (user + system) / 1_000;
  });
  return Math.min(...times);
}

test.each(Object.keys(places))(
  'a Context is built in time in proportion to its texts, whatever stands in a %s',
  (place) => {
    const build = (seed: string, factor: number): void => {
      const sources = someSources(places[place]!((length) => filled(seed, length * factor)));
      buildContext(sources, { summary: null, variables: {}, instructions: null });
    };
    build('a', 1);
    const slow = seeds.flatMap((seed) => {
      const one = cpuTime(() => build(seed, 1));
      const four = cpuTime(() => build(seed, 4));
      return four > one * 8 + 20 ? [`${JSON.stringify(seed)}: ${one.toFixed(1)} and ${four.toFixed(1)} ms`] : [];
    });
    expect(slow).toEqual([]);
  },
  300_000,
);

// A pattern that begins once, and then meets text that several of its parts may skip.
const beginnings = ['command-name', 'command-args', 'system-reminder', 'permissions instructions', 'a-b'].flatMap(
  (name) => [`<${name}>`, `<${name}`, `<${name}></${name}`],
);
const others = [
  '## User Input\n```\n',
  '---\ndescription: a\n',
  '# Fix\n\nYou are a\n## Input\n\nask the user\n1. a\n',
  '<user_request>',
  'Fix of: a\n',
  '# Handoff from a to b',
  '\n--- Content from referenced files ---\n',
  'Stop:a',
];

test('the words of a person are found in time in proportion to the text, whatever stands behind a mark of a program', () => {
  const find = (text: string): void => {
    ownWords(text);
    isSetting(text);
  };
  const slow = [...beginnings, ...others].flatMap((beginning) =>
    seeds.flatMap((seed) => {
      const [short, long] = [500, 2_000].map((length) => beginning + filled(seed, length));
      const [one, four] = [cpuTime(() => find(short!)), cpuTime(() => find(long!))];
      const repeated = cpuTime(() => find(filled(beginning + seed, 64_000)));
      return four > one * 8 + 20 || repeated > 20 ? [`${JSON.stringify([beginning, seed])}`] : [];
    }),
  );
  expect(slow).toEqual([]);
}, 300_000);
