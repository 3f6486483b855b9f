import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { chunks, field, indent, ofOne, tables, type Field, type Table } from './heldOutNotations.ts';
import { randomOf, type Random } from './random.ts';
import type { Harmless, Sample, Written } from './samples.ts';

// The held-out generator: a record with secrets, written in a notation, within surroundings. Written before the rules for
// carriers, and independently of `generated.ts`. Rules are never fitted to a single sample of it.

// Values

const vendors: ((r: Random) => string)[] = [
  (r) => `AKIA${r.upper(16)}`,
  (r) => `AIzaSy${r.url(33)}`,
  (r) => `GOCSPX-${r.url(28)}`,
  (r) => `ghp_${r.mixed(36)}`,
  (r) => `github_pat_${r.mixed(22)}_${r.mixed(59)}`,
  (r) => `glpat-${r.url(20)}`,
  (r) => `xoxb-${r.digits(12)}-${r.digits(12)}-${r.mixed(24)}`,
  (r) => `sk_live_${r.mixed(24)}`,
  (r) => `sk-ant-api03-${r.url(93)}AA`,
  (r) => `sk-proj-${r.url(120)}`,
  (r) => `npm_${r.mixed(36)}`,
  (r) => `pypi-AgEIcHlwaS5vcmc${r.url(140)}`,
  (r) => `hf_${r.letters(34)}`,
  (r) => `SG.${r.url(22)}.${r.url(43)}`,
  (r) => `dop_v1_${r.hex(64)}`,
  (r) => `hvs.${r.url(90)}`,
  (r) => `shpat_${r.hex(32)}`,
  (r) => `ntn_${r.mixed(46)}`,
  (r) => `lin_api_${r.mixed(40)}`,
  (r) => `glsa_${r.mixed(32)}_${r.hex(8)}`,
  (r) => `dapi${r.hex(32)}`,
  (r) => `gsk_${r.mixed(52)}`,
  (r) => `xai-${r.mixed(80)}`,
  (r) => `r8_${r.mixed(37)}`,
  (r) => `PMAK-${r.hex(24)}-${r.hex(34)}`,
  (r) => `whsec_${r.mixed(32)}`,
  (r) => `dckr_pat_${r.url(27)}`,
  (r) => `tskey-auth-${r.mixed(16)}-${r.mixed(32)}`,
  (r) => `pul-${r.hex(40)}`,
  (r) => `sntryu_${r.hex(64)}`,
  (r) => `rubygems_${r.hex(48)}`,
  (r) => `${r.digits(10)}:AA${r.url(33)}`,
  (r) =>
    [
      Buffer.from('{"alg":"HS256","typ":"JWT"}').toString('base64url'),
      Buffer.from(`{"sub":"${r.digits(8)}","aud":"api","exp":1790000000}`).toString('base64url'),
      r.url(43),
    ].join('.'),
];

const words = ['falcon', 'Bergsteiger', 'manzana', 'Kitty', 'octopus', 'Sommer', 'pinguino', 'rocket', 'Charlie', 'iloveyou', 'trustno', 'baseball']; // prettier-ignore
const typedValues: ((r: Random) => string)[] = [
  (r) => `${r.of(words)}${r.digits(2)}`,
  (r) => `${r.of(words)}${r.digits(4)}!`,
  (r) => `${r.of(words)}-${r.of(words)}-${r.digits(2)}`,
  (r) => `${r.digits(2)}${r.of(words)}${r.of(words)}`,
  (r) => `${r.of(words)}@${r.digits(3)}`,
  (r) => `${r.of(words).replace('o', '0').replace('e', '3')}${r.digits(1)}#${r.letters(2)}`,
  (r) => r.mixed(10),
  (r) => `${r.letters(4)}${r.digits(2)}${r.letters(3)}_${r.digits(2)}`,
  (r) => `${r.of(words)}.${r.digits(4)}`,
];

const blobs: ((r: Random) => string)[] = [
  (r) => r.bytes(32).toString('base64'),
  (r) => r.bytes(48).toString('base64'),
  (r) => r.bytes(64).toString('base64'),
  (r) => r.hex(32),
  (r) => r.hex(64),
  (r) => r.bytes(32).toString('base64url'),
  (r) => r.mixed(24),
  (r) => r.mixed(40),
  (r) => [8, 4, 4, 4, 12].map((n) => r.hex(n)).join('-'),
];

const passwordNames = ['password', 'db_password', 'dbPassword', 'DB_PASSWORD', 'smtp-password', 'Password', 'adminPassword', 'passwd', 'root_password', 'MYSQL_ROOT_PASSWORD', 'keystore.password', 'userPassword', 'REDIS_PASSWORD', 'passphrase', 'ldap_bind_password']; // prettier-ignore
const keyNames = ['api_key', 'apiKey', 'API_KEY', 'client_secret', 'clientSecret', 'secret_key', 'AWS_SECRET_ACCESS_KEY', 'accessToken', 'access_token', 'JWT_SECRET', 'auth_token', 'encryption_key', 'STRIPE_SECRET_KEY', 'signing-key', 'webhookSecret', 'SESSION_SECRET', 'refresh_token', 'privateKey', 'bot_token', 'x-api-key']; // prettier-ignore

const secretField = (r: Random): Field =>
  r.chance(0.5)
    ? field(r.of(passwordNames), r.of(typedValues)(r), true)
    : field(r.of(keyNames), r.chance(0.5) ? r.of(blobs)(r) : r.of(vendors)(r), true);

const neighbours = (r: Random): Field[] =>
  r.some(
    [
      field('host', 'db-3.internal'),
      field('port', '5432'),
      field('region', 'eu-west-1'),
      field('enabled', 'true'),
      field('owner', 'platform-team'),
      field('timeout', '30s'),
      field('username', 'svc_app'),
      field('email', 'ops@example.net'),
      field('note', 'rotated monthly'),
    ],
    r.between(1, 4),
  );

/** A record of a few neutral fields and one secret, in any order. */
const record = (r: Random): Field[] => r.shuffled([...neighbours(r), secretField(r)]);

function tableSample(r: Random, write: Table): { text: string; secrets: string[] } {
  const isPassword = r.chance(0.6);
  const name = isPassword
    ? r.of(['password', 'passwd', 'user_password', 'Password', 'initial_password'])
    : r.of(['api_key', 'token', 'access_token', 'client_secret', 'apiKey', 'secret']);
  const make = (): string => (isPassword ? r.of(typedValues)(r) : r.chance(0.5) ? r.mixed(32) : r.of(vendors)(r));
  const heads = r.shuffled(['id', 'name', 'created', name]).filter((head, i) => head === name || i > 0);
  const users = ['ada', 'grace', 'linus', 'ken', 'barbara', 'edsger'];
  const secrets: string[] = [];
  const rows = Array.from({ length: r.between(1, 5) }, (_, i) =>
    heads.map((head) => {
      if (head === 'id') return String(i + 11);
      if (head === 'name') return users[i]!;
      if (head === 'created') return `2026-0${i + 1}-11`;
      secrets.push(make());
      return secrets.at(-1)!;
    }),
  );
  return { text: write(heads, rows, r), secrets };
}

// Manifests of Kubernetes

const b64 = (value: string): string => Buffer.from(value).toString('base64');

const manifests: Record<string, (r: Random) => { text: string; secrets: string[] }> = {
  'data first': (r) => {
    const [a, b] = [r.of(typedValues)(r), r.of(vendors)(r)];
    return {
      text: `apiVersion: v1\ndata:\n  first: ${b64(a)}\n  second.txt: ${b64(b)}\nkind: Secret\nmetadata:\n  creationTimestamp: "2026-02-11T10:00:00Z"\n  name: app-credentials\n  namespace: shop\ntype: Opaque`,
      secrets: [b64(a), b64(b)],
    };
  },
  'kind first': (r) => {
    const [a, b] = [r.of(typedValues)(r), r.bytes(24).toString('hex')];
    return {
      text: `---\napiVersion: v1\nkind: Secret\nmetadata:\n  name: db\ntype: Opaque\ndata:\n  USER_ROOT: "${b64(a)}"\n  seed: ${b64(b)}\n---\napiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: other\ndata:\n  mode: production`,
      secrets: [b64(a), b64(b)],
    };
  },
  stringData: (r) => {
    const [a, b] = [r.of(typedValues)(r), r.of(typedValues)(r)];
    return {
      text: `kind: Secret\napiVersion: v1\nmetadata: {name: x}\nstringData:\n  basic: ${a}\n  other: '${b}'`,
      secrets: [a, b],
    };
  },
  'block in stringData': (r) => {
    const [a, b] = [r.of(typedValues)(r), r.of(blobs)(r)];
    return {
      text: `apiVersion: v1\nkind: Secret\nmetadata:\n  name: files\nstringData:\n  app.conf: |\n    login=${a}\n    blob ${b}\n`,
      secrets: [a, b],
    };
  },
  'json manifest': (r) => {
    const [a, b] = [r.of(typedValues)(r), r.of(vendors)(r)];
    return {
      text: JSON.stringify(
        { apiVersion: 'v1', data: { one: b64(a), two: b64(b) }, kind: 'Secret', metadata: { name: 'x', namespace: 'y' }, type: 'Opaque' },
        null,
        4,
      ), // prettier-ignore
      secrets: [b64(a), b64(b)],
    };
  },
  'list of manifests': (r) => {
    const values = [r.of(typedValues)(r), r.of(typedValues)(r)];
    return {
      text: `apiVersion: v1\nitems:\n${values.map((value, i) => `- apiVersion: v1\n  data:\n    entry: ${b64(value)}\n  kind: Secret\n  metadata:\n    name: s${i}\n  type: Opaque`).join('\n')}\nkind: List`,
      secrets: values.map(b64),
    };
  },
  'docker config': (r) => {
    const value = b64(
      JSON.stringify({ auths: { 'r.example.net': { username: 'ci', password: r.mixed(20), auth: r.mixed(30) } } }),
    );
    return {
      text: `apiVersion: v1\nkind: Secret\ntype: kubernetes.io/dockerconfigjson\nmetadata:\n  name: regcred\ndata:\n  .dockerconfigjson: ${value}`,
      secrets: [value],
    };
  },
};

// Tokens that a terminal, a mail or a programmer divided

const divisions: Record<string, (parts: string[]) => string> = {
  'at the width of a terminal': (parts) => `Your new token:\n${parts.join('\n')}\nKeep it safe.`,
  'in an indented paragraph': (parts) => `    token follows\n${parts.map((part) => `    ${part}`).join('\n')}\n\nDone.`,
  'by backslashes': (parts) => `curl -H "Authorization: Bearer ${parts.join('\\\n')}" https://x.example.net`,
  'in strings that are added': (parts) => `const token =\n  ${parts.map((part) => `"${part}"`).join(' +\n  ')};`,
  'in strings side by side': (parts) => `TOKEN = (\n    ${parts.map((part) => `'${part}'`).join('\n    ')}\n)`,
  'in a citation': (parts) => `> it is\n${parts.map((part) => `> ${part}`).join('\n')}`,
  'in a folded value': (parts) => `token: >-\n${parts.map((part) => `  ${part}`).join('\n')}\nnext: 1`,
  'in a cell': (parts) => `| name  | given |\n${parts.map((part, i) => `| ${i === 0 ? 'token' : '     '} | ${part} |`).join('\n')}`, // prettier-ignore
};
// Shorter tokens are not divided by a terminal.
const dividedVendors = vendors.filter((make) => make(randomOf(1)).length >= 40);

// Keys

interface Key {
  label: string;
  der: Buffer;
}

function keys(): Key[] {
  const pairs: [string, KeyObject, 'pkcs8' | 'pkcs1' | 'sec1'][] = [
    ['PRIVATE KEY', generateKeyPairSync('ed25519').privateKey, 'pkcs8'],
    ['PRIVATE KEY', generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey, 'pkcs8'],
    ['EC PRIVATE KEY', generateKeyPairSync('ec', { namedCurve: 'P-384' }).privateKey, 'sec1'],
    ['RSA PRIVATE KEY', generateKeyPairSync('rsa', { modulusLength: 1024 }).privateKey, 'pkcs1'],
    ['PRIVATE KEY', generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey, 'pkcs8'],
  ];
  return pairs.map(([label, key, type]) => ({ label, der: key.export({ type: type as 'pkcs8', format: 'der' }) }));
}

const bare: Record<string, (lines: string[], label: string) => string> = {
  'lines without armour': (lines) => `This is the key:\n\n${lines.join('\n')}\n\nThanks`,
  'one line': (lines) => `key material ${lines.join('')} end`,
  'indented lines without armour': (lines) =>
    `material:\n${lines.map((line) => `        ${line}`).join('\n')}\nnext: 1`,
  'a quoted line': (lines) => `load("${lines.join('')}")`,
  'a text of json': (lines) => JSON.stringify({ der: lines.join('\n'), n: 1 }),
  'strings that are added': (lines) => lines.map((line) => `  "${line}"`).join(' +\n'),
  'comment signs': (lines) => lines.map((line) => `# ${line}`).join('\n'),
  'lines of a listing': (lines) => lines.map((line, i) => `${String(i + 4).padStart(6)}\t${line}`).join('\n'),
  'armour, indented': (lines, label) =>
    `tls:\n  pem: |\n${[`-----BEGIN ${label}-----`, ...lines, `-----END ${label}-----`].map((line) => `      ${line}`).join('\n')}\n  port: 443`,
  'armour on one line': (lines, label) => `PEM="-----BEGIN ${label}-----\\n${lines.join('\\n')}\\n-----END ${label}-----\\n"`, // prettier-ignore
  'armour with spaces': (lines, label) => `-----BEGIN ${label}----- ${lines.join(' ')} -----END ${label}-----`,
  'armour in strings': (lines, label) =>
    [`-----BEGIN ${label}-----`, ...lines, `-----END ${label}-----`].map((line) => `    '${line}\\n'`).join(' +\n'),
};

// Connection strings

const connections: Record<string, (password: string, r: Random) => string> = {
  postgres: (p) => `postgres://app:${encodeURIComponent(p)}@db.internal:5432/shop?sslmode=require`,
  mongo: (p) => `mongodb+srv://root:${encodeURIComponent(p)}@c0.example.net/admin`,
  redis: (p) => `rediss://:${encodeURIComponent(p)}@cache.internal:6380/0`,
  amqp: (p) => `amqps://svc:${encodeURIComponent(p)}@mq.internal/%2Fprod`,
  'sql server': (p) => `Server=tcp:db.example.net,1433;Initial Catalog=shop;User ID=app;Password=${p};Encrypt=True`,
  odbc: (p) => `DRIVER={PostgreSQL};SERVER=db;UID=app;PWD=${p};DATABASE=shop`,
  jdbc: (p) => `jdbc:mysql://db.internal/shop?user=app&password=${encodeURIComponent(p)}&useSSL=true`,
  libpq: (p) => `host=db.internal port=5432 dbname=shop user=app password=${p} sslmode=require`,
  'azure storage': (_p, r) =>
    `DefaultEndpointsProtocol=https;AccountName=shop;AccountKey=${r.bytes(64).toString('base64')};EndpointSuffix=core.windows.net`,
  'azure bus': (_p, r) =>
    `Endpoint=sb://shop.servicebus.windows.net/;SharedAccessKeyName=Root;SharedAccessKey=${r.bytes(32).toString('base64')}`,
  smtp: (p) => `smtps://mailer%40example.net:${encodeURIComponent(p)}@smtp.example.net:465`,
  git: (_p, r) => `https://oauth2:glpat-${r.url(20)}@gitlab.example.net/a/b.git`,
  'go of mysql': (p) => `app:${p.replaceAll(/[@/:]/g, '9')}@tcp(db.internal:3306)/shop?parseTime=true`,
};
const secretOfConnection = (text: string): string =>
  /(?:password|pwd|accountkey|sharedaccesskey)=([^;&\s]+)/i.exec(text)?.[1] ??
  /:\/\/[^:@/]*:([^@]+)@/.exec(text)?.[1] ??
  /:([^@:]+)@tcp/.exec(text)![1]!;

// Surroundings

const escape = '\u001b';
const surroundings: Record<string, (text: string) => Written> = {
  alone: (text) => ({ text }),
  'in a message': (text) => ({ text: `I changed the file as you said:\n\n\`\`\`\n${text}\n\`\`\`\n\nAnything else?` }),
  'numbered by cat': (text) => ({ text: text.split('\n').map((l, i) => `${String(i + 1).padStart(6)}\t${l}`).join('\n') }), // prettier-ignore
  'numbered by an agent': (text) => ({ text: text.split('\n').map((l, i) => `${String(i + 9).padStart(5)}→${l}`).join('\n') }), // prettier-ignore
  'in json': (text) => ({ text: JSON.stringify({ stdout: text, exit: 0 }) }),
  'in json in json': (text) => ({ text: JSON.stringify({ a: JSON.stringify({ content: text }) }) }),
  added: (text) => ({ text: `@@ -0,0 +1,9 @@\n${indent(text, '+')}` }),
  'Windows lines': (text) => ({ text: text.replaceAll(/\r?\n/g, '\r\n') }),
  indented: (text) => ({ text: `Output:\n\n${indent(text, '    ')}\n\nthat is all` }),
  cited: (text) => ({ text: indent(text, '> ') }),
  coloured: (text) => ({ text: `${escape}[32m${text}${escape}[0m\n` }),
  'a value': (text) => ({ value: { tool: 'Bash', result: { output: text } } }),
  'after another line': (text) => ({ text: `$ cat it\n${text}\n$ ` }),
};
const names = Object.keys(surroundings);

/** Samples of the held-out generator: each notation in `each` of the surroundings, of its own values. */
export function heldOutGenerated(seed: number, each: number): Sample[] {
  const r = randomOf(seed);
  const samples: Sample[] = [];
  const put = (kind: string, form: string, text: string, secrets: string[], within?: string): void => {
    const around = within ?? names[samples.length % names.length]!;
    samples.push({ kind, form: `${form}, ${around}`, written: surroundings[around]!(text), secrets });
  };
  for (let round = 0; round < each; round += 1) {
    for (const [form, write] of Object.entries(ofOne)) {
      const fields = record(r);
      const text = write(fields, r);
      const secrets = fields
        .filter(({ isSecret }) => isSecret)
        .map(({ value }) => (/address|form of a request/.test(form) ? encodeURIComponent(value) : value));
      put('record', form, text, secrets);
    }
    for (const [form, write] of Object.entries(tables)) {
      const { text, secrets } = tableSample(r, write);
      put('table', form, text, secrets);
    }
    for (const [form, write] of Object.entries(manifests)) {
      const { text, secrets } = write(r);
      put('manifest', form, text, secrets);
    }
    for (const [form, write] of Object.entries(divisions)) {
      const token = r.of(dividedVendors)(r);
      const parts = chunks(token, r.between(18, Math.max(20, token.length - 8)));
      put('divided token', form, write(parts), parts.filter((part) => part.length >= 6)); // prettier-ignore
    }
    const [key, wide] = [r.of(madeKeys()), r.of([64, 76])];
    const lines = chunks(key.der.toString('base64'), wide);
    for (const [form, write] of Object.entries(bare))
      put('private key', form, write(lines, key.label), form.includes('one line') ? [lines.join('')].flatMap((all) => chunks(all, 60)) : lines.filter((line) => line.length >= 8)); // prettier-ignore
    for (const [form, write] of Object.entries(connections)) {
      const text = write(r.of(typedValues)(r), r);
      const carried = r.of([
        `DATABASE_URL=${text}`,
        `const url = '${text}';`,
        `connecting to ${text}`,
        JSON.stringify({ connection: text }),
      ]);
      put('connection', form, carried, [secretOfConnection(text)]);
    }
  }
  return samples;
}

let made: Key[] | undefined;
const madeKeys = (): Key[] => (made ??= keys());

// Harmless records: the same notations around names that count, values that only look like secrets, and blanks.

const harmlessFields: ((r: Random) => Field)[] = [
  (r) => field('max_tokens', r.digits(4)),
  (r) => field('tokenCount', r.digits(3)),
  () => field('primary_key', 'id'),
  () => field('sort_key', 'created_at'),
  (r) => field('cacheKey', `user:${r.digits(3)}`),
  (r) => field('commit', r.hex(40)),
  (r) => field('digest', `sha256:${r.hex(64)}`),
  (r) => field('request_id', [8, 4, 4, 4, 12].map((n) => r.hex(n)).join('-')),
  () => field('password', '********'),
  () => field('password', '<your password>'),
  () => field('db_password', '${DB_PASSWORD}'),
  () => field('api_key', 'YOUR_API_KEY'),
  () => field('token', '{{ token }}'),
  () => field('client_secret', 'changeme'),
  () => field('password_policy', 'strong'),
  () => field('keyboard', 'qwerty-104'),
  () => field('author', 'Ada Lovelace'),
  () => field('public_key_path', '/etc/ssl/app.pub'),
  () => field('secret_name', 'app-credentials'),
  () => field('token_url', 'https://auth.example.net/oauth/token'),
  () => field('authentication', 'enabled'),
  () => field('passing', '12'),
];

/** Harmless texts of the held-out generator. */
export function heldOutGeneratedHarmless(seed: number, each: number): Harmless[] {
  const r = randomOf(seed);
  const texts: [string, string][] = [];
  for (let round = 0; round < each; round += 1) {
    for (const [form, write] of Object.entries(ofOne))
      texts.push([form, write(r.shuffled([...neighbours(r), r.of(harmlessFields)(r), r.of(harmlessFields)(r)]), r)]);
    for (const [form, write] of Object.entries(tables)) {
      const fields = r.some(harmlessFields, 3).map((make) => make(r));
      texts.push([form, write([...fields.map(({ name }) => name), 'n'], [[...fields.map(({ value }) => value), '1']], r)]); // prettier-ignore
    }
    const key = createPublicKey(createPrivateKey({ key: madeKeys()[round % 5]!.der, format: 'der', type: (['pkcs8', 'pkcs8', 'sec1', 'pkcs1', 'pkcs8'] as const)[round % 5]! })); // prettier-ignore
    const lines = chunks(key.export({ type: 'spki', format: 'der' }).toString('base64'), 64);
    for (const [form, write] of Object.entries(bare).filter(([form]) => !form.startsWith('armour')))
      texts.push([`public key, ${form}`, write(lines, '')]);
    texts.push(['config map', `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: c\ndata:\n  mode: production\n  size: "${r.digits(3)}"`]); // prettier-ignore
    texts.push(['image', `data:image/png;base64,${r.bytes(300).toString('base64')}`]);
    texts.push(['hash in lines', chunks(r.hex(128), 64).join('\n')]);
    texts.push(['a lock file', `"integrity": "sha512-${r.bytes(64).toString('base64')}"`]);
  }
  return texts.map(([kind, text], index) => ({ kind, written: surroundings[names[index % names.length]!]!(text) }));
}
