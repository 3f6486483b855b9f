import fc from 'fast-check';
import { expect, test } from 'vitest';
import { edited, ran, workOf } from '../../../../test/recordedLogs.ts';
import { changedBy, goneFiles, readActions } from './actions.ts';

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
    [false, (file) => `git rm --cached ${file}`],
    [false, (file) => `apply_patch <<'EOF'\n*** Begin Patch\n*** Add File: ${file}\n+x\n*** End Patch\nEOF`],
  ];
  fc.assert(
    fc.property(fc.array(fc.tuple(name, fc.constantFrom(...ways)), { maxLength: 12 }), (steps) => {
      const last = new Map(steps.map(([file, [isGone]]) => [`/work/${file}`, isGone]));
      const calls = steps.map(([file, [, way]], index) => ran(`c${index}`, way(file)));
      const gone = goneFiles(readActions(workOf(...calls)));
      expect([...gone].filter((file) => last.has(file)).sort()).toEqual(
        [...last].flatMap(([file, isGone]) => (isGone ? [file] : [])).sort(),
      );
    }),
  );
  // A patch that was refused removes nothing.
  const refused = ran('r', "apply_patch <<'EOF'\n*** Begin Patch\n*** Delete File: a.ts\n*** End Patch\nEOF", {
    error: 'apply_patch verification failed',
  });
  expect(goneFiles(readActions(workOf(ran('w', 'echo x > a.ts'), refused)))).toEqual(new Set());
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
