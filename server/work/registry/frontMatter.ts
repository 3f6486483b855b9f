import { isAlias, isMap, isNode, isScalar, isSeq, LineCounter, parseDocument, visit, type Document } from 'yaml';
import { limits } from '../../core/limits.ts';
import { quoted, type Problems } from './definition.ts';

/** A value of the front matter with its line in the file. */
export type Value = { line: number } & (
  | { kind: 'text'; text: string }
  | { kind: 'none' }
  | { kind: 'list'; items: Value[] }
  | { kind: 'map'; entries: Map<string, Value> }
);

export interface Parts {
  /** Null: the file has no front matter. */
  frontMatter: Map<string, Value> | null;
  body: string;
  /** Line of the file on which the body begins. */
  bodyLine: number;
}

/** Splits a file. Null when its front matter cannot be read; `problems` then says why. */
export function splitFile(content: string, problems: Problems): Parts | null {
  const [first, ...rest] = content.split('\n');
  if (!/^---[ \t]*$/.test(first ?? '')) return { frontMatter: null, body: content, bodyLine: 1 };
  const length = rest.findIndex((line) => /^---[ \t]*$/.test(line));
  if (length < 0) {
    problems.error(1, 'The front matter has no end', "end it with a line '---'");
    return null;
  }
  const source = rest.slice(0, length).join('\n');
  const frontMatter = readYaml(source, problems);
  return frontMatter && { frontMatter, body: rest.slice(length + 1).join('\n'), bodyLine: length + 3 };
}

/** The front matter begins on the second line of the file. */
const firstLine = 2;
const maxDepth = 8;

function readYaml(source: string, problems: Problems): Map<string, Value> | null {
  const bytes = Buffer.byteLength(source);
  if (bytes > limits.definitions.frontMatter) {
    problems.error(
      1,
      `The front matter has ${bytes} bytes; the limit is ${limits.definitions.frontMatter}`,
      'shorten it',
    );
    return null;
  }
  if (isDeep(source)) {
    problems.error(firstLine, 'The front matter is nested too deeply', 'flatten it');
    return null;
  }
  const { document, lines } = parse(source, problems);
  const [error] = document.errors;
  if (error !== undefined) {
    problems.error(
      lines.linePos(error.pos[0]).line - 1 + firstLine,
      `The front matter is not valid YAML: ${error.message.split('\n')[0]!.replace(/\.$/, '')}`,
      'put values that hold special characters in quotes',
    );
    return null;
  }
  if (document.contents === null || (isScalar(document.contents) && document.contents.value === null)) return new Map();
  const shared = findShared(document);
  if (shared !== null) {
    problems.error(
      lines.linePos(shared).line - 1 + firstLine,
      'The front matter has an anchor or an alias, which are not read',
      'write the value out',
    );
    return null;
  }
  const value = valueOf(document.contents, lines, 0, problems);
  if (value?.kind === 'map') return value.entries;
  if (value !== null)
    problems.error(
      firstLine,
      'The front matter does not consist of names and values',
      "write lines such as 'name: reviewer'",
    );
  return null;
}

/**
 * Whether brackets or markers could nest deeper than any definition. The library is recursive, and V8 ends the process when
 * the stack overflows while a regular expression is compiled: catching RangeError is not enough.
 */
function isDeep(source: string): boolean {
  let open = 0;
  for (const character of source) {
    if (character === '[' || character === '{') open += 1;
    if ((character === ']' || character === '}') && open > 0) open -= 1;
    if (open > 50) return true;
  }
  return /(?:[-?:][ \t]+){30}/.test(source);
}

interface Parsed {
  document: Document;
  lines: LineCounter;
}

const parseStrictly = (source: string): Parsed => {
  const lines = new LineCounter();
  // Duplicates are found by `valueOf`: the library compares every pair of names.
  return {
    document: parseDocument(source, {
      lineCounter: lines,
      prettyErrors: false,
      uniqueKeys: false,
      schema: 'core',
      logLevel: 'silent',
    }),
    lines,
  };
};

/** Many definitions hold plain texts that YAML forbids, such as `description: Reviews. Example: a diff`; their own tools read them. */
function parse(source: string, problems: Problems): Parsed {
  const strict = parseStrictly(source);
  if (strict.document.errors.length === 0) return strict;
  const repaired: [line: number, name: string][] = [];
  const lines = source.split('\n').map((line, index) => {
    const [, name = '', text = ''] = /^([A-Za-z][\w-]*):[ \t]+(\S.*)$/.exec(line) ?? [];
    if (text === '' || /^["'[\]{}|>&*!#-]/.test(text) || !/:(?:\s|$)|^[@`%]/.test(text)) return line;
    repaired.push([index + firstLine, name]);
    return `${name}: ${JSON.stringify(text.trim())}`;
  });
  const lenient = parseStrictly(lines.join('\n'));
  if (lenient.document.errors.length > 0) return strict;
  for (const [line, name] of repaired)
    problems.warn(
      line,
      `The value of '${name}' is not valid YAML; its line was read as plain text`,
      'put it in quotes',
    );
  return lenient;
}

/** Position of the first anchor or alias. They are refused: a few lines of them can stand for gigabytes. */
function findShared(document: Document): number | null {
  let position: number | null = null;
  visit(document, {
    Node(_key, node) {
      if (!isAlias(node) && node.anchor === undefined) return undefined;
      position = node.range?.[0] ?? 0;
      return visit.BREAK;
    },
  });
  return position;
}

function valueOf(node: unknown, lines: LineCounter, depth: number, problems: Problems): Value | null {
  const line = (isNode(node) ? lines.linePos(node.range?.[0] ?? 0).line : 1) - 1 + firstLine;
  if (depth > maxDepth) {
    problems.error(line, `The front matter is nested more than ${maxDepth} levels deep`, 'flatten it');
    return null;
  }
  if (isSeq(node)) {
    const items = node.items.map((item) => valueOf(item, lines, depth + 1, problems));
    return items.every((item) => item !== null) ? { line, kind: 'list', items } : null;
  }
  if (isMap(node)) {
    const entries = new Map<string, Value>();
    for (const { key, value } of node.items) {
      const name = isScalar(key) ? String(key.value) : '';
      const at = isNode(key) ? lines.linePos(key.range?.[0] ?? 0).line - 1 + firstLine : line;
      if (entries.has(name)) {
        problems.error(at, `The front matter gives ${quoted(name)} twice`, 'leave one out');
        return null;
      }
      const read = value === null ? { line: at, kind: 'none' as const } : valueOf(value, lines, depth + 1, problems);
      if (read === null) return null;
      // A block begins on the line below its name.
      entries.set(name, { ...read, line: at });
    }
    return { line, kind: 'map', entries };
  }
  if (!isScalar(node) || node.value === null || node.value === undefined) return { line, kind: 'none' };
  return { line, kind: 'text', text: typeof node.value === 'string' ? node.value : (node.source ?? '') };
}
