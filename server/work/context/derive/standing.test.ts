import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { edited, ran, workOf } from '../../../../test/recordedLogs.ts';
import { runs } from '../../../../test/runs.ts';
import { temporaryFolder } from '../../../../test/temporary.ts';
import { changedBy, readActions } from './actions.ts';
import type { RecordedCall } from './log.ts';
import { standingOf } from './standing.ts';

interface Left {
  changed: string[];
  gone: string[];
  stashed: string[];
}
/** What is left of the changes, by names below the folder. */
function leftAfter(calls: readonly RecordedCall[], folder = '/work', before: readonly string[] = []): Left {
  const actions = readActions({ ...workOf(...calls), workspaces: [{ turn: 0, folder, branch: null, commit: null }] });
  const all = [...new Set([...actions.list.flatMap((action) => changedBy(action, folder)), ...before])];
  const { gone, undone, stashed } = standingOf(actions, all, before);
  const named = (files: Iterable<string>): string[] => [...files].map((file) => file.replace(`${folder}/`, '')).sort();
  return {
    changed: named(all.filter((file) => !undone.has(file) && !stashed.has(file))),
    gone: named(gone),
    stashed: named(stashed),
  };
}

const swapped = (callId: string, file: string, from: string, to: string): RecordedCall => ({
  ...edited(callId, file),
  arguments: { file_path: file, old_string: from, new_string: to },
});

/** One session in a repository of its own, made by the real programs and recorded as Claude Code records it. */
class Session {
  readonly calls: RecordedCall[] = [];
  readonly swaps: { file: string; from: string; to: string }[] = [];
  readonly first: Map<string, string | null>;
  #count = 0;

  constructor(readonly folder: string) {
    for (const file of old) writeFileSync(join(folder, file), `${file}\n${'line\n'.repeat(3)}end of ${file}\n`);
    this.#run('git init -q -b main . && git add . && git commit -qm first');
    this.first = this.now();
  }

  now(): Map<string, string | null> {
    return new Map([...old, ...fresh].map((file) => [file, this.read(file)]));
  }

  read(file: string): string | null {
    return existsSync(join(this.folder, file)) ? readFileSync(join(this.folder, file), 'utf8') : null;
  }

  #run(line: string): { output: string; status: number } {
    const identity = {
      GIT_AUTHOR_NAME: 'a',
      GIT_AUTHOR_EMAIL: 'a@b.c',
      GIT_COMMITTER_NAME: 'a',
      GIT_COMMITTER_EMAIL: 'a@b.c',
    };
    const { stdout, stderr, status } = spawnSync('sh', ['-c', line], {
      cwd: this.folder,
      env: { ...process.env, ...identity, GIT_CONFIG_GLOBAL: '/dev/null', GIT_EDITOR: 'true' },
      encoding: 'utf8',
    });
    return { output: `${stdout}${stderr}`, status: status ?? 1 };
  }

  id(): string {
    this.#count += 1;
    return `c${this.#count}`;
  }

  run(line: string): void {
    const { output, status } = this.#run(line);
    this.calls.push(
      ran(this.id(), line, status === 0 ? { result: output } : { error: `Exit code ${status}\n${output}` }),
    );
  }

  /** Not the first commit, which was there before the session. */
  revert(): void {
    if (this.#run('git rev-parse -q --verify HEAD~1').status === 0) this.run('git revert --no-edit HEAD');
  }

  swap(file: string, from: string, to: string): void {
    const text = this.read(file);
    if (text?.split(from).length !== 2) return;
    writeFileSync(join(this.folder, file), text.replace(from, to));
    this.calls.push(swapped(this.id(), join(this.folder, file), from, to));
    this.swaps.push({ file, from, to });
  }

  /** Changes the first line to one that was never there. */
  edit(file: string): void {
    const [first = ''] = this.read(file)?.split('\n') ?? [];
    if (first !== '') this.swap(file, first, `edit ${this.id()} of ${file}.`);
  }

  write(file: string): void {
    const isThere = this.read(file) !== null;
    writeFileSync(join(this.folder, file), `written ${this.id()}.\nmore\n`);
    const path = join(this.folder, file);
    this.calls.push({
      ...edited(this.id(), path),
      name: 'Write',
      arguments: { file_path: path, content: 'x' },
      result: isThere ? `The file ${path} has been updated.` : `File created successfully at: ${path}`,
    });
  }
}

const old = ['a.txt', 'b.txt'];
const fresh = ['new.txt', 'more.txt'];
type Step = (session: Session) => void;
const anyFile = fc.constantFrom(...old, ...fresh);
const line = (text: string): fc.Arbitrary<Step> => fc.constant((session) => session.run(text));
const ofFile = (text: (file: string) => string): fc.Arbitrary<Step> =>
  anyFile.map((file) => (session) => session.run(text(file)));
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 5,
    arbitrary: anyFile.map(
      (file): Step =>
        (session) =>
          session.edit(file),
    ),
  },
  {
    weight: 3,
    arbitrary: anyFile.map(
      (file): Step =>
        (session) =>
          session.write(file),
    ),
  },
  {
    weight: 3,
    arbitrary: fc.nat(9).map((at): Step => (session) => {
      const swap = session.swaps.at(-1 - at);
      if (swap !== undefined) session.swap(swap.file, swap.to, swap.from);
    }),
  },
  fc.constantFrom(...fresh).map(
    (file): Step =>
      (session) =>
        session.run(`cat > ${file} <<'EOF'\n${Math.random()}\nEOF`),
  ),
  ofFile((file) => `sed -i '$s/$/${Math.random()}/' ${file}`),
  { weight: 2, arbitrary: ofFile((file) => `git checkout -- ${file}`) },
  { weight: 2, arbitrary: ofFile((file) => `git restore ${file}`) },
  ofFile((file) => `git checkout HEAD -- ${file}`),
  ofFile((file) => `git checkout ${file} 2>&1`),
  ofFile((file) => `git restore --staged ${file}`),
  ofFile((file) => `git restore --source=HEAD --staged --worktree ${file}`),
  ofFile((file) => `rm ${file}`),
  ofFile((file) => `git rm -q ${file}`),
  ofFile((file) => `git add ${file}`),
  ofFile((file) => `git commit -qm some ${file}`),
  ofFile(
    (file) =>
      `cp ${file} /tmp/$(basename $PWD).copy && echo ${Math.random()} >> ${file} && cp /tmp/$(basename $PWD).copy ${file}`,
  ),
  ofFile((file) => `git stash && git stash pop; git status --short ${file}`),
  line('git checkout .'),
  line('git restore .'),
  line('git add -A'),
  line('git commit -m all'),
  line('git commit -qam tracked'),
  line('git add -A && git commit -m all && git revert --no-edit HEAD'),
  line('git commit --amend --no-edit -q'),
  line('git reset -q'),
  line('git reset --hard'),
  line('git reset --hard HEAD~1'),
  line('git reset --soft HEAD~1'),
  line('git reset -q HEAD~1'),
  fc.constant<Step>((session) => session.revert()),
  line('git stash'),
  line('git stash -u'),
  line('git stash pop'),
  line('git stash drop'),
  line('git clean -fd'),
);

test('names every file that a session left changed in a real repository, and hides none', () => {
  const root = temporaryFolder('standing');
  let exact = 0;
  const all = runs(200);
  fc.assert(
    fc.property(fc.array(step, { minLength: 2, maxLength: 14 }), (steps) => {
      const session = new Session(mkdtempSync(join(root, 'repository-')));
      for (const take of steps) take(session);
      const now = session.now();
      const differ = [...old, ...fresh].filter((file) => now.get(file) !== session.first.get(file)).sort();
      const { changed, gone } = leftAfter(session.calls, session.folder);
      const did = JSON.stringify(session.calls.map(({ name, arguments: given, error }) => [name, given, error]));
      expect(changed, did).toEqual(expect.arrayContaining(differ));
      const notThere = differ.filter((file) => now.get(file) === null);
      expect(gone, did).toEqual(expect.arrayContaining(notThere));
      if (changed.length === differ.length) exact += 1;
    }),
    { numRuns: all },
  );
  // What is not certain stays.
  expect(exact / all).toBeGreaterThan(0.85);
});

const patch = (from: string, to: string): string =>
  `*** Begin Patch\n*** Update File: a.ts\n@@\n one\n-${from}\n+${to}\n three\n*** End Patch`;
const patched = (callId: string, text: string): RecordedCall => ({
  ...edited(callId, 'a.ts'),
  name: 'apply_patch',
  arguments: { input: text },
});

const nothing = { changed: [], gone: [], stashed: [] };
const isChanged = { ...nothing, changed: ['a.ts'] };
test.each<[what: string, calls: RecordedCall[], left: Partial<Left>]>([
  ['an edit', [edited('1', 'a.ts')], isChanged],
  ['a checkout', [edited('1', 'a.ts'), ran('2', 'git checkout -- a.ts')], nothing],
  ['a checkout from another folder', [edited('1', 'a.ts'), ran('2', 'cd src && git checkout ../a.ts')], nothing],
  ['a checkout in the root', [edited('1', 'a.ts'), ran('2', 'git -C /work checkout -- .')], nothing],
  ['a checkout of another file', [edited('1', 'a.ts'), ran('2', 'git checkout -- b.ts')], isChanged],
  ['a checkout from another branch', [edited('1', 'a.ts'), ran('2', 'git checkout main -- a.ts')], isChanged],
  [
    'another branch',
    [edited('1', 'a.ts'), ran('2', 'git checkout main', { result: "Switched to branch 'main'" })],
    isChanged,
  ],
  [
    'a checkout that failed',
    [edited('1', 'a.ts'), ran('2', 'git checkout -- a.ts', { error: 'Exit code 1\nerror: pathspec' })],
    isChanged,
  ],
  [
    'a checkout that was refused',
    [
      edited('1', 'a.ts'),
      ran('2', 'git checkout -- a.ts', { error: "The user doesn't want to proceed with this tool use." }),
    ],
    isChanged,
  ],
  ['a checkout only if a test failed', [edited('1', 'a.ts'), ran('2', 'npm test || git checkout -- a.ts')], isChanged],
  [
    'a checkout and a later edit',
    [edited('1', 'a.ts'), ran('2', 'git checkout -- a.ts'), edited('3', 'a.ts')],
    isChanged,
  ],
  [
    'a commit before the checkout',
    [edited('1', 'a.ts'), ran('2', 'git commit -am x'), ran('3', 'git checkout -- a.ts')],
    isChanged,
  ],
  [
    'a restored pattern',
    [edited('1', 'src/a.ts'), edited('2', 'b.md'), ran('3', "git restore '*.ts'")],
    { changed: ['b.md'] },
  ],
  ['a new file and a reset', [ran('1', 'echo x > a.ts'), ran('2', 'git reset --hard')], isChanged],
  ['a staged new file and a reset', [ran('1', 'echo x > a.ts && git add a.ts'), ran('2', 'git reset --hard')], nothing],
  ['a new file that is removed', [ran('1', "cat > a.ts <<'EOF'\nx\nEOF"), ran('2', 'node a.ts; rm a.ts')], nothing],
  ['an old file that is removed', [edited('1', 'a.ts'), ran('2', 'rm a.ts')], { changed: ['a.ts'], gone: ['a.ts'] }],
  [
    'a new file that was committed and is removed',
    [ran('1', 'echo x > a.ts; git add .; git commit -m x'), ran('2', 'rm a.ts')],
    { changed: ['a.ts'], gone: ['a.ts'] },
  ],
  ['a removed file that is restored', [ran('1', 'rm a.ts'), ran('2', 'git restore a.ts')], nothing],
  ['a new file that is moved', [ran('1', 'echo x > b.ts'), ran('2', 'mv b.ts a.ts')], isChanged],
  ['a stash', [edited('1', 'a.ts'), ran('2', 'git stash')], { changed: [], stashed: ['a.ts'] }],
  ['a stash that was popped', [edited('1', 'a.ts'), ran('2', 'git stash && npm test; git stash pop')], isChanged],
  ['a stash that was dropped', [edited('1', 'a.ts'), ran('2', 'git stash; git stash drop')], nothing],
  [
    'a stash of nothing',
    [ran('0', 'git stash', { result: 'No local changes to save' }), edited('1', 'a.ts'), ran('2', 'git stash pop')],
    isChanged,
  ],
  [
    'a stash whose line failed later',
    [
      edited('1', 'a.ts'),
      ran('2', 'git stash && npm test && git stash pop', {
        error: 'Exit code 1\nSaved working directory and index state WIP on main\n1 failed',
      }),
    ],
    { stashed: ['a.ts'] },
  ],
  [
    'a revert by the number of the commit',
    [
      edited('1', 'a.ts'),
      ran('2', 'git commit -am x', { result: '[main abc1234] x' }),
      ran('3', 'git revert --no-edit abc1234'),
    ],
    nothing,
  ],
  [
    'a revert of another commit',
    [
      edited('1', 'a.ts'),
      ran('2', 'git commit -am x', { result: '[main abc1234] x' }),
      ran('3', 'git revert --no-edit 9999999'),
    ],
    isChanged,
  ],
  [
    'a revert of a revert',
    [edited('1', 'a.ts'), ran('2', 'git commit -am x'), ran('3', 'git revert HEAD'), ran('4', 'git revert HEAD')],
    isChanged,
  ],
  [
    'a reset to the commit before',
    [edited('1', 'a.ts'), ran('2', 'git commit -am x'), ran('3', 'git reset --hard HEAD~1')],
    nothing,
  ],
  [
    'a reset to what is elsewhere',
    [edited('1', 'a.ts'), ran('2', 'git commit -am x'), ran('3', 'git reset --hard origin/main')],
    isChanged,
  ],
  [
    'a commit that is taken apart',
    [edited('1', 'a.ts'), ran('2', 'git commit -am x'), ran('3', 'git reset --soft HEAD~1')],
    isChanged,
  ],
  ['the opposite edit', [swapped('1', 'a.ts', 'one', 'two'), swapped('2', 'a.ts', 'two', 'one')], nothing],
  [
    'the way back in three edits',
    [swapped('1', 'a.ts', 'one', 'two'), swapped('2', 'a.ts', 'two', 'three'), swapped('3', 'a.ts', 'three', 'one')],
    nothing,
  ],
  [
    'the opposite edit of one of two',
    [swapped('1', 'a.ts', 'one', 'two'), swapped('2', 'a.ts', 'x', 'y'), swapped('3', 'a.ts', 'two', 'one')],
    isChanged,
  ],
  [
    'an edit that only removes, and one that adds',
    [swapped('1', 'a.ts', 'one', ''), swapped('2', 'a.ts', '', 'one')],
    isChanged,
  ],
  ['the opposite patch', [patched('1', patch('two', 'zwei')), patched('2', patch('zwei', 'two'))], nothing],
  ['another patch', [patched('1', patch('two', 'zwei')), patched('2', patch('zwei', 'due'))], isChanged],
  [
    'a copy that is put back',
    [ran('1', 'cp a.ts /tmp/a.ts'), edited('2', 'a.ts'), ran('3', 'mv /tmp/a.ts a.ts')],
    nothing,
  ],
  [
    'a copy of an edited file that is put back',
    [edited('0', 'a.ts'), ran('1', 'cp a.ts a.bak'), edited('2', 'a.ts'), ran('3', 'cp a.bak a.ts && rm a.bak')],
    isChanged,
  ],
])('after %s it tells what is left', (_what, calls, left) => {
  expect(leftAfter(calls)).toEqual({ ...nothing, ...left });
});

test('takes no file for restored that calls before the log had changed too', () => {
  expect(leftAfter([edited('1', 'a.ts'), ran('2', 'git checkout -- a.ts')], '/work', ['/work/a.ts'])).toEqual(
    isChanged,
  );
});

test('follows many commands of git in little time', () => {
  const lines = ['git commit -m x; ', 'git reset; ', 'git add .; ', 'rm a.ts; ', 'git stash; ', 'git revert HEAD; '];
  const files = Array.from({ length: 400 }, (_, n) => edited(`e${n}`, `src/${n}.ts`));
  const from = process.cpuUsage();
  leftAfter([...files, ...Array.from({ length: 300 }, (_, n) => ran(`c${n}`, lines[n % lines.length]!.repeat(200)))]);
  const { user, system } = process.cpuUsage(from);
  expect((user + system) / 1_000).toBeLessThan(3_000);
});
