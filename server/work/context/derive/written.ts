import { posix } from 'node:path';
import { programOf } from './commands.ts';
import type { SimpleCommand } from './shell.ts';

/** Files that a command writes, moves or removes, without scratch files, devices and patterns. `output` names those that a formatter or a patch changed. */
export function writtenBy(command: SimpleCommand, output: string): string[] {
  const { program, args } = programOf(command);
  const files = [
    ...command.writes,
    ...(byProgram[program]?.(args, command, output) ?? byScript(program, args, command)),
    ...byManager(program, args, output),
  ];
  return files.flatMap(braces).filter(isKept);
}

/** Of the files that a command writes, moves or removes, those that are not there afterwards. */
export function removedBy(command: SimpleCommand): string[] {
  const { program, args } = programOf(command);
  return (goneBy(program, args) ?? []).flatMap(braces).filter(isKept);
}

/** Of a command that removes what is below a folder or what fits a pattern, whether it removes a file; null for other commands. `path` is relative to where it ran. */
export function removesBelow(command: SimpleCommand, output: string): ((path: string) => boolean) | null {
  const { program, args } = programOf(command);
  if (program === 'rm' || (program === 'git' && args[0] === 'rm' && !has(args, /^--cached$/))) {
    const folders = has(args, /^-\w*[rR]|^--recursive/) ? plainOf(program === 'rm' ? args : args.slice(1)) : [];
    return folders.length === 0 ? null : (path) => folders.some((folder) => isBelow(path, folder));
  }
  if (program === 'rmdir') return (path) => plainOf(args).some((folder) => isBelow(path, folder));
  if (program === 'git' && args[0] === 'clean') {
    const named = linesIn(output, /^Removing (.+)$/gm);
    return (path) => named.some((name) => isBelow(path, name));
  }
  if (program !== 'find' || !(has(args, /^-delete$/) || (has(args, /^-exec(?:dir)?$/) && args.includes('rm'))))
    return null;
  const first = args.findIndex((arg) => arg.startsWith('-'));
  const folders = first <= 0 ? ['.'] : args.slice(0, first);
  // Another test than these selects what the command does not tell.
  const tests = args.filter((arg) => /^-(?!name$|type$|delete$|exec(?:dir)?$|f$|rf$|print$|depth$)/.test(arg));
  if (tests.length > 0) return null;
  const names = args.flatMap((arg, index) => (args[index - 1] === '-name' ? [globOf(arg)] : []));
  return (path) =>
    folders.some((folder) => isBelow(path, folder)) && names.every((name) => name.test(posix.basename(path)));
}

const makers = new Set(['touch', 'tee', 'cp', 'mv', 'ln', 'curl', 'wget', 'dd']);
const changers = new Set(
  'sed perl truncate patch git prettier black isort gofmt goimports shfmt clang-format rustfmt dart terraform rubocop'.split(
    ' ',
  ),
);

/** Whether the files that a program wrote were there before: not when it writes them as a whole; null when that is not known. */
export function wereThere(command: SimpleCommand): boolean | null {
  const { program, args } = programOf(command);
  if (program === 'git') return args[0] === 'apply' || args[0] === 'am' ? null : false;
  if (program === 'tee' && has(args, /^(-\w*a|--append)/)) return null;
  return makers.has(program) ? false : changers.has(program) ? true : null;
}

function isBelow(path: string, folder: string): boolean {
  const whole = posix.normalize(folder).replace(/\/$/, '');
  if (whole === '.') return !path.startsWith('../') && !posix.isAbsolute(path);
  if (/[*?]/.test(whole))
    return whole.endsWith('/*') && isBelow(path, whole.slice(0, -2)) && path !== whole.slice(0, -2);
  return path === whole || path.startsWith(`${whole}/`);
}

/** `*.ts` as a pattern of whole names. */
export const globOf = (glob: string): RegExp =>
  new RegExp(
    `^${glob
      .replace(/[.+^${}()|[\]\\]/g, '\\$&')
      .replaceAll('*', '[^/]*')
      .replaceAll('?', '[^/]')}$`,
  );

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

/** Files in which a package manager keeps what it adds, removes or updates. */
const kept: Record<string, { changes: RegExp; lists?: string; lock?: string; saysLock?: RegExp }> = {
  npm: {
    changes: /^(install|i|add|uninstall|remove|rm|un|update|up|upgrade)$/,
    lists: 'package.json',
    lock: 'package-lock.json',
  },
  pnpm: {
    changes: /^(add|install|i|remove|rm|un|uninstall|update|up)$/,
    lists: 'package.json',
    lock: 'pnpm-lock.yaml',
  },
  yarn: { changes: /^(add|remove|up|upgrade)$/, lists: 'package.json', lock: 'yarn.lock' },
  bun: {
    changes: /^(add|a|install|i|remove|rm|update)$/,
    lists: 'package.json',
    lock: 'bun.lock',
    saysLock: /^Saved (?:bun\.lockb?|lockfile)/m,
  },
  cargo: { changes: /^(add|remove|rm|update)$/, lists: 'Cargo.toml', lock: 'Cargo.lock' },
  poetry: { changes: /^(add|remove|update|lock)$/, lists: 'pyproject.toml', lock: 'poetry.lock' },
  uv: { changes: /^(add|remove|lock)$/, lists: 'pyproject.toml', lock: 'uv.lock' },
  composer: { changes: /^(require|remove|update)$/, lists: 'composer.json', lock: 'composer.lock' },
  bundle: { changes: /^(add|remove|update|lock)$/, lists: 'Gemfile', lock: 'Gemfile.lock' },
  mix: { changes: /^deps\.(get|update|unlock)$/, lock: 'mix.lock', saysLock: /^(?:New|Upgraded|Updated|Downgraded):/m },
};
const noPackage = /^(?:-g|--global|--no-save|--dry-run|--frozen-lockfile)$/;

/** By names of packages, or by what the program says of its lock file. Without names a lock file usually stays. */
function byManager(program: string, [subcommand = '', ...args]: readonly string[], output: string): string[] {
  if (program === 'go') {
    if (subcommand === 'get' || (subcommand === 'mod' && args[0] === 'tidy')) return ['go.mod', 'go.sum'];
    return subcommand === 'mod' && args[0] === 'init' ? ['go.mod'] : [];
  }
  const files = kept[program];
  if (files === undefined || !files.changes.test(subcommand) || has(args, noPackage)) return [];
  const { lists, lock, saysLock } = files;
  const isNamed = plainOf(args).length > 0;
  // An update takes newer versions of the same packages.
  const isUpdate = /^(?:up|update|upgrade|lock)$/.test(subcommand);
  const changesLock = saysLock?.test(output) === true || (program !== 'mix' && (isNamed || isUpdate));
  return [
    ...(lists !== undefined && isNamed && !isUpdate ? [lists] : []),
    ...(lock !== undefined && changesLock ? [lock] : []),
  ];
}

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
const empty: SimpleCommand = { words: [], text: '', writes: [], appends: [], input: '', joiner: '' };

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
