import { redactText } from '../redaction/redact.ts';
import { quoted, type McpServer, type Problems } from './definition.ts';
import type { Value } from './frontMatter.ts';

const most = { servers: 20, args: 100, env: 100 };
const nameForm = /^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$/;
const variableForm = /^[A-Za-z_][A-Za-z0-9_]{0,199}$/;
const printable = (text: string, bytes: number): boolean =>
  text !== '' && Buffer.byteLength(text) <= bytes && !/[\p{Cc}\p{Zl}\p{Zp}]/u.test(text);
/** What the entry of a server may have besides, and what nothing here reads. */
const unread = ['headers', 'timeout', 'cwd'];

/**
 * The MCP servers that a definition names, in the form of Claude Code: a block of servers by name, or a list of such blocks.
 * Of `env` only the names are kept: a value is never stored.
 */
export function mcpServersIn(value: Value | undefined, problems: Problems): McpServer[] {
  if (value === undefined || value.kind === 'none') return [];
  const servers = entriesIn(value, problems).flatMap(([name, entry]) => serverIn(name, entry, problems));
  if (servers.length > most.servers)
    problems.error(value.line, `${servers.length} MCP servers are listed; the limit is ${most.servers}`, 'list fewer');
  const names = servers.map(({ name }) => name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined)
    problems.error(value.line, `The MCP server ${quoted(twice)} is listed twice`, 'leave one out');
  return servers;
}

function entriesIn(value: Value, problems: Problems): [string, Value][] {
  if (value.kind === 'map') return [...value.entries];
  if (value.kind === 'list')
    return value.items.flatMap((item) => {
      if (item.kind === 'map') return [...item.entries];
      problems.warn(
        item.line,
        `The MCP server ${quoted(item.kind === 'text' ? item.text : '')} is configured elsewhere: a runner does not know it`,
        "add its 'command' and 'args', or its 'url'",
      );
      return [];
    });
  problems.error(value.line, "'mcpServers' is a text", "give a block such as 'docs:' with 'url:' below it");
  return [];
}

function serverIn(name: string, entry: Value, problems: Problems): McpServer[] {
  if (!nameForm.test(name)) {
    problems.error(
      entry.line,
      `The name ${quoted(name)} of an MCP server is not allowed`,
      'give letters and digits, at most 64',
    );
    return [];
  }
  if (entry.kind !== 'map') {
    problems.error(entry.line, `The MCP server '${name}' has no 'command' and no 'url'`, 'give one of them');
    return [];
  }
  const { entries, line } = entry;
  for (const [key, { line: at }] of entries)
    if (unread.includes(key)) problems.warn(at, `'${key}' of the MCP server '${name}' is not read`, null);
  const command = textIn(entries, 'command', `The command of '${name}'`, problems);
  const url = textIn(entries, 'url', `The url of '${name}'`, problems);
  if ((command === null) === (url === null)) {
    problems.error(line, `The MCP server '${name}' needs either a 'command' or a 'url'`, 'give one of them');
    return [];
  }
  if (url !== null && !isPlainUrl(url))
    problems.error(
      entries.get('url')!.line,
      `The url of the MCP server '${name}' is not an http or https address without a name and password`,
      'correct it',
    );
  const args = argsIn(entries.get('args'), name, problems);
  const env = envIn(entries.get('env'), name, problems);
  return [{ name, command, args, env, url }];
}

function isPlainUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, username, password } = new URL(text);
  return (protocol === 'http:' || protocol === 'https:') && username === '' && password === '';
}

/** A text without secrets; null without one. */
function textIn(entries: Map<string, Value>, key: string, what: string, problems: Problems): string | null {
  const value = entries.get(key);
  if (value === undefined || value.kind === 'none') return null;
  const text = value.kind === 'text' ? value.text.trim() : '';
  if (!printable(text, 1_000)) problems.error(value.line, `${what} is not a text of at most 1,000 bytes`, 'correct it');
  demandNoSecret(text, value.line, what, problems);
  return text;
}

function argsIn(value: Value | undefined, server: string, problems: Problems): string[] {
  if (value === undefined || value.kind === 'none') return [];
  const items = value.kind === 'list' ? value.items : [value];
  const args = items.map((item) => {
    if (item.kind === 'text' && Buffer.byteLength(item.text) <= 4_096) return item.text;
    problems.error(item.line, `An argument of '${server}' is not a text of at most 4 KB`, 'correct it');
    return '';
  });
  if (args.length > most.args)
    problems.error(value.line, `'${server}' has ${args.length} arguments; the limit is ${most.args}`, 'give fewer');
  // Together: a flag and its value are two arguments.
  demandNoSecret(args.join(' '), value.line, `An argument of '${server}'`, problems);
  return args;
}

function demandNoSecret(text: string, line: number, what: string, problems: Problems): void {
  if (redactText(text).count === 0) return;
  problems.error(
    line,
    `${what} looks like a secret`,
    "take it out, and name an environment variable that has it in 'env'",
  );
}

/** Names of environment variables: a list, or names with values, which are dropped. */
function envIn(value: Value | undefined, server: string, problems: Problems): string[] {
  if (value === undefined || value.kind === 'none') return [];
  const given: [string, Value][] =
    value.kind === 'map'
      ? [...value.entries]
      : (value.kind === 'list' ? value.items : [value]).map((item) => [
          item.kind === 'text' ? item.text.trim() : '',
          item,
        ]);
  const names = given.flatMap(([name, item]) => {
    if (!variableForm.test(name)) {
      problems.error(
        item.line,
        `'env' of '${server}' has an entry that is not the name of an environment variable`,
        "give names such as 'GITHUB_TOKEN'",
      );
      return [];
    }
    if (value.kind === 'map' && item.kind !== 'none' && !(item.kind === 'text' && refersTo(item.text, name)))
      problems.warn(
        item.line,
        `The value of '${name}' in 'env' of '${server}' is not stored`,
        'set the variable in the environment of the runner',
      );
    return [name];
  });
  if (names.length > most.env)
    problems.error(value.line, `'${server}' names ${names.length} variables; the limit is ${most.env}`, 'name fewer');
  return [...new Set(names)];
}

const refersTo = (text: string, name: string): boolean => ['', `$${name}`, `\${${name}}`].includes(text.trim());
