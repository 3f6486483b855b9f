import { expect, test } from 'vitest';
import { some } from '../../test/secrets/make.ts';
import { placeRules } from './placeRules.ts';
import { redactingTexts, redactingValue, redactText, redactTexts, redactValue } from './redact.ts';
import { tokenRules } from './tokenRules.ts';

const size = 256 * 1024;

/** Milliseconds of this process's own time, whatever else the machine does. */
function cpuTime(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

// Every beginning of every rule, alone and with a little of what should follow, over and over: what makes patterns
// slow is to begin anew at every place, and never to end.
const beginnings = [...new Set([...tokenRules, ...placeRules].flatMap(({ hints = [] }) => hints))];
const seeds = [
  ...beginnings.map((hint) => `${hint}a`),
  ...['a', 'A1', '0', ' ', '\n', '=', '"', '\\', '\\"', '%20', '\\n', '\u{1F600}', 'aA', 'a_', 'x.y.'],
  ...[
    'password',
    'password=',
    'password="',
    'password=\\"',
    '"password": "a',
    'password: a\n',
    'token ',
    '--token ',
    '--token=',
    'key',
    'secret.',
    'host=a password',
    'DB_PASSWORD',
  ],
  ...[
    'bearer ',
    'Bearer a',
    'bearer+',
    'basic ',
    'basic aaaa',
    'authorization: ',
    'authorization:authorization:bearer ',
    'x-api-key: ',
    'x-a-a-',
    '&key=',
    '?key=a&',
  ],
  ...['cookie: ', 'cookie: a=', 'cookie: a=b; ', 'cookie=a=b;', 'set-cookie: a=', 'a.b\tTRUE\t/\tTRUE\t1\t'],
  ...[
    'curl ',
    'curl -u ',
    'curl -b a=b; ',
    'mysql -p',
    'docker login ',
    'helm login',
    'sshpass -p ',
    'login a password ',
    'identified by "',
    '<password>',
    '<password>a',
  ],
  ...[
    '-----BEGIN PRIVATE KEY-----',
    '-----BEGIN RSA ',
    '-----BEGIN PRIVATE KEY-----a',
    `-----BEGIN PRIVATE KEY-----\n${some('base64', 64)}\n`,
    'Private-Lines: 9\n',
  ],
  ...[
    'eyJ',
    '-eyJ',
    '.eyJ',
    'eyJaaaaaaaaaaaa',
    'eyJaaaaaaaaa.eyJaaaaaaaaaa.',
    'eyJhbGciOi.a.',
    '://',
    '://a:',
    '://a:b',
    '://a:b@',
    'a:b@tcp',
    `SG.${'a'.repeat(128)}.${'a'.repeat(300)}`,
    'xoxb-a-',
    'mongodb://a:',
  ],
  ...[
    '\u001b[0m',
    '\u001b[0ma',
    'a\u200b',
    'password\u001b[1m=',
    '\\u001b[1m',
    '[1m',
    '\u001b]8;;a',
    '1→',
    '\n1→',
    '\n1→MIIE',
    '\n1\t+',
    '\n+',
    '\n-',
    '\n> ',
    '\na.ts:1:',
    '\na-1-',
    'a/b-',
  ],
  ...[
    'abandon ',
    'legal\\n',
    '1. legal ',
    'Private-Lines: 9\naaaaaaaaaaaaaaaaaaaaaaaa\n',
    '-----END PRIVATE KEY-----',
    `${some('base64', 64)}\n-----END PRIVATE KEY-----\n`,
  ],
  ...[
    'a:5432:b:c:',
    '$2a$10$',
    '$6$a$',
    'login with a / ',
    'credentials: a',
    '| password | ',
    'ConvertTo-SecureString ',
    'echo a',
    'echo "a | sudo ',
    'net use \\\\a ',
    'define("KEY',
    'setPassword("',
    '密码',
    '**password**: ',
    'password: a = ',
    'use a / ',
    'login a@b.c with ',
    "'passw').fill('",
    'authorization: a ',
  ],
  // Carriers of a name and its value.
  ...[
    'name: password\n',
    'value: a\n',
    '"Value":"a","Name":"password",',
    '- name: password\n  ',
    '<key>password</key>',
    '<password>a</password>',
    '("password", "a1',
    'variable "password" {',
    '[password]\nvalue = ',
    'password: |\n  a\n',
    'password:\n',
    'passwords:\n- a\n',
    'password=$(cat <<EOF\n',
    'password = """\n',
    'password = (\n"a"\n',
    '{\\"a\\":\\"\\\\n',
    '| password |\n',
    'id | password\n1 | a1b2c3d4\n',
    'password,id\n',
    'password\tid\n',
    'password  id\n',
    '<td>password</td><td>a1</td>',
    "insert into a (password) values ('",
    "insert into a (password) values ('a1'),",
    'copy a (password) from stdin;\n1\ta\n',
    '{"columns":["password"],"rows":[["',
    'kind: Secret\ndata:\n  a: YWJj\n',
    '{"kind":"Secret","data":{"a":"YWJj"},',
  ],
];

/** A beginning over and over: alone, apart, on lines, quoted, in JSON in JSON, within others, and with the end of a secret. */
const repeats: ((seed: string) => string)[] = [
  (seed) => seed,
  (seed) => `${seed} `,
  (seed) => `${seed}\n`,
  (seed) => `"${seed}",`,
  (seed) => JSON.stringify(JSON.stringify(seed)),
  (seed) => `password=${seed}password: "`,
  (seed) => `${seed}${seed.slice(0, -1)}${some('mixed', 40)}; `,
];
const filled = (part: string, length: number): string => part.repeat(Math.ceil(length / part.length)).slice(0, length);

/** Processor time of all steps, and of the longest. */
function stepsOf(steps: Generator<void, unknown, void>): { all: number; longest: number } {
  let [all, longest, isDone] = [0, 0, false];
  while (!isDone) {
    const took = cpuTime(() => void (isDone = steps.next().done === true));
    all += took;
    longest = Math.max(longest, took);
  }
  return { all, longest };
}
const stepsFor = (text: string): { all: number; longest: number } => stepsOf(redactingTexts([text]));

test('needs time in proportion to the length of the slowest texts, in steps of less than 100 ms', () => {
  stepsFor(filled('password=sunshine99 ', size));
  const small = size / 16;
  const slowest = seeds
    .flatMap((seed) => repeats.map((repeat) => repeat(seed)))
    .map((part) => ({ part, took: stepsFor(filled(part, small)).all }))
    .sort((a, b) => b.took - a.took)
    .slice(0, 8);
  const faults = [{ part: 'api_key=abc ', took: 0 }, ...slowest].flatMap(({ part }) => {
    const [text, large] = [filled(part, 225_000), filled(part, 900_000)];
    // A collection of garbage may hit any step.
    const runs = [stepsFor(large), stepsFor(large)];
    const [all, longest] = [Math.min(...runs.map((run) => run.all)), Math.min(...runs.map((run) => run.longest))];
    const quarter = Math.min(stepsFor(text).all, stepsFor(text).all);
    console.log(
      `900 KB of ${JSON.stringify(part).slice(0, 40)}: ${all.toFixed(0)} ms, a quarter ${quarter.toFixed(0)} ms, longest step ${longest.toFixed(1)} ms`,
    );
    return all > 8 * quarter + 100 || longest > 100 ? [{ part, all, quarter, longest }] : [];
  });
  expect(faults).toEqual([]);
}, 600_000);

test('needs time in proportion to the length of a text', () => {
  const took = (text: string): number => cpuTime(() => redactText(text));
  const page = `const token = await next(); // ${some('hex', 40)}\n{"id": "${some('mixed', 26)}", "password_hash": null, "n": 12}\n`;
  const small = page.repeat(Math.ceil(size / page.length));
  took(small);
  const [one, four] = [
    Math.min(took(small), took(small), took(small)),
    Math.min(took(small.repeat(4)), took(small.repeat(4))),
  ];
  console.log(`redacting 256 KB took ${one.toFixed(0)} ms, 1 MB ${four.toFixed(0)} ms`);
  expect(four).toBeLessThan(one * 8 + 50);
});

test('needs time in proportion to the length of many small texts, together or one by one', () => {
  const text = `I looked at server/log/appendTurn.ts and ran the tests: 12 passed. commit ${some('hex', 40)} `.repeat(
    7,
  );
  const small = Array.from({ length: 400 }, (_, index) => `${text}${index}`);
  const large = Array.from({ length: 1_600 }, (_, index) => `${text}${index}`);
  const whole = cpuTime(() => redactText(large.join('\n')));
  const ways: Record<string, (texts: string[]) => unknown> = {
    together: (texts) => redactTexts(texts),
    'one by one': (texts) => texts.forEach((one) => redactText(one)),
    'in a value': (texts) => redactValue(texts.map((one) => ({ input: { one } }))),
  };
  for (const [name, way] of Object.entries(ways)) {
    const took = (texts: string[]): number => Math.min(...[1, 2, 3].map(() => cpuTime(() => way(texts))));
    const [one, four] = [took(small), took(large)];
    console.log(
      `1.3 MB ${name}: ${four.toFixed(0)} ms, a quarter ${one.toFixed(0)} ms, as one text ${whole.toFixed(0)} ms`,
    );
    expect(four).toBeLessThan(one * 8 + 50);
    expect(four).toBeLessThan(whole * 8 + 50);
  }
});

test.each([
  ['87,000 texts of one letter', () => Array.from({ length: 87_000 }, () => 'a')],
  ['6,000 secrets', () => Array.from({ length: 6_000 }, () => `ghp_${some('mixed', 36)}`)],
  ['25,000 names', () => Object.fromEntries(Array.from({ length: 25_000 }, (_, n) => [`name ${n}`, 'v']))],
])('redacts %s of one value in steps of less than 50 ms', (_name, make) => {
  const value = make();
  const longest = (): number => stepsOf(redactingValue(value)).longest;
  // The first run compiles the patterns; a collection of garbage may hit any step.
  expect(Math.min(longest(), longest(), longest())).toBeLessThan(50);
});
