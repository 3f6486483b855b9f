import type { Action } from './actions.ts';
import { programOf } from './commands.ts';

/** What a command of git does to the changes of the working tree, the index and the newest commits. `paths` are as written. */
export type GitAct =
  /** Takes files from the index, with `fromHead` from the newest commit. */
  | { does: 'restore'; paths: string[]; fromHead: boolean }
  | { does: 'unstage'; paths: string[] | null }
  /** A word that is a path or a branch. */
  | { does: 'checkout'; words: string[] }
  | { does: 'stage'; paths: string[] | null; known: boolean }
  | { does: 'commit'; paths: string[]; all: boolean; amends: boolean }
  | { does: 'reset'; to: string; keeps: 'index' | 'files' | 'nothing' }
  | { does: 'revert'; commits: string[] }
  | { does: 'stash'; paths: string[] | null; untracked: boolean; keepsIndex: boolean }
  | { does: 'unstash'; at: number; keeps: boolean }
  | { does: 'dropStash'; at: number | null };

const has = (args: readonly string[], option: RegExp): boolean => args.some((arg) => option.test(arg));
const plainOf = (args: readonly string[]): string[] => args.filter((arg) => !arg.startsWith('-'));
/** Words without the values of options, and the paths after `--`; null without that. */
function split(args: readonly string[], valued: RegExp): { words: string[]; paths: string[] | null } {
  const at = args.indexOf('--');
  const before = at < 0 ? args : args.slice(0, at);
  return {
    words: before.filter((arg, index) => !arg.startsWith('-') && !valued.test(before[index - 1] ?? '')),
    paths: at < 0 ? null : args.slice(at + 1),
  };
}

const isHead = (ref: string): boolean => ref === 'HEAD' || ref === '@';

/** Null for commands that leave all of them as they are, and for those of other programs. */
export function gitActOf(part: Action['parts'][number]): { act: GitAct; folder: string | null } | null {
  const { program, args } = programOf(part);
  if (program !== 'git') return null;
  let rest = args;
  let folder: string | null = null;
  while (rest[0]?.startsWith('-') === true) {
    if (rest[0] === '-C') folder = rest[1] ?? null;
    rest = rest.slice(/^-[Cc]$/.test(rest[0]) ? 2 : 1);
  }
  const act = acts[rest[0] ?? '']?.(rest.slice(1)) ?? null;
  return act === null ? null : { act, folder };
}

const acts: Record<string, (args: string[]) => GitAct | null> = {
  checkout: (args) => {
    if (has(args, /^(-[bBp]|--orphan|--patch|--detach)$/)) return null;
    const { words, paths } = split(args, /(?!)/);
    if (paths !== null) {
      // From another commit the file changes again.
      if (words.length > 0 && !isHead(words[0]!)) return null;
      return { does: 'restore', paths, fromHead: words.length > 0 };
    }
    if (has(args, /^(-f|--force)$/)) return { does: 'reset', to: 'HEAD', keeps: 'nothing' };
    if (words.length > 1 && isHead(words[0]!)) return { does: 'restore', paths: words.slice(1), fromHead: true };
    return words.length === 0 ? null : { does: 'checkout', words };
  },
  switch: (args) =>
    has(args, /^(-f|--force|--discard-changes)$/) ? { does: 'reset', to: 'HEAD', keeps: 'nothing' } : null,
  restore: (args) => {
    if (has(args, /^(-p|--patch)$/)) return null;
    const { words, paths } = split(args, /^(-s|--source)$/);
    const at = args.findIndex((arg) => /^(-s|--source)$/.test(arg));
    const source = at >= 0 ? args[at + 1] : args.find((arg) => /^--source=/.test(arg))?.slice('--source='.length);
    if (source !== undefined && !isHead(source)) return null;
    const all = [...words, ...(paths ?? [])];
    const staged = has(args, /^(-\w*S\w*|--staged)$/);
    if (staged && !has(args, /^(-\w*W\w*|--worktree)$/)) return { does: 'unstage', paths: all };
    return { does: 'restore', paths: all, fromHead: staged || source !== undefined };
  },
  add: (args) => {
    if (has(args, /^(-n|--dry-run)$/)) return null;
    const { words, paths } = split(args, /^(--chmod|--pathspec-from-file)$/);
    const all = [...words, ...(paths ?? [])];
    return { does: 'stage', paths: all.length === 0 ? null : all, known: has(args, /^(-u|--update)$/) };
  },
  commit: (args) => {
    if (has(args, /^--dry-run$/)) return null;
    const { words, paths } = split(
      args,
      /^(-\w*[mFCct]|--(?:message|file|author|date|reuse-message|reedit-message|template|cleanup|trailer|fixup|squash))$/,
    );
    return {
      does: 'commit',
      paths: [...words, ...(paths ?? [])],
      all: has(args, /^(-[a-zA-Z]*a[a-zA-Z]*|--all)$/),
      amends: has(args, /^--amend$/),
    };
  },
  reset: (args) => {
    if (has(args, /^(-p|--patch|--keep|--merge)$/)) return null;
    const { words, paths } = split(args, /(?!)/);
    const keeps = has(args, /^--hard$/) ? 'nothing' : has(args, /^--soft$/) ? 'index' : 'files';
    if (paths !== null) return words.length > 0 && !isHead(words[0]!) ? null : { does: 'unstage', paths };
    const [to = 'HEAD', ...more] = words;
    if (keeps === 'files' && more.length > 0) return isHead(to) ? { does: 'unstage', paths: more } : null;
    return { does: 'reset', to, keeps };
  },
  revert: (args) => {
    if (has(args, /^--(abort|quit|skip|continue)$/)) return null;
    const { words } = split(args, /^(-m|--mainline|-X|--strategy|--strategy-option)$/);
    return { does: 'revert', commits: words };
  },
  stash: (args) => {
    const [subcommand = 'push', ...rest] = args;
    const given = subcommand.startsWith('-') ? args : rest;
    const numberIn = (words: readonly string[]): number =>
      Number(/^(?:stash@\{)?(\d+)\}?$/.exec(plainOf(words)[0] ?? '')?.[1] ?? 0);
    switch (subcommand.startsWith('-') ? 'push' : subcommand) {
      case 'push':
      case 'save': {
        if (has(given, /^(-p|--patch)$/)) return null;
        const { words, paths } = split(given, /^(-m|--message)$/);
        const all = subcommand === 'save' ? [] : [...words, ...(paths ?? [])];
        return {
          does: 'stash',
          paths: all.length === 0 ? null : all,
          untracked: has(given, /^(-u|-a|--include-untracked|--all)$/),
          keepsIndex: has(given, /^(-k|--keep-index)$/),
        };
      }
      case 'pop':
      case 'apply':
        return { does: 'unstash', at: numberIn(rest), keeps: subcommand === 'apply' };
      case 'drop':
        return { does: 'dropStash', at: numberIn(rest) };
      case 'clear':
        return { does: 'dropStash', at: null };
      default:
        return null;
    }
  },
};
