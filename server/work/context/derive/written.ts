import { posix } from 'node:path';
import { programOf } from './commands.ts';
import type { SimpleCommand } from './shell.ts';

/** Files that a command writes, moves or removes, without scratch files, devices and patterns. `output` names those that a formatter or a patch changed. */
export function writtenBy(command: SimpleCommand, output: string): string[] {
  const { program, args } = programOf(command);
  const files = [
    ...command.writes,
    ...(byProgram[program]?.(args, command, output) ?? byScript(program, args, command)),
  ];
  return files.flatMap(braces).filter(isKept);
}

/** Of the files that a command writes, moves or removes, those that are not there afterwards. */
export function removedBy(command: SimpleCommand): string[] {
  const { program, args } = programOf(command);
  return (goneBy(program, args) ?? []).flatMap(braces).filter(isKept);
}

function goneBy(program: string, args: readonly string[]): readonly string[] | undefined {
  if (program === 'rm') return removed(args);
  if (program === 'unlink') return plainOf(args);
  if (program === 'mv') return plainOf(args).slice(0, -1);
  if (program !== 'git') return undefined;
  const [subcommand, ...rest] = args;
  if (subcommand === 'rm') return has(rest, /^--cached$/) ? [] : removed(rest);
  return subcommand === 'mv' ? plainOf(rest).slice(0, -1) : undefined;
}

type Written = (args: readonly string[], command: SimpleCommand, output: string) => readonly string[];

const plainOf = (args: readonly string[]): string[] => args.filter((arg) => arg !== '' && !arg.startsWith('-'));
/** Without options and the values of those that `valued` names. */
const operandsOf = (args: readonly string[], valued: RegExp): string[] =>
  plainOf(args.filter((arg, index) => index === 0 || !valued.test(args[index - 1]!) || arg.startsWith('-')));
const has = (args: readonly string[], option: RegExp): boolean => args.some((arg) => option.test(arg));
const looksLikeFile = (path: string): boolean => posix.extname(path) !== '';

/** Source and target of a move; a target folder gets the name of its source. */
function moved(args: readonly string[], withSources: boolean): string[] {
  const all = plainOf(args);
  const [sources, target] = [all.slice(0, -1), all.at(-1)];
  if (target === undefined || sources.length === 0) return [];
  const isFolder =
    sources.length > 1 ||
    target.endsWith('/') ||
    target === '.' ||
    (looksLikeFile(sources[0]!) && !looksLikeFile(target));
  const targets = isFolder ? sources.map((source) => posix.join(target, posix.basename(source))) : [target];
  return withSources ? [...sources, ...targets] : targets;
}

const removed = (args: readonly string[]): string[] =>
  plainOf(args).filter((file) => looksLikeFile(file) || !has(args, /^-\w*r|^--recursive/i));

/** Scripts of `sed -i` and `perl -pi` come before the files, or after `-e`. */
function editedInPlace(args: readonly string[]): string[] {
  const withScript = has(args, /^(-\w*e|--expression)/);
  return operandsOf(args, /^(-\w*e|-f|--expression|--file)$/).slice(withScript ? 0 : 1);
}

const linesIn = (text: string, pattern: RegExp): string[] =>
  [...text.matchAll(pattern)].map(([, file]) => file!.trim());
const patched = (text: string): string[] => linesIn(text, /^(?:\+\+\+ b|--- a)\/(\S+)/gm);
const namedOrGiven =
  (pattern: RegExp, inPlace: RegExp): Written =>
  (args, _command, output) => {
    if (!has(args, inPlace)) return [];
    const named = linesIn(output, pattern);
    return named.length > 0 ? named : output.trim() === '' ? plainOf(args).filter(looksLikeFile) : [];
  };
const given: Written = (args) => plainOf(args).filter(looksLikeFile);

const byProgram: Partial<Record<string, Written>> = {
  sed: (args) => (has(args, /^(-\w*i|--in-place)/) ? editedInPlace(args) : []),
  perl: (args, command) => (has(args, /^-\w*i/) ? editedInPlace(args) : byScript('perl', args, command)),
  tee: plainOf,
  touch: (args) => operandsOf(args, /^-[rdt]$/),
  truncate: (args) => operandsOf(args, /^-[sr]$/),
  mv: (args) => moved(args, true),
  cp: (args) => moved(args, false),
  ln: (args) => moved(args, false),
  rm: removed,
  unlink: plainOf,
  dd: (args) => args.filter((arg) => arg.startsWith('of=')).map((arg) => arg.slice(3)),
  curl: (args) => args.filter((_arg, index) => /^(-o|--output)$/.test(args[index - 1] ?? '')),
  wget: (args) => args.filter((_arg, index) => /^(-O|--output-document)$/.test(args[index - 1] ?? '')),
  patch: (_args, _command, output) => linesIn(output, /^patching file (.+)$/gm),
  git: ([subcommand = '', ...args], { input }) =>
    subcommand === 'mv'
      ? moved(args, true)
      : subcommand === 'rm'
        ? removed(args)
        : subcommand === 'apply' || subcommand === 'am'
          ? patched(input)
          : [],
  prettier: namedOrGiven(/^(\S+) \d+ms$/gm, /^(--write|-w)$/),
  black: namedOrGiven(/^reformatted (.+)$/gm, /^/),
  isort: namedOrGiven(/^Fixing (.+)$/gm, /^/),
  gofmt: namedOrGiven(/^(\S+\.go)$/gm, /^-\w*w/),
  goimports: namedOrGiven(/^(\S+\.go)$/gm, /^-\w*w/),
  shfmt: namedOrGiven(/^(\S+\.\w+)$/gm, /^-\w*w/),
  'clang-format': (args) => (has(args, /^-i/) ? given(args, empty, '') : []),
  rustfmt: given,
  dart: (_args, _command, output) => linesIn(output, /^Formatted (\S+)$/gm),
  terraform: ([subcommand], _command, output) =>
    subcommand === 'fmt' ? linesIn(output, /^(\S+\.tf(?:vars)?)$/gm) : [],
  rubocop: (_args, _command, output) => linesIn(output, /^(\S+?):\d+:\d+: \w: \[Corrected\]/gm),
};
const empty: SimpleCommand = { words: [], text: '', writes: [], input: '', joiner: '' };

const interpreter = /^(python|node|nodejs|deno|bun|ruby|perl|tsx|php)[\d.]*$/;
const literal = `(?:['"\`]([^'"\`\\n]+)['"\`]|([A-Za-z_]\\w*))`;
/** Calls that write the file of their first argument. */
const writes = [
  new RegExp(`\\bopen\\(\\s*${literal}\\s*,\\s*(?:mode\\s*=\\s*)?['"][wax]`, 'g'),
  new RegExp(`\\bPath\\(\\s*${literal}\\s*\\)\\.write_(?:text|bytes)`, 'g'),
  /()\b([A-Za-z_]\w*)\.write_(?:text|bytes)\(/g,
  new RegExp(`\\b(?:write|append)File(?:Sync)?\\(\\s*${literal}`, 'g'),
  new RegExp(`\\bwriteTextFile(?:Sync)?\\(\\s*${literal}`, 'g'),
  new RegExp(`\\bFile\\.write\\(\\s*${literal}`, 'g'),
  new RegExp(`\\bfile_put_contents\\(\\s*${literal}`, 'g'),
];
const names = /\b([A-Za-z_]\w*)\s*=\s*(?:(?:pathlib\.)?Path\(\s*)?['"`]([^'"`\n]+)['"`]/g;

/** Files that a script on the command line writes under a name that it states. */
function byScript(program: string, args: readonly string[], { input }: SimpleCommand): string[] {
  if (!interpreter.test(program)) return [];
  const code = has(args, /^-\w*[ce]$/) ? args.join('\n') : input;
  const known = new Map([...code.matchAll(names)].map(([, name, value]) => [name!, value!]));
  return writes.flatMap((pattern) =>
    [...code.matchAll(pattern)].flatMap(([, text, name]) => text || known.get(name ?? '') || []),
  );
}

/** `src/{a,b}.ts` as the shell expands it; of several braces the first, which keeps the number of paths small. */
function braces(path: string): string[] {
  const found = /^([^{}]*)\{([^{}]*,[^{}]*)\}(.*)$/.exec(path);
  return found === null ? [path] : found[2]!.split(',').map((part) => `${found[1]!}${part}${found[3]!}`);
}

const isKept = (file: string): boolean =>
  file !== '' &&
  !/^(\/dev\/|\/tmp\/|\/var\/tmp\/|\/private\/|&|-)|[$*?]|\.log$|(^|\/)(node_modules|\.git)\//.test(file);
