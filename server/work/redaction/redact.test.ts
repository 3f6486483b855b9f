import fc from 'fast-check';
import { expect, test } from 'vitest';
import { jwt, parts, privateKey, some } from '../../../test/secrets/make.ts';
import { countRedactions, redactInput, redactText, redactTexts, redactValue } from './redact.ts';

const github = (): string => parts('gh', 'p_', some('mixed', 36));

test('replaces a secret by its kind, keeps the text around it, and counts it', () => {
  expect(redactText(`git push https://me:${github()}@github.com/a/b && TOKEN=${github()} npm test`)).toEqual({
    text: 'git push https://me:[redacted: github token]@github.com/a/b && TOKEN=[redacted: github token] npm test',
    count: 2,
    kinds: { 'github token': 2 },
  });
});

test('keeps the host of a connection string', () => {
  expect(redactText('postgres://app:pa55@db.internal:5432/shop?sslmode=require').text).toBe(
    'postgres://app:[redacted: url password]@db.internal:5432/shop?sslmode=require',
  );
});

test('returns a text without secrets unchanged', () => {
  const text = 'Nothing here: password, token, key.';
  expect(redactText(text)).toEqual({ text, count: 0, kinds: {} });
  expect(redactText('')).toEqual({ text: '', count: 0, kinds: {} });
});

test('marks a secret in both texts when it is split between them, wherever it is cut', () => {
  const secret = github();
  for (let cut = 1; cut < secret.length - 3; cut += 1) {
    const { texts, count } = redactTexts([`It is ${secret.slice(0, cut)}`, `${secret.slice(cut)}.`]);
    expect(texts).toEqual(['It is [redacted: github token]', '[redacted: github token].']);
    expect(count).toBe(2);
  }
});

test('keeps the first word of a text after one that ends with a token', () => {
  for (const next of ['Thanks, I have it.', 'OK', 'I will use it', '2 things: a, b', '']) {
    expect(redactTexts([`My key: ${github()}`, next]).texts).toEqual(['My key: [redacted: github token]', next]);
  }
});

test('keeps the first words of a message after one that ends with a password, or with its name', () => {
  for (const next of ['All tests pass now.', 'Done. I changed three files.', 'OK']) {
    expect(redactTexts(['The password: hunter2', next]).texts).toEqual(['The password: [redacted: password]', next]);
    expect(redactTexts(['DB_PASSWORD=hunter2', next]).texts).toEqual(['DB_PASSWORD=[redacted: password]', next]);
  }
  for (const name of ['DB_PASSWORD=', 'API_SECRET=', 'What is the password: ']) {
    expect(redactTexts([name, 'All tests pass now.']).texts).toEqual([name, 'All tests pass now.']);
  }
});

test('redacts a password that begins in one message and ends in the next', () => {
  expect(redactTexts(['DB_PASSWORD=hun', 'ter2\nX=1']).texts).toEqual([
    'DB_PASSWORD=[redacted: password]',
    '[redacted: password]\nX=1',
  ]);
  expect(redactTexts(['DB_PASSWORD=', 'hunter']).texts).toEqual(['DB_PASSWORD=', '[redacted: password]']);
});

test('redacts the words of a seed phrase in a list', () => {
  const words = 'legal winner thank year wave sausage worth useful legal winner thank yellow'.split(' ');
  expect(redactValue({ words }).value).toEqual({ words: words.map(() => '[redacted: seed phrase]') });
  expect(redactValue({ words: [...words.slice(1), 'zoo'] }).count).toBe(0);
});

test('finds a split secret when the text before it ends with a letter', () => {
  const secret = parts('sk', '-ant-', some('url', 90));
  const { texts } = redactTexts(['Done', secret.slice(0, 12), `${secret.slice(12)}.`]);
  expect(texts).toEqual(['Done', '[redacted: anthropic key]', '[redacted: anthropic key].']);
});

test('finds a secret split over three texts, also with an empty text between them', () => {
  const key = privateKey('RSA PRIVATE KEY', 6);
  const { texts } = redactTexts(['A key:\n' + key.slice(0, 90), '', key.slice(90, 300), `${key.slice(300)}\nbye`]);
  expect(texts).toEqual([
    'A key:\n[redacted: private key]',
    '',
    '[redacted: private key]',
    '[redacted: private key]\nbye',
  ]);
});

test('finds a split secret at the ends of texts of any length', () => {
  const secret = jwt();
  const long = 'lorem ipsum '.repeat(20_000);
  const { texts } = redactTexts([long, `${long}${secret.slice(0, 40)}`, `${secret.slice(40)} ${long}`]);
  expect(texts).toEqual([long, `${long}[redacted: jwt]`, `[redacted: jwt] ${long}`]);
});

test('does not join neighbouring texts into a secret', () => {
  const texts = ['What is your password=', '', 'I do not know. The token', ': see the wiki'];
  expect(redactTexts(texts)).toEqual({ texts, count: 0, kinds: {} });
});

test('redacts a private key inside a text from its first line to its last', () => {
  expect(redactText(`before\n${privateKey('PRIVATE KEY')}\nafter`).text).toBe('before\n[redacted: private key]\nafter');
});

test('redacts what is left of a cut private key, and keeps the text after it', () => {
  const cut = privateKey('PRIVATE KEY').split('\n').slice(0, 5).join('\n');
  expect(redactText(`${cut}\nThat is where the output ended.`).text).toBe(
    '[redacted: private key]\nThat is where the output ended.',
  );
});

test('redacts nested values and names, and keeps the structure', () => {
  const secret = github();
  expect(redactValue({ a: [1, null, true, { b: `x ${secret}` }], [secret]: 1, n: 12.5 })).toEqual({
    value: { a: [1, null, true, { b: 'x [redacted: github token]' }], '[redacted: github token]': 1, n: 12.5 },
    count: 2,
    kinds: { 'github token': 2 },
  });
});

test('numbers names that get the same mark', () => {
  expect(redactValue({ [github()]: 1, [github()]: 2 }).value).toEqual({
    '[redacted: github token]': 1,
    '[redacted: github token] 2': 2,
  });
});

test('redacts the whole value of a name that means a secret', () => {
  expect(
    redactValue({
      password: 'letmein',
      pin: 1,
      dbPassword: 12345678,
      client_secret: 'sommer-2024',
      env: [{ name: 'API_KEY', value: 'abcdefgh12' }],
      argv: ['--password', 'x1y', '--verbose'],
      headers: { Cookie: 'a=b1; c=d' },
    }).value,
  ).toEqual({
    password: '[redacted: password]',
    pin: 1,
    dbPassword: '[redacted: password]',
    client_secret: '[redacted: secret]',
    env: [{ name: 'API_KEY', value: '[redacted: api key]' }],
    argv: ['--password', '[redacted: password]', '--verbose'],
    headers: { Cookie: '[redacted: cookie]' },
  });
});

test('keeps variables, types and counts under a name that means a secret', () => {
  const value = {
    password: '${DB_PASSWORD}',
    token: 'string',
    apiKey: '',
    secret: null,
    tokens: 4096,
    pass: 12345,
    nextPageToken: 'CAUQAAabc123def456',
  };
  expect(redactValue(value)).toEqual({ value, count: 0, kinds: {} });
});

test('keeps a name such as __proto__', () => {
  const value = JSON.parse('{"__proto__": {"x": 1}, "constructor": "y"}') as object;
  expect(JSON.stringify(redactValue(value).value)).toBe(JSON.stringify(value));
});

test('splits no character', () => {
  const { text, count } = redactText(`sshpass -p a${'\u{1F600}'.repeat(300)} ssh`);
  expect(count).toBe(1);
  expect(text).not.toMatch(/\p{Surrogate}/u);
});

// Only the library knows this one.
test('ignores comments that disable scanners', () => {
  const secret = parts('vc', 'p_', some('mixed', 24));
  expect(redactText(`// secretlint-disable\n${secret} // secretlint-disable-line\n`).text).toBe(
    '// secretlint-disable\n[redacted: vercel token] // secretlint-disable-line\n',
  );
});

test('finds a token after an escaped line break or character', () => {
  for (const before of ['\\n', '\\t', '%20', '%3D', '=', '"', "'", '`', '(', '/', ',']) {
    expect(redactText(`x${before}${parts('sk', '-', some('mixed', 48))}`).text).toBe(
      `x${before}[redacted: model provider key]`,
    );
  }
});

test("keeps ids, types and dates of a mutation's input, and redacts its other fields", () => {
  const secret = github();
  const at = new Date();
  const input = {
    sessionId: secret,
    agentId: secret,
    agentType: 'AKIA',
    idempotencyKey: secret,
    toolCallIds: [secret],
    at,
    title: `x ${secret}`,
    messages: [
      { role: 'USER', content: `split ${secret.slice(0, 20)}` },
      { role: 'USER', content: secret.slice(20) },
    ],
    metadata: { id: secret, type: [secret] },
    none: null,
  };
  const mark = '[redacted: github token]';
  expect(redactInput(input)).toEqual({
    ...input,
    title: `x ${mark}`,
    messages: [
      { role: 'USER', content: `split ${mark}` },
      { role: 'USER', content: mark },
    ],
    metadata: { id: mark, type: [mark] },
  });
  expect(redactInput(input).at).toBe(at);
});

test('replaces the id of a call by its hash when it holds a secret, so that two ids stay two', () => {
  const ids = ['toolu_01NG5xcSvVWynFdbWxaW2SPc', github(), github(), 'call_1'];
  const { toolCalls } = redactInput({ toolCalls: ids.map((callId) => ({ callId })) });
  const stored = toolCalls.map(({ callId }) => callId);
  expect(stored).toEqual([
    ids[0],
    expect.stringMatching(/^sha256_[0-9a-f]{40}$/),
    expect.stringMatching(/^sha256_/),
    ids[3],
  ]);
  expect(new Set(stored).size).toBe(4);
  expect(redactInput({ callId: ids[1] })).toEqual({ callId: stored[1] });
  expect(redactInput({ callId: stored[1] })).toEqual({ callId: stored[1] });
  expect(redactInput({ callId: null })).toEqual({ callId: null });
});

test('keeps a title within its limit after redaction', () => {
  const { title } = redactInput({ title: 'DB_PASSWORD=x1y '.repeat(31) });
  expect(title).toMatch(/^DB_PASSWORD=\[redacted: password\] DB_.*…$/);
  expect([...title]).toHaveLength(500);
});

test('counts only the marks of redaction, whatever wrote them', () => {
  expect(
    countRedactions(
      'a [redacted: github token] b [redacted: jwt][redacted: 1password token] [redacted: ] [redacted] redacted: jwt',
    ),
  ).toBe(3);
  expect(countRedactions('')).toBe(0);
});

test.each([
  ['password: Some("', '".to_string()),'],
  ['password = String::from("', '");'],
  ['password=SecretStr("', '")'],
  ['val password = """', '"""'],
  ['let password = #"', '"#;'],
  ['string password = $@"', '";'],
  ['my $password = q{', '};'],
  ['password = %q(', ')'],
  ['password = [[', ']]'],
  ['client.login("ada@example.org", "', '")'],
  ['WiFi.begin("home", "', '");'],
  ['setenv API_SECRET ', '\n'],
  ['dotnet user-secrets set "Auth:ClientSecret" "', '"'],
  ['config set --secret dbPassword ', ''],
  ['openssl enc -aes-256-cbc -pass pass:', ' -in a'],
  ['[remote]\ntype = sftp\nuser = ada\npass = ', ''],
  ['log in with password ', ' as ada'],
  ['| user | password |\n|---|---|\n| ada | ', ' |'],
])('redacts a value in the notation %j ... %j', (before, after) => {
  const word = (letters: string, length: number) =>
    fc.array(fc.constantFrom(...letters), { minLength: length, maxLength: length }).map((all) => all.join(''));
  const base64 = word('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/', 30);
  const value = fc.oneof(
    word('0123456789abcdef', 24).map((hex) => `7f${hex}4e`),
    fc.tuple(base64, base64).map(([one, other]) => `Q7${one.replaceAll(/[+/]/g, 'k9')}aW4t${other}R2dX`),
    word('abcdefghkmnpqrst', 6).map((name) => `${name}-4R#9`),
  );
  fc.assert(
    fc.property(value, (secret) => {
      expect(redactText(`${before}${secret}${after}`).text).not.toContain(secret.slice(-8));
    }),
  );
});

test('redacts a key in base64 after its name, also where it looks like a path', () => {
  const base64 = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'];
  const rest = fc
    .array(fc.constantFrom(...base64), { minLength: 24, maxLength: 24 })
    .map((characters) => characters.join(''));
  const key = fc
    .tuple(fc.constantFrom('/', 'x/', 'eiF/f', '/KNJ/'), rest)
    .map(([start, end]) => `${start}7bQ2Kd9aW4tR${end}`);
  const command = fc.constantFrom(
    'aws configure set aws_secret_access_key ',
    'AWS_SECRET_ACCESS_KEY=',
    'aws_secret_access_key = ',
    '--secret-key ',
  );
  fc.assert(
    fc.property(command, key, (before, value) => {
      expect(redactText(`${before}${value}`).text).toMatch(/\[redacted: [^\]]+\]$/);
    }),
  );
});

test.each([
  'aws configure set aws_secret_access_key_file /home/user/myProjectV2/srcMain/node18/lib64/keyFiles',
  'secret_key: /Users/ada/Projects/BatonServer2/configFiles/Keys/serverKey',
])('keeps a long path: %s', (text) => {
  expect(redactText(text).count).toBe(0);
});
