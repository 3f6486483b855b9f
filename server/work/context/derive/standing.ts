import { posix } from 'node:path';
import { changedBy, inFolder, partsBefore, patchOf, type Action, type Actions } from './actions.ts';
import { programOf } from './commands.ts';
import { editsOf, isOfName, leftOf, type Edit } from './edits.ts';
import { gitActOf, type GitAct } from './git.ts';
import { globOf, removedBy, removesBelow, wereThere, writtenBy } from './written.ts';

/** What is left of the changes of files at the end of the log; each file by its whole path. */
export interface Standing {
  /** Their last change removed them or moved them away. */
  gone: Set<string>;
  /** Their changes were all taken back. */
  undone: Set<string>;
  /** Their changes are only in a stash. */
  stashed: Set<string>;
}

interface File {
  /** Whether it was there before the log; null when that is not known. */
  isOld: boolean | null;
  /** Whether git knows it. */
  isTracked: boolean;
  /** Edits in the index, and those after it. */
  index: Edit[];
  work: Edit[];
}
interface Commit {
  hash: string | null;
  edits: Map<string, Edit[]>;
  /** The commit that it takes back. */
  reverts: Commit | null;
}
type Stash = Map<string, Pick<File, 'index' | 'work' | 'isTracked'>>;

/** Commands of git that are followed; after more than these nothing counts as taken back. */
const maxActs = 500;

const other: Edit = { swap: null, removes: false };
const removal: Edit = { swap: null, removes: true };

/**
 * Follows the changes of files through edits, commits, stashes and what takes changes back. `files` are known to be changed, those in
 * `before` also by calls that the log does not have. A change of which it is not certain that it was taken back stays.
 */
export function standingOf(
  { list, root }: Actions,
  files: readonly string[],
  before: readonly string[] = [],
): Standing {
  const tree = new Tree(root);
  const inLog = new Set(list.flatMap((action) => changedBy(action, root)));
  const earlier = new Set(before.map((file) => inFolder(root, file)));
  for (const file of files.map((path) => inFolder(root, path)))
    if (earlier.has(file) || !inLog.has(file)) tree.knowAsChanged(file);
  for (const action of list) tree.follow(action);
  return tree.standing();
}

class Tree {
  readonly #files = new Map<string, File>();
  /** Changed by what nothing in the log takes back. */
  readonly #before = new Set<string>();
  #commits: Commit[] = [];
  /** Computed anew after each change of the commits. */
  #effective: Commit[] | null = null;
  #stashes: Stash[] = [];
  #acts = 0;
  /** Of copies of files: what was copied, and its edits then. */
  readonly #copies = new Map<string, { of: string; edits: Edit[] }>();

  constructor(private readonly root: string) {}

  knowAsChanged(file: string): void {
    this.#known(file, true);
    this.#before.add(file);
  }

  standing(): Standing {
    const standing: Standing = { gone: new Set(), undone: new Set(), stashed: new Set() };
    for (const [file, state] of this.#files) {
      const edits = leftOf(this.#editsOf(file, state));
      const isStashed = this.#stashes.some((stash) => stash.has(file));
      if (edits.length === 0 && this.#acts <= maxActs) standing[isStashed ? 'stashed' : 'undone'].add(file);
      else if (edits.at(-1)?.removes === true) standing.gone.add(file);
    }
    return standing;
  }

  follow(action: Action): void {
    const { parts, output, ending } = action;
    const changed = new Set(changedBy(action, this.root));
    const byParts = new Set(parts.flatMap((part) => this.#writtenBy(part, output)));
    const patch = patchOf(action);
    for (const file of changed) if (!byParts.has(file)) this.#edit(action, file, patch);
    if (ending !== 'PASSED' && ending !== 'FAILED') return;
    const certain = new Set(ending === 'PASSED' ? parts : complains.test(output) ? [] : partsBefore(parts, output));
    for (const [at, part] of parts.entries()) {
      const isCertain = certain.has(part) && parts[at - 1]?.joiner !== '||';
      const git = gitActOf(part);
      if (git !== null) {
        const folder = git.folder === null ? part.folder : inFolder(part.folder, git.folder);
        if (!isCertain && !saysDone(git.act, output)) continue;
        this.#acts += 1;
        if (this.#acts <= maxActs) this.#act(git.act, folder, output);
      } else if (isCertain) this.#copied(part);
      this.#write(part, output, changed, ending === 'PASSED');
    }
  }

  #editsOf(file: string, { index, work }: File): Edit[] {
    const committed = this.#inEffect().flatMap(({ edits }) => edits.get(file) ?? []);
    return [...(this.#before.has(file) ? [other] : []), ...committed, ...index, ...work];
  }

  /** The commits that none took back; what took back one that took back brings it again. */
  #inEffect(): Commit[] {
    if (this.#effective !== null) return this.#effective;
    const reverted = new Set<Commit>();
    for (const commit of this.#commits.toReversed()) {
      if (commit.reverts === null || reverted.has(commit)) continue;
      if (!reverted.delete(commit.reverts)) reverted.add(commit.reverts);
    }
    this.#effective = this.#commits.filter((commit) => !reverted.has(commit));
    return this.#effective;
  }

  /** Whether the log made the file, and nobody committed it. */
  #isOfLog(file: string, { isOld }: File): boolean {
    return isOld === false && !this.#isCommitted(file);
  }

  #isCommitted(file: string): boolean {
    return this.#commits.some(({ edits }) => edits.has(file));
  }

  #known(file: string, isOld: boolean | null): File {
    const known = this.#files.get(file);
    if (known !== undefined) return known;
    const made = { isOld, isTracked: isOld === true, index: [], work: [] };
    this.#files.set(file, made);
    return made;
  }

  #edit({ call }: Action, file: string, patch: string): void {
    const edits = editsOf(call, file, patch);
    const answer = (call.result ?? '').slice(0, 500);
    if (edits[0]?.removes === true) this.#remove(file, false);
    else {
      const isOld =
        changes.test(call.name) || edits.some(({ swap }) => swap !== null) || rewrote.test(answer) ? true : null;
      this.#known(file, isAdded(patch, file) || made.test(answer) ? false : isOld).work.push(...edits);
    }
    this.#copies.delete(file);
  }

  #writtenBy(part: Action['parts'][number], output: string): string[] {
    return writtenBy(part, output).map((file) => inFolder(part.folder, file));
  }

  #write(part: Action['parts'][number], output: string, changed: ReadonlySet<string>, passed: boolean): void {
    const away = new Set(removedBy(part).map((file) => inFolder(part.folder, file)));
    const { program, args } = programOf(part);
    const isByGit = program === 'git' && args[0] !== 'clean';
    const pair = copyOf(part);
    const putBack = pair !== null && this.#copies.get(pair.from)?.of === pair.to ? pair.to : null;
    const [redirected, appended] = [part.writes, part.appends].map(
      (files) => new Set(files.map((file) => inFolder(part.folder, file))),
    );
    const there = wereThere(part);
    for (const file of new Set(this.#writtenBy(part, output))) {
      if (!changed.has(file) || file === putBack) continue;
      if (away.has(file)) this.#remove(file, isByGit);
      else {
        const isOld = appended!.has(file) ? null : redirected!.has(file) ? false : there;
        const state = this.#known(file, isOld);
        (isByGit ? state.index : state.work).push(other);
        if (isByGit) state.isTracked = true;
      }
      this.#copies.delete(file);
    }
    const removes = passed ? removesBelow(part, output) : null;
    if (removes === null) return;
    for (const file of this.#files.keys())
      if (removes(file) || removes(posix.relative(part.folder === '' ? '.' : part.folder, file)))
        this.#remove(file, isByGit);
  }

  /** A file that the log made and that nobody committed leaves nothing. */
  #remove(file: string, isStaged: boolean): void {
    const state = this.#known(file, true);
    // Git removes only what it knows.
    if (isStaged && !state.isTracked) Object.assign(state, { isOld: true, isTracked: true });
    if (this.#isOfLog(file, state)) Object.assign(state, { index: [], work: [], isTracked: false });
    else if (this.#editsOf(file, state).at(-1)?.removes !== true) {
      state.work.push(removal);
      if (isStaged) this.#stage(file);
    }
  }

  /** A copy that is put back takes back what came between. */
  #copied(part: Action['parts'][number]): void {
    const pair = copyOf(part);
    if (pair === null) return;
    const kept = this.#copies.get(pair.from);
    if (kept?.of !== pair.to) {
      const source = this.#files.get(pair.from);
      this.#copies.set(pair.to, { of: pair.from, edits: source === undefined ? [] : this.#editsOf(pair.from, source) });
      return;
    }
    const state = this.#known(pair.to, true);
    const now = this.#editsOf(pair.to, state);
    const since = now.length - kept.edits.length;
    if (since >= 0 && since <= state.work.length && kept.edits.every((edit, index) => edit === now[index]))
      state.work.splice(state.work.length - since, since);
    else state.work.push(other);
  }

  #act(act: GitAct, folder: string, output: string): void {
    switch (act.does) {
      case 'restore':
        return this.#restore(act.paths, folder, act.fromHead);
      case 'checkout':
        // Else it went to another branch.
        if (act.words.every((word) => this.#named([word], folder).length > 0) && !moved.test(output))
          this.#restore(act.words, folder, false);
        return;
      case 'unstage':
        return this.#unstage(act.paths === null ? [...this.#files.keys()] : this.#named(act.paths, folder));
      case 'stage':
        for (const file of act.paths === null ? [...this.#files.keys()] : this.#named(act.paths, folder))
          if (!act.known || mayBeTracked(this.#files.get(file)!)) this.#stage(file);
        return;
      case 'commit':
        return this.#commit(act, folder, output);
      case 'reset':
        return this.#reset(act);
      case 'revert':
        return this.#revert(act.commits, output);
      case 'stash':
        return this.#stash(act, folder, output);
      case 'unstash':
        return this.#unstash(act);
      case 'dropStash':
        if (act.at === null) this.#stashes = [];
        else this.#stashes = this.#stashes.toSpliced(Math.max(this.#stashes.length - 1 - act.at, 0), 1);
    }
  }

  /** The files below or by the paths, which are relative to a folder. */
  #named(paths: readonly string[], folder: string): string[] {
    const tests = paths.map((path) => {
      const whole = path.startsWith(':/') ? inFolder(this.root, path.slice(2) || '.') : inFolder(folder, path);
      if (!/[*?]/.test(path))
        return (file: string) => file === whole || file.startsWith(`${whole.replace(/\/$/, '')}/`);
      const glob = globOf(path.replace(/^.*\//, ''));
      const below = path.includes('/') ? inFolder(folder, path.replace(/\/[^/]*$/, '')) : folder;
      return (file: string) => file.startsWith(`${below}/`) && glob.test(posix.basename(file));
    });
    return [...this.#files.keys()].filter((file) => tests.some((test) => test(file)));
  }

  #restore(paths: readonly string[], folder: string, fromHead: boolean): void {
    for (const file of this.#named(paths, folder)) {
      const state = this.#files.get(file)!;
      // What git does not know it leaves, and fails for it by its name.
      if (!state.isTracked) {
        if (!paths.some((path) => inFolder(folder, path) === file)) continue;
        Object.assign(state, { isOld: true, isTracked: true });
      }
      state.work = [];
      if (fromHead) state.index = [];
    }
  }

  #unstage(files: readonly string[]): void {
    for (const file of files) {
      const state = this.#files.get(file)!;
      state.work = [...state.index, ...state.work];
      state.index = [];
      state.isTracked = state.isOld === true || this.#isCommitted(file);
    }
  }

  #stage(file: string): void {
    const state = this.#files.get(file)!;
    state.index.push(...state.work.splice(0));
    state.isTracked = true;
  }

  #commit({ paths, all, amends }: Extract<GitAct, { does: 'commit' }>, folder: string, output: string): void {
    if (nothingToCommit.test(output)) return;
    const named = this.#named(paths, folder);
    for (const file of named) this.#stage(file);
    if (all) for (const [file, state] of this.#files) if (mayBeTracked(state)) this.#stage(file);
    // Staged by other means.
    const staged = [...this.#files].filter(([, { index }]) => index.length > 0);
    if (staged.length === 0 && !amends) for (const file of this.#files.keys()) this.#stage(file);
    const edits = new Map<string, Edit[]>();
    for (const [file, state] of this.#files) {
      if (state.index.length === 0 || (named.length > 0 && !named.includes(file))) continue;
      edits.set(file, state.index.splice(0));
    }
    const hash = madeCommit.exec(output)?.[1] ?? null;
    const last = this.#commits.at(-1);
    if (amends && last !== undefined && last.reverts === null) {
      last.hash = hash ?? last.hash;
      for (const [file, more] of edits) last.edits.set(file, [...(last.edits.get(file) ?? []), ...more]);
    } else this.#commits.push({ hash, edits, reverts: null });
    this.#effective = null;
  }

  #reset({ to, keeps }: Extract<GitAct, { does: 'reset' }>): void {
    const back = this.#since(to);
    // Newest first: what came before stands before.
    for (const { edits } of back.toReversed())
      for (const [file, taken] of edits) {
        const state = this.#files.get(file)!;
        if (keeps !== 'nothing') state.index.unshift(...taken);
        else Object.assign(state, { index: [], work: [] });
      }
    this.#commits = this.#commits.slice(0, this.#commits.length - back.length);
    this.#effective = null;
    if (keeps === 'files') this.#unstage([...this.#files.keys()]);
    if (keeps === 'nothing')
      for (const [file, state] of this.#files) {
        if (!state.isTracked) continue;
        Object.assign(state, { index: [], work: [] });
        state.isTracked = state.isOld === true || this.#isCommitted(file);
      }
  }

  /** The commits of the log after a name of one; none when it is not known. */
  #since(ref: string): Commit[] {
    const back = backOf(ref);
    if (back !== null) return back === 0 ? [] : this.#commits.slice(-back);
    const at = this.#commits.findLastIndex(({ hash }) => isSameHash(hash, ref));
    return at < 0 ? [] : this.#commits.slice(at + 1);
  }

  #revert(names: readonly string[], output: string): void {
    const hash = madeCommit.exec(output)?.[1] ?? null;
    // A name counts from where the command began.
    const before = [...this.#commits];
    const found = names.flatMap((name) => {
      const [from, to] = name.split('..');
      if (from !== undefined && to !== undefined)
        return backOf(to || 'HEAD') === 0 ? this.#since(from).toReversed() : [];
      const back = backOf(name);
      const one =
        back === null ? before.findLast((commit) => isSameHash(commit.hash, name)) : before[before.length - 1 - back];
      return one === undefined ? [] : [one];
    });
    for (const reverts of found) this.#commits.push({ hash, edits: new Map(), reverts });
    this.#effective = null;
  }

  #stash({ paths, untracked, keepsIndex }: Extract<GitAct, { does: 'stash' }>, folder: string, output: string): void {
    if (/^No local changes to save/m.test(output)) return;
    const stash: Stash = new Map();
    for (const file of paths === null ? this.#files.keys() : this.#named(paths, folder)) {
      const state = this.#files.get(file)!;
      const { index, work, isTracked } = state;
      if ((!isTracked && !untracked) || index.length + work.length === 0) continue;
      stash.set(file, { index, work, isTracked });
      Object.assign(state, { index: keepsIndex ? [...index] : [], work: [] });
      if (this.#isOfLog(file, state) && !keepsIndex) state.isTracked = false;
    }
    this.#stashes.push(stash);
  }

  #unstash({ at, keeps }: Extract<GitAct, { does: 'unstash' }>): void {
    const place = this.#stashes.length - 1 - at;
    const stash = this.#stashes[place];
    if (stash === undefined) return;
    for (const [file, { index, work, isTracked }] of stash) {
      const state = this.#files.get(file)!;
      // Git stages again what it did not know before.
      (isTracked && this.#isOfLog(file, state) ? state.index : state.work).push(...index, ...work);
      state.isTracked = isTracked || state.isTracked;
    }
    if (!keeps) this.#stashes.splice(place, 1);
  }
}

/** Tools that change what is there. */
const changes = /edit|replace/i;
const rewrote = /\b(?:has been (?:updated|edited)|successfully (?:modified|overwrote)|overwr(?:ote|itten))\b/i;
const made = /\b(?:created successfully|successfully created)\b/i;
const moved = /^(?:Switched to|Already on|HEAD is now at|Previous HEAD)/m;
const mayBeTracked = ({ isTracked, isOld }: File): boolean => isTracked || isOld === null;
const complains = /^(?:error|fatal): /m;
const nothingToCommit = /^(?:nothing (?:added )?to commit|no changes added to commit)/m;
const madeCommit = /^\[[^\]\n]*?([0-9a-f]{7,40})\]/m;

/** Whether the output itself says that it was done, also in a line that failed. */
function saysDone({ does }: GitAct, output: string): boolean {
  if (does === 'commit') return madeCommit.test(output);
  if (does === 'unstash') return /^(?:CONFLICT |Dropped (?:refs\/)?stash)/m.test(output);
  return does === 'stash' && /^Saved working directory and index state /m.test(output);
}

/** How many commits before the newest one `HEAD~2` names; null for other names. */
function backOf(ref: string): number | null {
  const found = /^(?:HEAD|@)((?:~\d*|\^)*)$/.exec(ref);
  if (found === null) return null;
  return [...found[1]!.matchAll(/~(\d*)|\^/g)].reduce((sum, [, count]) => sum + Number(count || 1), 0);
}

const isSameHash = (hash: string | null, name: string): boolean =>
  hash !== null && /^[0-9a-f]{7,40}$/.test(name) && (hash.startsWith(name) || name.startsWith(hash));

const isAdded = (patch: string, file: string): boolean =>
  [...patch.matchAll(/^\*\*\* (?:Add File|Move to): (.+)$/gm)].some(([, name]) => isOfName(file, name!.trim()));

/** A copy or a move of one file, by whole paths. */
function copyOf(part: Action['parts'][number]): { from: string; to: string } | null {
  const { program, args } = programOf(part);
  if (program !== 'cp' && program !== 'mv') return null;
  const [from, to, ...more] = args.filter((arg) => !arg.startsWith('-'));
  if (from === undefined || to === undefined || more.length > 0) return null;
  const target = /(?:^|\/)(?:tmp|\.{1,2})?\/?$/.test(to) ? posix.join(to, posix.basename(from)) : to;
  return { from: inFolder(part.folder, from), to: inFolder(part.folder, target) };
}
