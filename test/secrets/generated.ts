import { kindsOfTokens } from './kinds.ts';
import { randomOf, type Random } from './random.ts';
import type { Harmless, Sample } from './samples.ts';

// Each kind of value in each carrier: a text that gives a value its name. The rules for carriers were written with it.
// `heldOutGenerated.ts` is the other generator.

/** Writes a value with its name, beside others. */
type Carrier = (name: string, value: string, r: Random) => string;

const pad = (text: string, length: number): string => `${text}  `.padEnd(length);

const families: Record<string, Record<string, Carrier>> = {
  pairs: {
    'env of a pod': (n, v) =>
      `        env:\n        - name: ${n}\n          value: ${v}\n        - name: MODE\n          value: live`,
    'env of a pod, quoted': (n, v) => `env:\n  - name: "${n}"\n    value: "${v}"`,
    'value first': (n, v) => `- value: '${v}'\n  name: ${n}`,
    'with a type between': (n, v) => `  - key: ${n}\n    scope: all\n    secret: true\n    value: ${v}`,
    'task definition': (n, v) => JSON.stringify({ environment: [{ name: n, value: v }] }, null, 2),
    'Name and Value': (n, v) =>
      JSON.stringify([
        { Name: n, Value: v },
        { Name: 'mode', Value: 'live' },
      ]),
    'Key, then Value': (n, v) => JSON.stringify({ Tags: [{ Key: n, Type: 'String', Value: v }] }),
    'Value, then Key': (n, v) => JSON.stringify({ Value: v, Key: n }, null, 1),
    ParameterKey: (n, v) => JSON.stringify([{ ParameterKey: n, ParameterValue: v }]),
    OptionName: (n, v) => JSON.stringify({ Namespace: 'aws:app', OptionName: n, Value: v }, null, 4),
    'SSM parameter': (n, v) =>
      JSON.stringify({ Parameter: { Name: `/app/${n}`, Type: 'SecureString', Value: v, Version: 3 } }, null, 4),
    'pairs of python': (n, v) => `[{'name': '${n}', 'value': '${v}'}]`,
    'pairs of hcl': (n, v) => `  set {\n    name  = "${n}"\n    value = "${v}"\n  }`,
    'pairs of hcl on a line': (n, v) => `environment = [{ name = "${n}", value = "${v}" }]`,
    'pairs of toml': (n, v) => `[[vars]]\nname = "${n}"\nvalue = "${v}"`,
    'pairs of javascript': (n, v) => `vars: [\n  { name: '${n}', value: '${v}' },\n]`,
    'pairs of postman': (n, v) => JSON.stringify({ values: [{ key: n, value: v, enabled: true }] }, null, '\t'),
    'gitlab variable': (n, v) => JSON.stringify({ variable_type: 'env_var', key: n, value: v, protected: false }),
    'xml property': (n, v) => `<property><name>${n}</name><value>${v}</value></property>`,
    'xml add': (n, v) => `<add key="${n}" value="${v}"/>`,
    'xml parameter': (n, v) => `<Parameter name="${n}" value="${v}" override="false" />`,
    'xml entry': (n, v) => `<entry key="${n}">${v}</entry>`,
    plist: (n, v) => `<key>${n}</key>\n<string>${v}</string>`,
    'form field': (n, v) => `--x\r\nContent-Disposition: form-data; name="${n}"\r\n\r\n${v}\r\n--x--`,
    'input of a page': (n, v) => `<input type="hidden" name="${n}" value="${v}">`,
    'log of pairs': (n, v) => `name=${n} value=${v}`,
    tuple: (n, v) => `("${n}", "${v}"),`,
    setter: (n, v) => `os.environ.setdefault("${n}", "${v}")`,
    'item of a map': (n, v) => `environ["${n}"] = "${v}"`,
    put: (n, v) => `props.put("${n}", "${v}");`,
  },
  blocks: {
    literal: (n, v) => `config:\n  ${n}: |\n    ${v}\n  mode: live`,
    'literal, stripped': (n, v) => `${n}: |-\n  ${v}\n`,
    folded: (n, v) => `a:\n  b:\n    ${n}: >\n      ${v}\n    c: 1`,
    'folded, stripped': (n, v) => `- ${n}: >-\n    ${v}\n- other: x`,
    'with an indentation': (n, v) => `${n}: |2\n  ${v}\nmode: live`,
    'next line': (n, v) => `${n}:\n  ${v}\nmode: live`,
    'next line, quoted': (n, v) => `  ${n}:\n    "${v}"`,
    'list under a name': (n, v) => `${n}s:\n  - ${v}\nmode: live`,
    'value under a name': (n, v) => `${n}:\n  description: set by hand\n  value: ${v}\n  type: text`,
    'terraform variable': (n, v) => `variable "${n}" {\n  type = string\n  default = "${v}"\n}`,
    'terraform output': (n, v) => JSON.stringify({ [n]: { sensitive: true, type: 'string', value: v } }, null, 2),
    heredoc: (n, v) => `${n}=$(cat <<EOF\n${v}\nEOF\n)`,
    'heredoc of hcl': (n, v) => `${n} = <<-EOT\n  ${v}\nEOT`,
    'triple quotes': (n, v) => `${n} = """\n${v}\n"""`,
    section: (n, v) => `[${n}]\nvalue = ${v}\n`,
    ini: (n, v) => `[server]\nhost = a\n${n} = ${v}\n\n[client]\nuser=b`,
    'ini with colon': (n, v) => `[server]\n${n}: ${v}\n`,
    'commented ini': (n, v) => `[server]\n# ${n} of the admin\n${n}=${v} ; change it`,
    toml: (n, v) => `[server]\n${n} = "${v}"\n`,
  },
  tables: {
    markdown: (n, v) => `| id | ${n} |\n|----|------|\n| 1 | ${v} |\n| 2 | - |`,
    'markdown in backticks': (n, v) => `| ${n} | id |\n|:--|--:|\n| \`${v}\` | 1 |`,
    psql: (n, v) => ` id | ${pad(n, 20)} | role \n----+-${'-'.repeat(20)}-+------\n  1 | ${pad(v, 20)} | dba\n(1 row)`,
    mysql: (n, v) => `+----+----------+\n| id | ${n} |\n+----+----------+\n| 1  | ${v} |\n+----+----------+`,
    box: (n, v) => `┌────┬──────┐\n│ id │ ${n} │\n├────┼──────┤\n│ 1  │ ${v} │\n└────┴──────┘`,
    'heavy box': (n, v) => `┏━━━━┳━━━━━━┓\n┃ id ┃ ${n} ┃\n┡━━━━╇━━━━━━┩\n│ 1  │ ${v} │\n└────┴──────┘`,
    'double box': (n, v) => `╔════╦══════╗\n║ id ║ ${n} ║\n╠════╬══════╣\n║ 1  ║ ${v} ║\n╚════╩══════╝`,
    columns: (n, v) =>
      `NAME      ${pad(n.toUpperCase(), 30)}AGE\nfirst     ${pad(v, 30)} 3d\nsecond    ${pad('<none>', 30)}1h`,
    'columns, last': (n, v) => `NAME      AGE   ${n.toUpperCase()}\nfirst     3d    ${v}`,
    'columns with rules': (n, v) => `id  ${pad(n, 28)} role\n--  ${'-'.repeat(28)} ----\n1   ${pad(v, 28)} dba`,
    'keys and values in columns': (n, v) =>
      `Key                Value\n---                -----\nttl                1h\n${pad(n, 19)}${v}`,
    'keys and values in a table': (n, v) => `| Name | Value |\n|---|---|\n| mode | live |\n| ${n} | ${v} |`,
    'keys and values in a box': (n, v) => `│ mode │ live │\n│ ${n} │ ${v} │`,
    'expanded psql': (n, v) => `-[ RECORD 1 ]---\nid   | 1\n${n} | ${v}\nrole | dba`,
    terraform: (n, v) => `Outputs:\n\n${n} = "${v}"\nurl = "x"`,
    describe: (n, v) => `Name:         db\n${pad(`${n}:`, 14)}${v}\nRole:         dba`,
    csv: (n, v) => `id,${n},role\n1,${v},dba\n2,,user`,
    'csv, quoted': (n, v) => `"id","${n}"\n"1","${v}"`,
    'csv, semicolons': (n, v) => `${n};id\n${v};1`,
    'csv of a password manager': (n, v) => `name,url,username,${n},note\nshop,https://shop.example.net,ada,${v},""`,
    tsv: (n, v) => `id\t${n}\trole\n1\t${v}\tdba`,
    insert: (n, v) => `INSERT INTO users (id, ${n}, role) VALUES (1, '${v}', 'dba');`,
    'insert of rows': (n, v) => `insert into users(name, ${n}) values\n  ('ada', null),\n  ('grace', '${v}');`,
    'insert, quoted names': (n, v) => `INSERT INTO "users" ("${n}", "id") VALUES (N'${v}', 1)`,
    'insert of mysql': (n, v) => `INSERT INTO \`users\` (\`id\`, \`${n}\`) VALUES (1,'${v}'),(2,'');`,
    copy: (n, v) => `COPY users (id, ${n}) FROM stdin;\n1\t${v}\n\\.`,
    update: (n, v) => `UPDATE users SET role = 'dba', ${n} = '${v}' WHERE id = 1`,
    select: (n, v) => `SELECT * FROM users WHERE ${n} = '${v}'`,
    html: (n, v) => `<table><tr><th>id</th><th>${n}</th></tr>\n<tr><td>1</td><td>${v}</td></tr></table>`,
    'html of keys': (n, v) => `<tr><td>${n}</td><td>${v}</td></tr>`,
    'columns and rows': (n, v) => JSON.stringify({ columns: ['id', n], rows: [[1, v]] }),
  },
  literals: {
    json: (n, v) => JSON.stringify({ a: { [n]: v } }, null, 2),
    'json in json': (n, v) => JSON.stringify({ body: JSON.stringify({ [n]: v }) }),
    'json in json in json': (n, v) => JSON.stringify({ a: JSON.stringify({ b: JSON.stringify({ [n]: v }) }) }),
    yaml: (n, v) => `a:\n  ${n}: ${v}\n  b: 1`,
    'flow of yaml': (n, v) => `a: {${n}: '${v}', b: 1}`,
    python: (n, v) => `{'${n}': '${v}'}`,
    'keyword of python': (n, v) => `run(host="x", ${n.replaceAll(/[-.]/g, '_')}="${v}")`,
    properties: (n, v) => `app.${n}=${v}`,
    'properties with spaces': (n, v) => `app.${n} = ${v}`,
    env: (n, v) => `${n.toUpperCase().replaceAll(/[-.]/g, '_')}=${v}`,
    export: (n, v) => `export ${n.toUpperCase().replaceAll(/[-.]/g, '_')}='${v}'`,
    'docker -e': (n, v) => `docker run -e ${n.toUpperCase().replaceAll(/[-.]/g, '_')}=${v} -p 80:80 app`,
    'from-literal': (n, v) => `kubectl create secret generic a --from-literal=${n}=${v}`,
    flag: (n, v) => `app --${n.toLowerCase().replaceAll(/[_.]/g, '-')} ${v} --now`,
    'flag with =': (n, v) => `app --${n.toLowerCase().replaceAll(/[_.]/g, '-')}=${v}`,
    'xml element': (n, v) => `<${n}>${v}</${n}>`,
    'xml attribute': (n, v) => `<db host="x" ${n}="${v}"/>`,
    hcl: (n, v) => `db {\n  ${n} = "${v}"\n}`,
    query: (n, v) => `GET /a?x=1&${n}=${encodeURIComponent(v)} HTTP/1.1`,
    header: (n, v) => `X-${n.replaceAll(/[_.]/g, '-')}: ${v}`,
    powershell: (n, v) => `$env:${n.toUpperCase().replaceAll(/[-.]/g, '_')}="${v}"`,
    'powershell variable': (n, v) => `$${n.replaceAll(/[-.]/g, '')} = "${v}"`,
    'markdown list': (n, v) => `- ${n}: \`${v}\``,
    'multiline string': (n, v) => `x = f"""\n${n}: ${v}\n"""`,
  },
};

const passwords: ((r: Random) => string)[] = [
  (r) => `dragon${r.digits(3)}`,
  (r) => `Winter${r.digits(4)}!`,
  (r) => `${r.letters(5)}${r.digits(2)}`,
  (r) => `h4ck${r.digits(2)}me`,
  (r) => `blue-whale-${r.digits(2)}`,
  (r) => `P@ss${r.digits(3)}w0rd`,
  (r) => `x${r.mixed(11)}7`,
];
const blobs: ((r: Random) => string)[] = [
  (r) => r.bytes(32).toString('base64'),
  (r) => r.bytes(20).toString('hex'),
  (r) => r.bytes(33).toString('base64url'),
  (r) => r.mixed(32),
];
const passwordNames = ['password', 'db_password', 'adminPassword', 'MYSQL_PASSWORD', 'spring.datasource.password', 'smtp_pass', 'Password', 'login-password']; // prettier-ignore
const keyNames = ['api_key', 'clientSecret', 'ACCESS_TOKEN', 'jwt_secret', 'stripe.secret.key', 'encryptionKey', 'auth-token', 'SECRET_KEY_BASE']; // prettier-ignore

/** A secret in every carrier of a family: `each` passwords and `each` keys, always the same. */
export function generated(family: keyof typeof families, each: number): Sample[] {
  const r = randomOf(7);
  const tokens = kindsOfTokens().map(([, token]) => token);
  return Object.entries(families[family]!).flatMap(([form, write]) =>
    Array.from({ length: each * 2 }, (_, index): Sample => {
      const isPassword = index % 2 === 0;
      const name = r.of(isPassword ? passwordNames : keyNames);
      const value = isPassword ? r.of(passwords)(r) : r.chance(0.5) ? r.of(blobs)(r) : r.of(tokens.filter((token) => !token.includes('://'))); // prettier-ignore
      const text = write(name, value, r);
      const nested = r.of<(text: string) => string>([
        (all) => all,
        (all) => all,
        (all) => JSON.stringify({ content: all }),
        (all) => all.split('\n').map((line, at) => `${String(at + 1).padStart(6)}\t${line}`).join('\n'), // prettier-ignore
        (all) => `see:\n\n${all}\n\ndone`,
      ]);
      return {
        kind: family,
        form,
        written: { text: nested(text) },
        secrets: [form === 'query' ? encodeURIComponent(value) : value],
      };
    }),
  );
}

export const familiesOfCarriers = Object.keys(families);

const harmlessValues: [name: string, value: string][] = [
  ['max_tokens', '4096'],
  ['token_count', '1234567'],
  ['primary_key', 'user_id'],
  ['password', ''],
  ['password', '<none>'],
  ['password', '********'],
  ['password', '${DB_PASSWORD}'],
  ['api_key', 'your-api-key'],
  ['token', '{{ .Values.token }}'],
  ['secret', 'my-secret'],
  ['secretName', 'app-tls'],
  ['keyboard', 'us-intl'],
  ['sha', 'da39a3ee5e6b4b0d3255bfef95601890afd80709'],
  ['public_key', '/etc/keys/app.pub'],
  ['authors', 'ada, grace'],
  ['password_hash_algorithm', 'bcrypt'],
];

/** Every carrier around names that are no secrets, and around blanks. */
export const generatedHarmless = (): Harmless[] =>
  Object.entries(families).flatMap(([kind, carriers]) =>
    Object.values(carriers).flatMap((write) =>
      harmlessValues.map(([name, value]) => ({ kind, written: { text: write(name, value, randomOf(3)) } })),
    ),
  );
// Manifests of Kubernetes

const b64 = (text: string): string => Buffer.from(text).toString('base64');

/** Secrets of Kubernetes, whose kind gives all their data away. */
export function generatedManifests(each: number): Sample[] {
  const r = randomOf(11);
  const samples: Sample[] = [];
  const put = (kind: string, form: string, text: string, secrets: string[]): void => {
    for (const [around, written] of [
      ['', { text }],
      [' in json', { text: JSON.stringify({ content: text }) }],
      [' numbered', { text: text.split('\n').map((line, at) => `${String(at + 1).padStart(6)}\t${line}`).join('\n') }], // prettier-ignore
    ] as const)
      samples.push({ kind, form: form + around, written, secrets });
  };
  for (let round = 0; round < each; round += 1) {
    const [p, q] = [r.of(passwords)(r), r.of(blobs)(r)];
    put('manifest', 'yaml', `apiVersion: v1\nkind: Secret\nmetadata:\n  name: a\ntype: Opaque\ndata:\n  username: ${b64('app_user')}\n  first: ${b64(p)}\n  second: ${b64(q)}\n`, [b64(p), b64(q)]); // prettier-ignore
    put('manifest', 'as kubectl prints', `apiVersion: v1\ndata:\n  first: ${b64(p)}\n  second: ${b64(q)}\nimmutable: false\nkind: Secret\nmetadata:\n  name: a\n`, [b64(p), b64(q)]); // prettier-ignore
    put('manifest', 'stringData', `kind: Secret\nmetadata:\n  name: a\nstringData:\n  first: ${p}\n  "second": "${q}"\n`, [p, q]); // prettier-ignore
    put('manifest', 'file in stringData', `kind: Secret\nmetadata:\n  name: a\nstringData:\n  x.ini: |-\n    [a]\n    given ${p}\ntype: Opaque\n`, [p]); // prettier-ignore
    put('manifest', 'json', JSON.stringify({ kind: 'Secret', data: { first: b64(p), second: b64(q) } }, null, 2), [b64(p), b64(q)]); // prettier-ignore
    put('manifest', 'json, data first', JSON.stringify({ apiVersion: 'v1', data: { first: b64(p) }, kind: 'Secret' }), [b64(p)]); // prettier-ignore
    put('manifest', 'list', `items:\n- apiVersion: v1\n  data:\n    first: ${b64(p)}\n  kind: Secret\n- apiVersion: v1\n  data:\n    second: ${b64(q)}\n  kind: Secret\n`, [b64(p), b64(q)]); // prettier-ignore
  }
  return samples;
}
