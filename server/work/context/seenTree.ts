import type { SeenTree } from './derive/gitStatus.ts';

/** More files of one state are told by their folders. */
const mostNames = 8;

interface Entry {
  state: string;
  path: string;
}

/**
 * What git said last, the files that this log changed apart from those of others, and what the log did since; empty when there is
 * nothing to tell.
 */
export function seenTreeText(seen: SeenTree, files: readonly string[]): string {
  const { status, callId, branch, since = [], uncommitted, older } = seen;
  const noCommit = uncommitted === true && files.length > 0 ? ' The log has no commit.' : '';
  if (status === null) {
    const [commit, ...later] = since;
    if (commit === undefined) return noCommit.trim();
    return `The log ${commit}${later.length === 0 ? ', and changed nothing since' : `. Since then: ${later.join('; ')}`}.`;
  }
  const entries = entriesOf(status);
  const isCut = entries.some(({ path }) => more.test(path));
  const own = entries.filter(({ path }) => files.some((file) => isSame(path, file)));
  const others = entries.filter((entry) => !own.includes(entry));
  const when =
    since.length > 0
      ? ''
      : older === true
        ? ', from before people spoke or another agent worked'
        : '; nothing in the log changed it since';
  const clean = status === '' ? ' Nothing was changed since the commit.' : '';
  return [
    `By git status (call ${callId})${when}${branch === undefined ? '' : `; the branch is ${branch}`}.${clean}${noCommit}`,
    ...(own.length === 0
      ? []
      : [
          `Not committed, of the files changed here${isCut ? ', of a list that is cut in the log' : ''}: ${grouped(own, files.length)}`,
        ]),
    ...(others.length === 0 ? [] : [`Not committed, changed by nothing in this log: ${grouped(others, Infinity)}`]),
    ...(since.length === 0 ? [] : [`Since then: ${since.join('; ')}`]),
  ].join('\n');
}

const states: readonly (readonly [letters: RegExp, state: string])[] = [
  [/^\?\?/, 'untracked'],
  [/^(?:U.|.U|AA|DD)/, 'in conflict'],
  [/^[^ ] /, 'staged'],
  [/^ /, 'not staged'],
];
const more = /^and (?:\d+ )?(?:or )?more$/;

const entriesOf = (status: string): Entry[] =>
  status
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      if (more.test(line)) return { state: '', path: line };
      const state = states.find(([letters]) => letters.test(line))?.[1] ?? 'staged, and changed since';
      const path = line
        .slice(3)
        .replace(/^.* -> /, '')
        .replace(/^"(.*)"$/, '$1');
      return { state, path: line.slice(0, 2).includes('D') ? `${path} (removed)` : path };
    });

/** A folder that git does not know stands for its files. */
function isSame(path: string, file: string): boolean {
  const name = path.replace(/ \(removed\)$/, '');
  if (name.endsWith('/')) return file.startsWith(name) || file.includes(`/${name}`);
  return name === file || file.endsWith(`/${name}`);
}

/** By state; where all of `all` files have the same, it stands for their names. */
function grouped(entries: readonly Entry[], all: number): string {
  const groups = new Map<string, string[]>();
  for (const { state, path } of entries) groups.set(state, [...(groups.get(state) ?? []), path]);
  const [[only = ''] = []] = groups;
  if (groups.size === 1 && entries.length === all) return `all, ${only}`;
  return [...groups]
    .map(([state, paths]) => {
      const names = (paths.length > mostNames ? byFolder(paths) : paths).join(', ');
      return state === '' ? names : `${state} ${names}`;
    })
    .join('; ');
}

/** The first folders with the numbers of their files, where they hold several. */
function byFolder(paths: readonly string[]): string[] {
  const folders = new Map<string, string[]>();
  for (const path of paths) {
    const folder = /^[^/]+\//.exec(path)?.[0] ?? path;
    folders.set(folder, [...(folders.get(folder) ?? []), path]);
  }
  return [...folders].map(([folder, [only = '', ...more]]) =>
    more.length === 0 ? only : `${folder} (${more.length + 1})`,
  );
}
