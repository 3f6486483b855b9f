import { getStaticTOMLValue, ParseError, parseTOML, type AST } from 'toml-eslint-parser';
import {
  areEqual,
  isOurHook,
  isOurServer,
  isObject,
  pathsOfEntries,
  serverName,
  Unfit,
  withEntries,
  withoutPaths,
  type Entries,
  type Json,
} from './entries.ts';

const marker = '# Written by `baton connect`; `baton connect codex --remove` removes it.';

/** @throws Unfit */
export function parseToml(text: string): Json {
  return getStaticTOMLValue(treeOf(text));
}

function treeOf(text: string): AST.TOMLProgram {
  try {
    return parseTOML(text, { tomlVersion: '1.0' });
  } catch (error) {
    if (error instanceof ParseError)
      throw new Unfit(`is not TOML (line ${error.lineNumber}: ${error.message}): correct it`);
    throw error;
  }
}

/** Appends the entries as tables. Changes no other byte. @throws Unfit */
export function addToToml(text: string, entries: Entries): string {
  const wanted = withEntries(parseToml(text), entries);
  const eol = text.includes('\r\n') ? '\r\n' : '\n';
  const gap = text === '' ? '' : text.endsWith('\n') ? eol : eol + eol;
  return checked(`${text}${gap}${tablesOf(entries).join(eol)}${eol}`, wanted);
}

function tablesOf({ servers, hooks }: Entries): string[] {
  const fields = (of: object): string[] => Object.entries(of).map(([name, value]) => `${name} = ${tomlOf(value)}`);
  return [
    marker,
    ...(servers?.server == null ? [] : [`[${servers.name}.${serverName}]`, ...fields(servers.server)]),
    ...Object.entries(hooks ?? {}).flatMap(
      ([
        event,
        {
          hooks: [hook],
          ...matcher
        },
      ]) => ['', `[[hooks.${event}]]`, ...fields(matcher), `[[hooks.${event}.hooks]]`, ...fields(hook!)],
    ),
  ];
}

/** JSON is TOML, except for objects. */
const tomlOf = (value: unknown): string =>
  isObject(value)
    ? `{ ${Object.entries(value)
        .map(([name, each]) => `${JSON.stringify(name)} = ${JSON.stringify(each)}`)
        .join(', ')} }`
    : JSON.stringify(value);

/** Removes Baton's tables, also between tables that Codex wrote since. Changes no other byte. @throws Unfit */
export function removeFromToml(text: string, entries: Entries): string {
  const settings = parseToml(text);
  const tree = treeOf(text);
  const tables = tree.body[0].body.filter(
    (node) => node.type === 'TOMLTable' && isOurTable(node.resolvedKey, settings),
  );
  const comments = tree.comments.filter(({ value }) => marker === `#${value}`);
  const ranges = [...tables, ...comments]
    .map(({ range }) => wholeLines(text, range))
    .sort(([one], [other]) => other - one);
  const next = ranges.reduce((rest, [from, to]) => rest.slice(0, from) + rest.slice(to), text);
  return checked(next, withoutPaths(settings, pathsOfEntries(settings, entries)));
}

function isOurTable([name, key, index]: (string | number)[], settings: Json): boolean {
  const at = (value: unknown, part: string | number | undefined): unknown =>
    Array.isArray(value) || isObject(value) ? (value as Json)[part as string] : undefined;
  const found = at(settings[name as string], key);
  if (name === 'mcp_servers') return key === serverName && isOurServer(found);
  if (name !== 'hooks' || index === undefined) return false;
  const hooks = at(at(found, index), 'hooks');
  return Array.isArray(hooks) && hooks.length > 0 && hooks.every(isOurHook);
}

/** With the end of the last line, and the blank line before. */
function wholeLines(text: string, [from, to]: readonly [number, number]): [number, number] {
  const before = /(?:^|\n)(\r?\n)$/.exec(text.slice(0, from))?.[1]?.length ?? 0;
  const after = /^[ \t]*\r?\n/.exec(text.slice(to))?.[0].length ?? 0;
  return [from - before, to + after];
}

function checked(text: string, wanted: Json): string {
  if (!areEqual(parseToml(text), wanted))
    throw new Unfit("holds Baton's entries in a form that 'baton connect' did not write: remove them by hand");
  return text;
}
