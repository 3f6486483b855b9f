import fc from 'fast-check';
import { expect, test } from 'vitest';
import { edited, ran, workOf } from '../../../../test/recordedLogs.ts';
import { changedBy, readActions } from './actions.ts';
import { standingOf } from './standing.ts';

const changed = (...calls: Parameters<typeof workOf>): string[] =>
  readActions(workOf(...calls)).list.flatMap((action) =>
    changedBy(action, '/work').map((file) => file.replace(/^\/work\//, '')),
  );
const patch = (file: string) => `--- a/${file}\n+++ b/${file}\n@@ -1 +1 @@\n-a\n+b\n`;

test.each<[line: string, files: string[], output?: string]>([
  ["cat > src/a.ts <<'EOF'\nx > y\nEOF", ['src/a.ts']],
  ['echo x >> a.md && printf y >| b.md 2>/dev/null', ['a.md', 'b.md']],
  ["sed -i 's/a/b/' a.ts b.ts", ['a.ts', 'b.ts']],
  ["sed -i.bak -e 's/a/b/' -e 's/c/d/' a.ts", ['a.ts']],
  ["sed -i '' 's/a/b/' a.ts", ['a.ts']],
  ["sed -n 's/a/b/p' a.ts", []],
  ["perl -pi -e 's/a/b/' a.ts", ['a.ts']],
  ['cat x | tee -a a.md b.md > /dev/null', ['a.md', 'b.md']],
  ['mv a.ts src/b.ts', ['a.ts', 'src/b.ts']],
  ['mv a.ts b.ts src', ['a.ts', 'b.ts', 'src/a.ts', 'src/b.ts']],
  ['git mv a.ts src/', ['a.ts', 'src/a.ts']],
  ['cp a.ts b.ts', ['b.ts']],
  ['rm -f a.ts && git rm b.ts', ['a.ts', 'b.ts']],
  ['rm -rf dist node_modules/x', []],
  ['touch src/{a,b}.ts', ['src/a.ts', 'src/b.ts']],
  ['for f in a.ts b.ts; do sed -i s/x/y/ "$f"; done', ['a.ts', 'b.ts']],
  ["bash -lc 'cd src && echo x > a.ts'", ['src/a.ts']],
  [`git apply - <<'EOF'\n${patch('src/a.ts')}EOF`, ['src/a.ts']],
  ['patch -p1 < a.diff', ['src/a.ts'], 'patching file src/a.ts\n'],
  ["apply_patch <<'P'\ncut", ['a.ts', 'b.ts'], 'Success. Updated the following files:\nA a.ts\nM b.ts\n'],
  ['cat log', [], 'Success. Updated the following files:\nM b.ts\n'],
  ['npx prettier --write .', ['a.ts'], 'a.ts 12ms\nb.ts 3ms (unchanged)\n'],
  ['npx prettier --check .', [], 'a.ts 12ms\n'],
  ['black .', ['a.py'], 'reformatted a.py\nAll done!\n'],
  ['gofmt -l -w .', ['a.go'], 'a.go\n'],
  ["python3 - <<'EOF'\np = Path('a.py')\np.write_text('x')\nopen('b.txt', 'w')\nopen('c.txt')\nEOF", ['b.txt', 'a.py']],
  [`node -e "require('fs').writeFileSync('a.json', '{}')"`, ['a.json']],
  ['npm test > test.log 2>&1; cat a > /tmp/b; ls > $OUT', []],
  ['curl -so data/a.json localhost', []],
  ['curl -s -o data/a.json localhost', ['data/a.json']],
])('%j changes %j', (line, files, output = '') => {
  expect(changed(ran('a', line, { result: output }))).toEqual(files);
});

test('counts no patch, edit or command that failed or was refused, but what a line did before it failed', () => {
  expect(
    changed(
      edited('a', 'a.ts', 'String to replace not found'),
      ran('b', "sed -i 's/a/b/' b.ts", { error: "Exit code 2\nsed: can't read b.ts" }),
      ran('c', 'echo x > c.ts', { error: "The user doesn't want to proceed with this tool use." }),
      ran('d', "apply_patch <<'EOF'\n*** Begin Patch\n*** Update File: d.ts\n*** End Patch\nEOF", {
        error: 'apply_patch verification failed: no such lines',
      }),
      ran('e', 'echo x > e.ts', {}),
      ran('f', "cat > f.ts <<'EOF'\nx\nEOF\nnpm test", { error: 'Exit code 1\n1 failed' }),
    ),
  ).toEqual(['f.ts']);
});

test('finds each changed file under its own name, in whatever way and order', () => {
  const name = fc.stringMatching(/^[a-z]{1,8}(\/[a-z]{1,8}){0,2}\.(ts|md|py)$/);
  const ways: ((file: string) => string)[] = [
    (file) => `cat > ${file} <<'EOF'\n> other.ts\nEOF`,
    (file) => `echo "a > b" >> "${file}"`,
    (file) => `sed -i "s|x|y|g" ${file}`,
    (file) => `true | tee '${file}'`,
    (file) => `rm ${file}`,
    (file) => `cd /work && touch ${file}`,
  ];
  fc.assert(
    fc.property(fc.array(fc.tuple(name, fc.constantFrom(...ways)), { maxLength: 12 }), (files) => {
      const calls = files.map(([file, way], index) => ran(`c${index}`, way(file)));
      expect(changed(...calls)).toEqual(files.map(([file]) => file));
    }),
  );
});

test('a file is gone when its last change removed it or moved it away, in whatever way and order', () => {
  const name = fc.constantFrom('a.ts', 'src/b.ts', 'c.md');
  const ways: [isGone: boolean, way: (file: string) => string][] = [
    [true, (file) => `rm -f ${file}`],
    [true, (file) => `git rm -q ${file}`],
    [true, (file) => `mv ${file} other/moved.txt`],
    [true, (file) => `echo x > ${file} && unlink ${file}`],
    [true, (file) => `apply_patch <<'EOF'\n*** Begin Patch\n*** Delete File: ${file}\n*** End Patch\nEOF`],
    [false, (file) => `echo x > ${file}`],
    [false, (file) => `rm ${file} && touch ${file}`],
    [false, (file) => `touch ${file} && git rm --cached ${file}`],
    [false, (file) => `apply_patch <<'EOF'\n*** Begin Patch\n*** Add File: ${file}\n+x\n*** End Patch\nEOF`],
  ];
  fc.assert(
    fc.property(fc.array(fc.tuple(name, fc.constantFrom(...ways)), { maxLength: 12 }), (steps) => {
      const last = new Map(steps.map(([file, [isGone]]) => [`/work/${file}`, isGone]));
      const calls = steps.map(([file, [, way]], index) => ran(`c${index}`, way(file)));
      const before = [...last.keys()].map((file, index) => edited(`b${index}`, file));
      const { gone } = standingOf(readActions(workOf(...before, ...calls)), [...last.keys()]);
      expect([...gone].filter((file) => last.has(file)).sort()).toEqual(
        [...last].flatMap(([file, isGone]) => (isGone ? [file] : [])).sort(),
      );
    }),
  );
  // A patch that was refused removes nothing.
  const refused = ran('r', "apply_patch <<'EOF'\n*** Begin Patch\n*** Delete File: a.ts\n*** End Patch\nEOF", {
    error: 'apply_patch verification failed',
  });
  expect(standingOf(readActions(workOf(ran('w', 'echo x > a.ts'), refused)), ['a.ts']).gone).toEqual(new Set());
});

const files = ['src/a.ts', 'src/deep/b.ts', 'src/c.md', 'lib/src/d.ts', 'e.ts'];
test.each<[line: string, gone: string[], output?: string]>([
  ['rm -r src', ['src/a.ts', 'src/deep/b.ts', 'src/c.md']],
  ['rm -rf ./src/', ['src/a.ts', 'src/deep/b.ts', 'src/c.md']],
  ['rm -rf /work/src/deep', ['src/deep/b.ts']],
  ['cd lib && rm -rf src', ['lib/src/d.ts']],
  ['rm -rf src/*', ['src/a.ts', 'src/deep/b.ts', 'src/c.md']],
  ['git rm -rq src/deep', ['src/deep/b.ts']],
  ['git rm -r --cached src', []],
  ['rm src', []],
  ['git clean -fd', ['src/deep/b.ts', 'e.ts'], 'Removing e.ts\nRemoving src/deep/\n'],
  ['git clean -nd', [], 'Would remove e.ts\n'],
  ["find src -name '*.ts' -delete", ['src/a.ts', 'src/deep/b.ts']],
  ["find . -type f -name '*.md' -exec rm -f {} +", ['src/c.md']],
  ['find src -delete', ['src/a.ts', 'src/deep/b.ts', 'src/c.md']],
  ["find src -name '*.ts' -mtime +3 -delete", []],
  ["find src -name '*.ts'", []],
])('%j removes of the changed files %j', (line, gone, output = '') => {
  const calls = files.map((file, index) => edited(`w${index}`, file));
  const inRoot = (paths: readonly string[]): string[] => paths.map((path) => `/work/${path}`).sort();
  const after = (...more: Parameters<typeof workOf>): string[] =>
    [...standingOf(readActions(workOf(...calls, ran('r', line, { result: output }), ...more)), files).gone]
      .filter((file) => files.includes(file.slice('/work/'.length)))
      .sort();
  expect(after()).toEqual(inRoot(gone));
  expect(after(...files.map((file, index) => edited(`n${index}`, file)))).toEqual([]);
});

test.each<[line: string, files: string[], output?: string]>([
  ['npm install zod', ['package.json', 'package-lock.json']],
  ['npm i -D vitest@3', ['package.json', 'package-lock.json']],
  ['npm uninstall zod', ['package.json', 'package-lock.json']],
  ['npm install', []],
  ['npm ci', []],
  ['npm install -g zod', []],
  ['npm update', ['package-lock.json']],
  ['cd web && pnpm add zod', ['web/package.json', 'web/pnpm-lock.yaml']],
  ['yarn add zod', ['package.json', 'yarn.lock']],
  ['bun add zod', ['package.json', 'bun.lock']],
  ['bun install', ['bun.lock'], 'bun install v1.3.9\nSaved lockfile\n'],
  ['bun install', [], 'Checked 48 installs\n'],
  ['cargo add serde --features derive', ['Cargo.toml', 'Cargo.lock']],
  ['cargo update', ['Cargo.lock']],
  ['poetry add httpx', ['pyproject.toml', 'poetry.lock']],
  ['uv add httpx', ['pyproject.toml', 'uv.lock']],
  ['uv lock', ['uv.lock']],
  ['composer require a/b', ['composer.json', 'composer.lock']],
  ['go get example.com/x@v2', ['go.mod', 'go.sum']],
  ['go mod tidy', ['go.mod', 'go.sum']],
  ['mix deps.get', ['mix.lock'], 'Resolving Hex dependencies...\nNew:\n  credo 1.7.0\n'],
  ['mix deps.get', [], 'All dependencies have been fetched\n'],
  ['npm run build', []],
  ['go test ./...', []],
])('a package manager changes by %j the files %j', (line, named, output = '') => {
  expect(changed(ran('a', line, { result: output }))).toEqual(named);
});

test('needs little time for lines that multiply their words', () => {
  const lines = [
    `touch ${'{a,b}'.repeat(700)}`,
    `for f in ${'a '.repeat(600)}; do ${'rm $f; '.repeat(400)}done`,
    `node -e "${'a = "b"; '.repeat(400)}"`,
    `mv ${'a.ts '.repeat(800)}`,
  ];
  const from = process.cpuUsage();
  readActions(workOf(...Array.from({ length: 300 }, (_, n) => ran(`c${n}`, lines[n % lines.length]!))));
  const { user, system } = process.cpuUsage(from);
  expect((user + system) / 1_000).toBeLessThan(3_000);
});
