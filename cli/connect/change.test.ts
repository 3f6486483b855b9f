import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { isChange, makeChanges, planChange } from './change.ts';
import { withEntries } from './entries.ts';
import { parseJson } from './jsonFile.ts';
import { settingsFiles, type SettingsFile } from './settingsFiles.ts';
import { parseToml } from './tomlFile.ts';
import { temporaryFolder } from '../../test/temporary.ts';

const root = temporaryFolder('baton-connect');
let folder = root;
beforeEach(() => {
  folder = mkdtempSync(join(root, 'case-'));
  vi.stubEnv('XDG_STATE_HOME', join(root, 'state'));
});

/** The files of a tool in a folder of the test. */
function filesOf(tool: 'claude-code' | 'codex', agent = 'claude-1'): SettingsFile[] {
  const [command, home] = [`baton hook ${tool} --agent ${agent} --url http://127.0.0.1:4000`, join(folder, 'home')];
  return settingsFiles(
    tool,
    true,
    { mcp: `http://127.0.0.1:4000/mcp/${agent}`, needsKey: true, command },
    { CLAUDE_CONFIG_DIR: home, CODEX_HOME: home },
  );
}

function change(file: SettingsFile, removes = false): boolean {
  const planned = planChange(file, removes);
  makeChanges([planned], removes);
  return isChange(planned);
}

function write(path: string, content: string | Buffer): void {
  mkdirSync(join(path, '..'), { recursive: true });
  writeFileSync(path, content);
}

const [servers, hooks] = [0, 1].map((index) => () => filesOf('claude-code')[index]!) as [
  () => SettingsFile,
  () => SettingsFile,
];
const codex = (): SettingsFile => filesOf('codex')[0]!;

/** Settings as people write them: any values, any indentation, either line ending, comments, byte order mark. */
const names = fc.oneof(
  fc.constantFrom('mcpServers', 'hooks', 'permissions', 'env', 'a.b', 'ü'),
  fc.string({ maxLength: 8 }).filter((name) => name !== '__proto__'),
);
const leaf = fc.oneof(fc.string({ maxLength: 12 }), fc.integer(), fc.boolean(), fc.constant(null));
const value = fc.letrec((tie) => ({
  any: fc.oneof(
    { maxDepth: 2 },
    leaf,
    fc.array(tie('any'), { maxLength: 3 }),
    fc.dictionary(names, tie('any'), { maxKeys: 3, noNullPrototype: true }),
  ),
})).any;
const group = fc.record({
  hooks: fc.array(
    fc.record({
      type: fc.constant('command'),
      command: fc.constantFrom('make lint', 'echo "baton"', 'baton-deploy now'),
    }),
    { minLength: 1, maxLength: 2 },
  ),
});
const json = fc
  .tuple(
    fc.dictionary(names, value, { maxKeys: 4, noNullPrototype: true }),
    fc.option(
      fc.dictionary(fc.constantFrom('Stop', 'SessionStart', 'PostToolUse'), fc.array(group, { maxLength: 2 }), {
        noNullPrototype: true,
      }),
      { nil: undefined },
    ),
    fc.option(
      fc.dictionary(fc.constantFrom('github', 'files'), fc.constant({ command: 'npx' }), { noNullPrototype: true }),
      { nil: undefined },
    ),
    fc.option(
      fc.dictionary(fc.constantFrom('EDITOR', 'MCP_CONNECT_TIMEOUT_MS'), fc.constantFrom('vi', '5000'), {
        noNullPrototype: true,
      }),
      { nil: undefined },
    ),
    fc.constantFrom('', '  ', '    ', '\t'),
    fc.constantFrom('\n', '\r\n'),
    fc.constantFrom('', '\n', '\n\n', ' '),
    fc.boolean(),
    fc.array(fc.constantFrom('', ' // mine, {"a": 1,}', '/* "mine" */'), { minLength: 1, maxLength: 5 }),
    fc.boolean(),
  )
  .map(([others, ownHooks, ownServers, ownVariables, unit, eol, end, isMarked, comments, hasLastCommas]) => {
    const settings = { ...others, hooks: ownHooks, mcpServers: ownServers, env: ownVariables };
    const plain = JSON.stringify(settings, null, unit);
    const text = unit === '' ? plain : commented(plain, comments, hasLastCommas);
    return `${isMarked ? '\uFEFF' : ''}${text.replaceAll('\n', eol)}${eol}${end}`;
  });

/** Ends lines with comments, and the last entries of lists and objects with commas. */
const commented = (text: string, comments: string[], hasLastCommas: boolean): string =>
  text
    .split('\n')
    .map((line, index, lines) => {
      const isLastEntry = /^\s*[\]}]/.test(lines[index + 1] ?? '') && !/[[{]$/.test(line);
      return `${line}${isLastEntry && hasLastCommas ? ',' : ''}${comments[index % comments.length]}`;
    })
    .join('\n');

const key = fc.stringMatching(/^[a-z]{1,6}$/);
const field = fc.tuple(
  key,
  fc.oneof(
    fc.string({ maxLength: 10 }).map((text) => JSON.stringify(text).replaceAll('\u007f', ' ')),
    fc.integer().map(String),
    fc.constantFrom("'it'", '[1, 2] # two', '1979-05-27T07:32:00Z'),
  ),
);
const table = fc.tuple(
  fc.constantFrom('projects."/a b"', 'mcp_servers.github', 'features', '[hooks.Stop]', 'profiles.x'),
  fc.uniqueArray(field, { selector: ([name]) => name, maxLength: 3 }),
);
const toml = fc
  .tuple(
    fc.uniqueArray(field, { selector: ([name]) => name, maxLength: 3 }),
    fc.uniqueArray(table, { selector: ([name]) => name, maxLength: 4 }),
    fc.constantFrom('\n', '\r\n'),
    fc.constantFrom('', '\n', '\n\n# end', '  '),
  )
  .map(([fields, tables, eol, end]) => {
    const lines = (of: [string, string][]): string[] => of.map(([name, text]) => `x${name} = ${text}`);
    return (
      ['# mine', ...lines(fields), ...tables.flatMap(([name, of]) => ['', `[${name}]`, ...lines(of)])].join(eol) +
      end.replaceAll('\n', eol)
    );
  });

describe.each([
  ['.claude.json', servers, json, parseJson],
  ['settings.json', hooks, json, parseJson],
  ['config.toml', codex, toml, parseToml],
])('%s', (_name, fileOf, texts, parse) => {
  it('has the same bytes after connect and remove, and every setting with its value in between', () => {
    fc.assert(
      fc.property(texts, (text) => {
        const file = fileOf();
        write(file.path, text);
        change(file);
        const connected = readFileSync(file.path, 'utf8');
        expect(parse(connected.replace('\uFEFF', ''))).toEqual(
          withEntries(parse(text.replace('\uFEFF', '')), file.entries),
        );
        expect(change(file)).toBe(false);
        change(file, true);
        expect(readFileSync(file.path)).toEqual(Buffer.from(text));
      }),
      { numRuns: 50 },
    );
  });

  it('loses no setting when its back-up is lost', () => {
    fc.assert(
      fc.property(texts, (text) => {
        // An empty container goes with the entries: nothing says who made it.
        fc.pre(!/\{\s*\}|\[\s*\]/.test(text));
        const plain = text.replace('\uFEFF', '');
        const { format, entries } = fileOf();
        const connected = format.add(plain, entries);
        const removed = format.remove(connected, entries);
        // Spaces and line breaks where the entries were may stay.
        expect(removed.replaceAll(/\s/g, '')).toBe(format.remove(plain, entries).replaceAll(/\s/g, ''));
        expect(format.add(removed, entries).replaceAll(/\s/g, '')).toBe(connected.replaceAll(/\s/g, ''));
      }),
      { numRuns: 150 },
    );
  });

  it('is made where there is none, and removed with its folder', () => {
    const file = fileOf();
    expect(change(file)).toBe(true);
    expect(parse(readFileSync(file.path, 'utf8'))).toEqual(withEntries({}, file.entries));
    change(file, true);
    expect(existsSync(join(folder, 'home'))).toBe(false);
  });
});

describe('a settings file', () => {
  it('keeps what was written after connect', () => {
    const file = hooks();
    write(file.path, '{\n  "model": "opus"\n}\n');
    change(file);
    const edited = readFileSync(file.path, 'utf8').replace('"opus"', '"sonnet", // cheaper\n  "theme": {}');
    writeFileSync(file.path, edited);
    expect(change(file)).toBe(false);
    change(file, true);
    expect(readFileSync(file.path, 'utf8')).toBe('{\n  "model": "sonnet", // cheaper\n  "theme": {}\n}\n');
  });

  it('keeps its comments and commas, also when it was changed after connect', () => {
    const file = hooks();
    const own =
      '{\n  "hooks": {\n    "Stop": [\n      { "hooks": [{ "type": "command", "command": "lint" }] }, // mine\n    ], /* all */\n  },\n  // variables\n  "env": { "A": "b", /* c */ },\n}\n';
    write(file.path, own);
    change(file);
    writeFileSync(file.path, readFileSync(file.path, 'utf8').replace('"lint"', '"lint all"'));
    change(file, true);
    // In an object of one line the line breaks stay.
    expect(readFileSync(file.path, 'utf8')).toBe(
      own.replace('"lint"', '"lint all"').replace('/* c */ }', '/* c */\n  }'),
    );
  });

  it('keeps tables that Codex writes between those of Baton', () => {
    const file = codex();
    change(file);
    const own = '[projects."/work here"]\ntrust_level = "trusted"\n';
    writeFileSync(
      file.path,
      readFileSync(file.path, 'utf8').replace(
        '[[hooks.Stop]]',
        `${own}\n[mcp_servers.baton.tools.baton_note]\napproval_mode = "approve"\n\n[[hooks.Stop]]`,
      ),
    );
    change(file, true);
    expect(readFileSync(file.path, 'utf8').trim()).toBe(own.trim());
  });

  it('names the new agent alone after a second connect, and is as it was after remove', () => {
    const [before] = filesOf('claude-code');
    write(before!.path, '{"a": 1}');
    change(before!);
    const [after] = filesOf('claude-code', 'claude-2');
    expect(change(after!)).toBe(true);
    expect(readFileSync(after!.path, 'utf8').match(/mcp\/claude-\d/g)).toEqual(['mcp/claude-2']);
    change(after!, true);
    expect(readFileSync(after!.path, 'utf8')).toBe('{"a": 1}');
  });

  it('keeps its mode, and is written where its symbolic link points', () => {
    const file = hooks();
    const real = join(folder, 'dotfiles.json');
    write(real, '{}');
    chmodSync(real, 0o640);
    mkdirSync(join(file.path, '..'), { recursive: true });
    symlinkSync(real, file.path);
    change(file);
    expect([lstatSync(file.path).isSymbolicLink(), statSync(real).mode & 0o777]).toEqual([true, 0o640]);
    expect(readFileSync(real, 'utf8')).toContain('baton hook');
  });

  it('never contains the key, and its back-up is for the user only', () => {
    vi.stubEnv('BATON_KEY', 'baton_secret_of_test');
    for (const file of [servers(), codex()]) {
      change(file);
      expect(readFileSync(file.path, 'utf8')).toContain('BATON_KEY');
      expect(readFileSync(file.path, 'utf8')).not.toContain('baton_secret_of_test');
    }
    const backups = join(root, 'state/baton/backups');
    for (const name of readdirSync(backups)) expect(statSync(join(backups, name)).mode & 0o777).toBe(0o600);
  });

  it.each<[string, () => SettingsFile, string | Buffer, RegExp]>([
    ['broken JSON', hooks, '{"hooks": {', /is not JSON \(line 1\)/],
    ['a list', hooks, '[1]', /is not a JSON object/],
    ['bytes that are not UTF-8', hooks, Buffer.from([0x7b, 0xff, 0x7d]), /is not UTF-8/],
    ['hooks that are no object', hooks, '{"hooks": []}', /'hooks', which is not an object/],
    ['an event that is no list', hooks, '{"hooks": {"Stop": {}}}', /'hooks.Stop', which is not a list/],
    ['a name twice', hooks, '{"hooks": {}, "hooks": {"Stop": []}}', /has a name twice/],
    [
      'a server of this name',
      servers,
      '{"mcpServers": {"baton": {"command": "marching-band"}}}',
      /server 'baton' of its own/,
    ],
    ['broken TOML', codex, 'a = \n', /is not TOML \(line \d/],
    ['a TOML key twice', codex, 'a = 1\na = 2\n', /is not TOML/],
    ['inline servers in TOML', codex, 'mcp_servers = { x = { url = "y" } }\n', /is not TOML/],
    ['a server of this name in TOML', codex, '[mcp_servers.baton]\ncommand = "band"\n', /server 'baton' of its own/],
  ])('with %s is refused and not changed', (_what, fileOf, content, message) => {
    const file = fileOf();
    write(file.path, content);
    expect(() => planChange(file, false)).toThrow(message);
    expect(readFileSync(file.path)).toEqual(Buffer.from(content));
  });

  it('is taken back when another file cannot be written', () => {
    const files = filesOf('claude-code');
    write(files[0]!.path, '{}');
    const changes = files.map((file) => planChange(file, false));
    // A folder is in the place of the second file.
    mkdirSync(join(files[1]!.path, 'x'), { recursive: true });
    expect(() => makeChanges(changes, false)).toThrow(/Nothing was changed/);
    expect(readFileSync(files[0]!.path, 'utf8')).toBe('{}');
  });
});
