import { createScanner, findNodeAtLocation, parse, parseTree, type ParseError, type ParseOptions } from 'jsonc-parser';
import {
  areEqual,
  isObject,
  pathsOfEntries,
  Unfit,
  withEntries,
  withoutPaths,
  type Entries,
  type Json,
} from './entries.ts';

// The tools say themselves whether they accept comments and trailing commas: both stay as they are.
const options: ParseOptions = { allowTrailingComma: true };

/** @throws Unfit */
export function parseJson(text: string): Json {
  const errors: ParseError[] = [];
  const value: unknown = text.trim() === '' ? {} : parse(text, errors, options);
  if (errors.length > 0)
    throw new Unfit(`is not JSON (line ${text.slice(0, errors[0]!.offset).split('\n').length}): correct it`);
  if (!isObject(value)) throw new Unfit('is not a JSON object: correct it');
  return value;
}

/** Adds the entries. Changes no other byte. @throws Unfit */
export function addToJson(text: string, entries: Entries): string {
  const wanted = withEntries(parseJson(text), entries);
  const format = formatOf(text);
  if (text.trim() === '') return `${JSON.stringify(wanted, null, format.unit)}\n`;
  let next = text;
  for (const { path, key } of insertions(parseJson(text), entries))
    next = insert(next, path, key, valueAt(wanted, key === null ? [...path, -1] : [...path, key]), format);
  return checked(next, wanted);
}

/** Removes Baton's entries. Changes no other byte. @throws Unfit */
export function removeFromJson(text: string, entries: Entries): string {
  const settings = parseJson(text);
  const paths = pathsOfEntries(settings, entries);
  return checked(paths.reduce(without, text), withoutPaths(settings, paths));
}

/** Refuses a result that reads otherwise, as with a name that occurs twice. */
function checked(text: string, wanted: Json): string {
  if (!areEqual(parseJson(text), wanted)) throw twice();
  return text;
}

const twice = (): Unfit => new Unfit('has a name twice: remove one of them');

/** The places to insert at: `key` is null in a list. */
function insertions(settings: Json, { servers, hooks, env = {} }: Entries): { path: string[]; key: string | null }[] {
  const place = (path: string[], key: string): { path: string[]; key: string } =>
    path.length === 0 || settings[path[0]!] !== undefined ? { path, key } : { path: [], key: path[0]! };
  const found: { path: string[]; key: string | null }[] =
    servers?.server == null ? [] : [place([servers.name], 'baton')];
  const variables = settings['env'];
  const missing = Object.keys(env).filter((name) => !isObject(variables) || !Object.hasOwn(variables, name));
  if (missing.length > 0)
    found.push(...(isObject(variables) ? missing.map((name) => ({ path: ['env'], key: name })) : [place([], 'env')]));
  const known = settings['hooks'];
  if (hooks === null) return found;
  if (Object.keys(hooks).length === 0) return found;
  if (!isObject(known)) return [...found, place([], 'hooks')];
  return [
    ...found,
    ...Object.keys(hooks).map((event) =>
      Object.hasOwn(known, event) ? { path: ['hooks', event], key: null } : { path: ['hooks'], key: event },
    ),
  ];
}

const valueAt = (settings: Json, path: (string | number)[]): unknown =>
  path.reduce<unknown>(
    (value, name) => (name === -1 ? (value as unknown[]).at(-1) : (value as Json)[name as string]),
    settings,
  );

interface Format {
  unit: string;
  eol: string;
}

const formatOf = (text: string): Format => ({
  unit: /^([ \t]+)\S/m.exec(text)?.[1] ?? '  ',
  eol: text.includes('\r\n') ? '\r\n' : '\n',
});

/** Inserts behind the last child and its comments. `modify` of the library would insert without line breaks, or reformat the whole line. */
function insert(text: string, path: string[], key: string | null, value: unknown, { unit, eol }: Format): string {
  const container = findNodeAtLocation(parseTree(text, [], options)!, path);
  if (container === undefined) throw twice();
  const indent = unit.repeat(path.length + 1);
  const json = `${key === null ? '' : `${JSON.stringify(key)}: `}${JSON.stringify(value, null, unit)}`.replaceAll(
    '\n',
    eol + indent,
  );
  const last = container.children?.at(-1);
  const lastEnd = last === undefined ? null : last.offset + last.length;
  const comma = lastEnd === null ? null : commaAt(text, lastEnd);
  const close = container.offset + container.length - 1;
  const at = text.slice(0, close).trimEnd().length;
  const rest = text.slice(at, close).includes('\n')
    ? text.slice(at)
    : eol + unit.repeat(path.length) + text.slice(close);
  const before =
    lastEnd === null || comma !== null ? text.slice(0, at) : `${text.slice(0, lastEnd)},${text.slice(lastEnd, at)}`;
  return `${before}${eol}${indent}${json}${comma === null ? '' : ','}${rest}`;
}

/** Takes a value out as `insert` put it in. `modify` of the library takes the comments beside it too. */
function without(text: string, path: (string | number)[]): string {
  const value = findNodeAtLocation(parseTree(text, [], options)!, path);
  if (value === undefined) throw twice();
  const node = typeof path.at(-1) === 'string' ? value.parent! : value;
  const siblings = node.parent!.children!;
  const previous = siblings[siblings.indexOf(node) - 1];
  const end = node.offset + node.length;
  const comma =
    commaAt(text, end) ?? (previous === undefined ? null : commaAt(text, previous.offset + previous.length));
  const from = text.slice(0, node.offset).trimEnd().length;
  const cuts = [[from, end], ...(comma === null ? [] : [[comma, comma + 1]])] as [number, number][];
  return cuts
    .sort(([one], [other]) => other - one)
    .reduce((rest, [start, stop]) => rest.slice(0, start) + rest.slice(stop), text);
}

/** The offset of the comma that comes next, behind comments; null when another sign does. */
function commaAt(text: string, offset: number): number | null {
  const scanner = createScanner(text, true);
  scanner.setPosition(offset);
  scanner.scan();
  const at = scanner.getTokenOffset();
  return text[at] === ',' ? at : null;
}
