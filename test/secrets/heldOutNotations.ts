import type { Random } from './random.ts';

// The notations of the held-out generator.

/** A field of a record, and whether its value is secret. */
export interface Field {
  name: string;
  value: string;
  isSecret: boolean;
}

export const field = (name: string, value: string, isSecret = false): Field => ({ name, value, isSecret });

// Notations of one record

type Notation = (fields: Field[], r: Random) => string;

const camel = (name: string): string =>
  name.replaceAll(/[-_.]([A-Za-z])/g, (_, letter: string) => letter.toUpperCase());
const snake = (name: string): string => name.replaceAll(/[-.]/g, '_');
const env = (name: string): string =>
  snake(name)
    .replaceAll(/([a-z])([A-Z])/g, '$1_$2')
    .toUpperCase();
const needsQuotes = (value: string): boolean => /[:#@!%&*`|>[\]{},?]|^[-\d]|^(?:true|false)$/.test(value);
const yamlValue = (value: string, r: Random): string =>
  r.chance(0.3) ? `"${value}"` : r.chance(0.3) || needsQuotes(value) ? `'${value}'` : value;
export const chunks = (value: string, width: number): string[] => value.match(new RegExp(`.{1,${width}}`, 'g')) ?? [];
export const indent = (text: string, by: string): string => text.replaceAll(/^(?=.)/gm, by);
const object = (fields: Field[]): Record<string, string> =>
  Object.fromEntries(fields.map(({ name, value }) => [name, value]));

export const ofOne: Record<string, Notation> = {
  'yaml mapping': (fields, r) => fields.map((f) => `${f.name}: ${yamlValue(f.value, r)}`).join('\n'),
  'yaml nested': (fields, r) =>
    `services:\n  billing:\n    settings:\n${fields.map((f) => `      ${f.name}: ${yamlValue(f.value, r)}`).join('\n')}\n  other: {}`,
  'yaml list item': (fields, r) =>
    `users:\n${fields.map((f, i) => `${i === 0 ? '  - ' : '    '}${f.name}: ${yamlValue(f.value, r)}`).join('\n')}`,
  'yaml literal': (fields) =>
    fields.map((f) => (f.isSecret ? `${f.name}: |\n  ${f.value}` : `${f.name}: ${f.value}`)).join('\n'),
  'yaml folded': (fields, r) =>
    fields
      .map((f) =>
        f.isSecret ? `  ${f.name}: ${r.of(['>-', '>', '|-', '|+'])}\n    ${f.value}` : `  ${f.name}: ${f.value}`,
      )
      .join('\n'),
  'yaml value on the next line': (fields) =>
    fields.map((f) => (f.isSecret ? `${f.name}:\n  "${f.value}"` : `${f.name}: ${f.value}`)).join('\n'),
  'yaml flow': (fields) => `db: { ${fields.map((f) => `${f.name}: "${f.value}"`).join(', ')} }`,
  'json pretty': (fields) => JSON.stringify({ config: object(fields) }, null, 2),
  'json compact': (fields) => JSON.stringify({ config: object(fields) }),
  'json tabs': (fields) => JSON.stringify([object(fields)], null, '\t'),
  python: (fields) => `CONFIG = {\n${fields.map((f) => `    '${f.name}': '${f.value}',`).join('\n')}\n}`,
  'python keywords': (fields) =>
    `client = Client(\n${fields.map((f) => `    ${snake(f.name)}="${f.value}",`).join('\n')}\n)`,
  ruby: (fields) => `config = { ${fields.map((f) => `:${snake(f.name)} => '${f.value}'`).join(', ')} }`,
  php: (fields) => `return [\n${fields.map((f) => `    '${f.name}' => '${f.value}',`).join('\n')}\n];`,
  go: (fields) =>
    `cfg := Config{\n${fields.map((f) => `\t${camel(f.name).replace(/^./, (l) => l.toUpperCase())}: "${f.value}",`).join('\n')}\n}`,
  javascript: (fields) =>
    `module.exports = {\n${fields.map((f) => `  ${camel(f.name)}: '${f.value}',`).join('\n')}\n};`,
  kotlin: (fields) => fields.map((f) => `val ${camel(f.name)} = "${f.value}"`).join('\n'),
  rust: (fields) => fields.map((f) => `const ${env(f.name)}: &str = "${f.value}";`).join('\n'),
  java: (fields) => fields.map((f) => `private static final String ${env(f.name)} = "${f.value}";`).join('\n'),
  lua: (fields) => `return {\n${fields.map((f) => `  ["${f.name}"] = "${f.value}",`).join('\n')}\n}`,
  hcl: (fields) =>
    `resource "x_app" "main" {\n${fields.map((f) => `  ${snake(f.name).padEnd(22)} = "${f.value}"`).join('\n')}\n}`,
  'hcl variable': (fields) =>
    fields.map((f) => `variable "${snake(f.name)}" {\n  type    = string\n  default = "${f.value}"\n}`).join('\n\n'),
  toml: (fields, r) =>
    `[service.main]\n${fields.map((f) => (r.chance(0.5) ? `${snake(f.name)} = "${f.value}"` : `"${f.name}" = '${f.value}'`)).join('\n')}`,
  ini: (fields, r) => {
    const equals = r.of(['=', ' = ', ': ']);
    return `; made by setup\n[connection]\n${fields.map((f) => `${f.name}${equals}${f.value}`).join('\n')}\n\n[log]\nlevel = info`;
  },
  properties: (fields) => fields.map((f) => `app.service.${f.name}=${f.value}`).join('\n'),
  'xml elements': (fields) =>
    `<config>\n${fields.map((f) => `  <${camel(f.name)}>${f.value.replaceAll('&', '&amp;')}</${camel(f.name)}>`).join('\n')}\n</config>`,
  'xml attributes': (fields) => `<connection ${fields.map((f) => `${camel(f.name)}="${f.value}"`).join(' ')} />`,
  'xml of settings': (fields) =>
    `<appSettings>\n${fields.map((f) => `  <add key="${f.name}" value="${f.value}" />`).join('\n')}\n</appSettings>`,
  'xml of named properties': (fields) =>
    `<bean>\n${fields.map((f) => `  <property name="${camel(f.name)}" value="${f.value}"/>`).join('\n')}\n</bean>`,
  'xml of a property with a name and a value': (fields) =>
    `<configuration>\n${fields.map((f) => `  <property>\n    <name>app.${f.name}</name>\n    <value>${f.value}</value>\n  </property>`).join('\n')}\n</configuration>`,
  'xml entries': (fields) =>
    `<map>\n${fields.map((f) => `  <entry key="${f.name}">${f.value}</entry>`).join('\n')}\n</map>`,
  'android resources': (fields) =>
    `<resources>\n${fields.map((f) => `    <string name="${snake(f.name)}">${f.value}</string>`).join('\n')}\n</resources>`,
  plist: (fields) =>
    `<dict>\n${fields.map((f) => `\t<key>${f.name}</key>\n\t<string>${f.value}</string>`).join('\n')}\n</dict>`,
  dotenv: (fields) => fields.map((f) => `${env(f.name)}=${f.value}`).join('\n'),
  'dotenv quoted': (fields) => fields.map((f) => `${env(f.name)}='${f.value}'`).join('\n'),
  'shell exports': (fields) => `#!/bin/sh\n${fields.map((f) => `export ${env(f.name)}="${f.value}"`).join('\n')}`,
  fish: (fields) => fields.map((f) => `set -gx ${env(f.name)} '${f.value}'`).join('\n'),
  powershell: (fields) => fields.map((f) => `$env:${env(f.name)} = "${f.value}"`).join('\n'),
  'powershell variables': (fields) => fields.map((f) => `$${camel(f.name)} = '${f.value}'`).join('\n'),
  batch: (fields) => fields.map((f) => `set ${env(f.name)}=${f.value}`).join('\n'),
  dockerfile: (fields) => `FROM alpine\n${fields.map((f) => `ENV ${env(f.name)}=${f.value}`).join('\n')}`,
  'dockerfile with spaces': (fields) => `FROM alpine\n${fields.map((f) => `ENV ${env(f.name)} ${f.value}`).join('\n')}`,
  systemd: (fields) => `[Service]\n${fields.map((f) => `Environment="${env(f.name)}=${f.value}"`).join('\n')}`,
  'docker run': (fields) => `docker run -d ${fields.map((f) => `-e ${env(f.name)}='${f.value}'`).join(' ')} app:3`,
  'docker run --env': (fields) =>
    `docker run \\\n${fields.map((f) => `  --env ${env(f.name)}="${f.value}" \\`).join('\n')}\n  app`,
  'compose list': (fields) => `    environment:\n${fields.map((f) => `      - ${env(f.name)}=${f.value}`).join('\n')}`,
  'kubectl literals': (fields) =>
    `kubectl create secret generic app ${fields.map((f) => `--from-literal=${f.name}='${f.value}'`).join(' ')}`,
  'helm --set': (fields) =>
    `helm upgrade app ./chart ${fields.map((f) => `--set app.${camel(f.name)}=${f.value}`).join(' ')}`,
  'terraform -var': (fields) => `terraform apply ${fields.map((f) => `-var '${snake(f.name)}=${f.value}'`).join(' ')}`,
  'heroku config': (fields) => `heroku config:set ${fields.map((f) => `${env(f.name)}=${f.value}`).join(' ')} -a shop`,
  'vault put': (fields) => `vault kv put secret/app ${fields.map((f) => `${f.name}="${f.value}"`).join(' ')}`,
  'command before which variables are set': (fields) =>
    `${fields.map((f) => `${env(f.name)}=${f.value}`).join(' ')} ./run.sh --now`,
  flags: (fields) => `deploy ${fields.map((f) => `--${snake(f.name).replaceAll('_', '-').toLowerCase()} ${f.value}`).join(' ')}`, // prettier-ignore
  'flags with =': (fields) => `deploy ${fields.map((f) => `--${snake(f.name).replaceAll('_', '-').toLowerCase()}="${f.value}"`).join(' ')}`, // prettier-ignore
  'arguments in yaml': (fields) =>
    `        args:\n${fields.map((f) => `        - --${snake(f.name).replaceAll('_', '-').toLowerCase()}=${f.value}`).join('\n')}`,
  'query of an address': (fields) =>
    `https://api.example.net/v2/login?${fields.map((f) => `${f.name}=${encodeURIComponent(f.value)}`).join('&')}`,
  'form of a request': (fields) =>
    `curl https://x.example.net -d '${fields.map((f) => `${f.name}=${encodeURIComponent(f.value)}`).join('&')}'`,
  'multipart form': (fields) =>
    `${fields.map((f) => `------b1\r\nContent-Disposition: form-data; name="${f.name}"\r\n\r\n${f.value}`).join('\r\n')}\r\n------b1--`,
  'curl -F': (fields) => `curl ${fields.map((f) => `-F "${f.name}=${f.value}"`).join(' ')} https://x.example.net`,
  'vertical result of mysql': (fields) =>
    `*************************** 1. row ***************************\n${fields.map((f) => `${f.name.padStart(24)}: ${f.value}`).join('\n')}`,
  'expanded result of psql': (fields) => {
    const width = Math.max(...fields.map((f) => f.name.length));
    return `-[ RECORD 1 ]${'-'.repeat(20)}\n${fields.map((f) => `${f.name.padEnd(width)} | ${f.value}`).join('\n')}`;
  },
  'columns of keys and values': (fields) => {
    const width = Math.max(...fields.map((f) => f.name.length)) + 4;
    return `====== Data ======\n${'Key'.padEnd(width)}Value\n${'---'.padEnd(width)}-----\n${fields.map((f) => `${f.name.padEnd(width)}${f.value}`).join('\n')}`;
  },
  'markdown of keys and values': (fields) =>
    `| Setting | Value |\n| --- | --- |\n${fields.map((f) => `| ${f.name} | \`${f.value}\` |`).join('\n')}`,
  'box of keys and values': (fields) => {
    const [a, b] = [
      Math.max(...fields.map((f) => f.name.length)) + 2,
      Math.max(...fields.map((f) => f.value.length)) + 2,
    ];
    return `┌${'─'.repeat(a)}┬${'─'.repeat(b)}┐\n${fields.map((f) => `│ ${f.name.padEnd(a - 1)}│ ${f.value.padEnd(b - 1)}│`).join('\n')}\n└${'─'.repeat(a)}┴${'─'.repeat(b)}┘`;
  },
  'list of names and values': (fields, r) =>
    `env:\n${fields.map((f) => `  - name: ${env(f.name)}\n    value: ${yamlValue(f.value, r)}`).join('\n')}`,
  'list of keys and values': (fields, r) =>
    `parameters:\n${fields.map((f) => `- description: a setting\n  key: "${f.name}"\n  type: string\n  value: ${yamlValue(f.value, r)}`).join('\n')}`,
  'json of names and values': (fields) =>
    JSON.stringify({ Environment: fields.map((f) => ({ Name: env(f.name), Value: f.value })) }, null, 4),
  'compact json of keys and values': (fields) =>
    JSON.stringify({ tags: fields.map((f) => ({ Key: f.name, Value: f.value })) }),
  'json of values and names': (fields) =>
    JSON.stringify(fields.map((f) => ({ value: f.value, type: 'text', name: f.name }))),
  'json of parameters': (fields) =>
    JSON.stringify(fields.map((f) => ({ ParameterKey: f.name, ParameterValue: f.value })), null, 2), // prettier-ignore
  'json of variables': (fields) =>
    JSON.stringify({ variables: fields.map((f) => ({ variable: f.name, id: 7, secure: false, content: f.value })) }),
  'hcl of names and values': (fields) =>
    fields.map((f) => `  env {\n    name  = "${env(f.name)}"\n    value = "${f.value}"\n  }`).join('\n'),
  'insert of one row': (fields) =>
    `INSERT INTO settings (${fields.map((f) => snake(f.name)).join(', ')}) VALUES (${fields.map((f) => `'${f.value}'`).join(', ')});`,
  'insert of names and values': (fields) =>
    `insert into app_config (id, name, value) values\n${fields.map((f, i) => `(${i}, '${f.name}', '${f.value}')`).join(',\n')};`,
  update: (fields) =>
    `UPDATE "settings" SET ${fields.map((f) => `"${snake(f.name)}" = '${f.value}'`).join(', ')} WHERE id = 4;`,
  'named section': (fields) =>
    fields.map((f) => (f.isSecret ? `[${snake(f.name)}]\nvalue = ${f.value}` : `[${f.name}]\nvalue = ${f.value}`)).join('\n\n'), // prettier-ignore
  'typescript object': (fields) =>
    `export const settings: Settings = {\n${fields.map((f) => `  "${f.name}": \`${f.value}\`,`).join('\n')}\n};`,
  'json in json': (fields) => JSON.stringify({ secretString: JSON.stringify(object(fields)) }),
  'csharp dictionary': (fields) =>
    `new Dictionary<string, string> {\n${fields.map((f) => `    { "${f.name}", "${f.value}" },`).join('\n')}\n}`,
  'java map': (fields) => `Map.of(${fields.map((f) => `"${f.name}", "${f.value}"`).join(', ')})`,
  'setter calls': (fields) => fields.map((f) => `config.set("${f.name}", "${f.value}");`).join('\n'),
  'git config': (fields) => `[credential "https://x.example.net"]\n${fields.map((f) => `\t${camel(f.name)} = ${f.value}`).join('\n')}`, // prettier-ignore
  'redis hash': (fields) => `HSET app:1 ${fields.map((f) => `${f.name} "${f.value}"`).join(' ')}`,
  graphql: (fields) => `mutation { save(input: { ${fields.map((f) => `${camel(f.name)}: "${f.value}"`).join(', ')} }) { id } }`, // prettier-ignore
  logfmt: (fields) => `level=info msg="started" ${fields.map((f) => `${f.name}=${f.value}`).join(' ')}`,
  'markdown list': (fields) => fields.map((f) => `* \`${f.name}\`: \`${f.value}\``).join('\n'),
  'http headers': (fields) =>
    `POST /x HTTP/1.1\nHost: api.example.net\n${fields.map((f) => `X-${camel(f.name)}: ${f.value}`).join('\n')}\nAccept: */*`,
};

// Notations of several records: the name heads a column.

export type Table = (heads: string[], rows: string[][], r: Random) => string;
const widths = (rows: string[][]): number[] => rows[0]!.map((_, i) => Math.max(...rows.map((row) => row[i]!.length)));
const cells = (row: string[], wide: number[], between: string): string =>
  row.map((cell, i) => cell.padEnd(wide[i]!)).join(between);

export const tables: Record<string, Table> = {
  csv: (heads, rows) => [heads, ...rows].map((row) => row.join(',')).join('\n'),
  'csv quoted': (heads, rows) => [heads, ...rows].map((row) => row.map((c) => `"${c}"`).join(',')).join('\n'),
  'csv of semicolons': (heads, rows) => [heads, ...rows].map((row) => row.join(';')).join('\n'),
  tsv: (heads, rows) => [heads, ...rows].map((row) => row.join('\t')).join('\n'),
  psql: (heads, rows) => {
    const wide = widths([heads, ...rows]);
    return `${cells(heads, wide, ' | ')}\n${wide.map((n) => '-'.repeat(n + 1)).join('+-')}\n${rows.map((row) => ` ${cells(row, wide, ' | ')}`).join('\n')}\n(${rows.length} rows)`;
  },
  mysql: (heads, rows) => {
    const wide = widths([heads, ...rows]);
    const rule = `+${wide.map((n) => '-'.repeat(n + 2)).join('+')}+`;
    return [rule, `| ${cells(heads, wide, ' | ')} |`, rule, ...rows.map((row) => `| ${cells(row, wide, ' | ')} |`), rule].join('\n'); // prettier-ignore
  },
  markdown: (heads, rows) =>
    [heads, heads.map(() => ':---'), ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n'),
  'unicode box': (heads, rows) => {
    const wide = widths([heads, ...rows]);
    const rule = (a: string, b: string, c: string): string => a + wide.map((n) => '━'.repeat(n + 2)).join(b) + c;
    return [rule('┏', '┳', '┓'), `┃ ${cells(heads, wide, ' ┃ ')} ┃`, rule('┡', '╇', '┩'), ...rows.map((row) => `│ ${cells(row, wide, ' │ ')} │`), rule('└', '┴', '┘')].join('\n'); // prettier-ignore
  },
  'console.table': (heads, rows) => {
    const all = [['(index)', ...heads], ...rows.map((row, i) => [String(i), ...row.map((c) => `'${c}'`)])];
    const wide = widths(all);
    return `┌${wide.map((n) => '─'.repeat(n + 2)).join('┬')}┐\n${all.map((row) => `│ ${cells(row, wide, ' │ ')} │`).join('\n')}\n└${wide.map((n) => '─'.repeat(n + 2)).join('┴')}┘`;
  },
  columns: (heads, rows) => {
    const upper = heads.map((head) => head.toUpperCase());
    const wide = widths([upper, ...rows]);
    return [upper, ...rows].map((row) => cells(row, wide, '   ').trimEnd()).join('\n');
  },
  'columns under rules': (heads, rows) => {
    const wide = widths([heads, ...rows]);
    return [heads, wide.map((n) => '-'.repeat(n)), ...rows].map((row) => cells(row, wide, '  ')).join('\n');
  },
  'rst grid': (heads, rows) => {
    const wide = widths([heads, ...rows]);
    const rule = (of: string): string => `+${wide.map((n) => of.repeat(n + 2)).join('+')}+`;
    return [rule('-'), `| ${cells(heads, wide, ' | ')} |`, rule('='), ...rows.flatMap((row) => [`| ${cells(row, wide, ' | ')} |`, rule('-')])].join('\n'); // prettier-ignore
  },
  'html table': (heads, rows) =>
    `<table>\n<tr>${heads.map((h) => `<th>${h}</th>`).join('')}</tr>\n${rows.map((row) => `<tr>${row.map((c) => `<td>${c}</td>`).join('')}</tr>`).join('\n')}\n</table>`,
  'insert of rows': (heads, rows) =>
    `INSERT INTO public.users (${heads.map((h) => `"${h}"`).join(', ')})\nVALUES\n${rows.map((row) => `  (${row.map((c) => (/^\d+$/.test(c) ? c : `'${c}'`)).join(', ')})`).join(',\n')}\nON CONFLICT DO NOTHING;`,
  'inserts of mysqldump': (heads, rows) =>
    `INSERT INTO \`users\` (${heads.map((h) => `\`${h}\``).join(',')}) VALUES ${rows.map((row) => `(${row.map((c) => (/^\d+$/.test(c) ? c : `'${c}'`)).join(',')})`).join(',')};`,
  copy: (heads, rows) =>
    `COPY public.users (${heads.join(', ')}) FROM stdin;\n${rows.map((row) => row.join('\t')).join('\n')}\n\\.`,
  'json of columns and rows': (heads, rows) => JSON.stringify({ columns: heads, rows }),
  'json list': (heads, rows) =>
    JSON.stringify(rows.map((row) => Object.fromEntries(heads.map((head, i) => [head, row[i]]))), null, 1), // prettier-ignore
};
