import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { describe, expect, it } from 'vitest';
import { changesOf, linesOfDiff, type FileChanges } from './changes.ts';
import Markdown from './Markdown.tsx';
import { hashOf, placeOf } from './place.ts';

describe('a place in a log', () => {
  it('is a message or a call in the fragment of an address', () => {
    for (const [hash, place] of [
      ['#message-42', { message: 42, call: null }],
      ['#message-42-call-3', { message: 42, call: 3 }],
    ] as const) {
      expect(placeOf(hash)).toEqual(place);
      expect(hashOf(place)).toBe(hash);
    }
    for (const hash of ['', '#', '#message-0', '#message-1x', '#message-4-call-', '#other'])
      expect(placeOf(hash)).toBeNull();
  });
});

describe('the changes in the arguments of a call', () => {
  const drawn = (changes: readonly FileChanges[]) =>
    changes.map(({ path, kind, lines }) => [
      `${kind} ${path}`,
      ...lines.map((line) => `${{ ADDED: '+', REMOVED: '-', SAME: ' ', PLACE: '@' }[line.kind]}${line.text}`),
    ]);

  it('are differences for edits, added lines for files that are written', () => {
    expect(drawn(changesOf({ file_path: 'a.ts', old_string: 'one\ntwo\n', new_string: 'one\n2\nthree\n' }))).toEqual([
      ['CHANGED a.ts', ' one', '-two', '+2', '+three'],
    ]);
    expect(
      drawn(
        changesOf({
          file_path: 'a.ts',
          edits: [
            { old_string: 'a', new_string: 'b' },
            { old_string: 'c', new_string: '' },
          ],
        }),
      ),
    ).toEqual([
      ['CHANGED a.ts', '-a', '+b'],
      ['CHANGED a.ts', '-c'],
    ]);
    expect(drawn(changesOf({ file_path: 'new.md', content: '# New\n\ntext\n' }))).toEqual([
      ['WRITTEN new.md', '+# New', '+', '+text'],
    ]);
    const long = Array.from({ length: 40 }, (_, index) => `line ${index}`);
    const edited = long.with(2, 'first').with(30, 'second');
    expect(
      drawn(changesOf({ path: 'l', old_str: long.join('\n'), new_str: edited.join('\n') }))[0]!.filter(
        (line) => !line.startsWith(' '),
      ),
    ).toEqual(['CHANGED l', '-line 2', '+first', '@⋯', '-line 30', '+second']);
  });

  it('are those of a patch, whether it is the input or part of a command', () => {
    const patch =
      '*** Begin Patch\n*** Update File: src/a.ts\n@@ function a()\n keep\n-old\n+new\n*** Add File: b.ts\n+first\n*** Delete File: c.ts\n*** End Patch';
    const files = [
      ['CHANGED src/a.ts', '@function a()', ' keep', '-old', '+new'],
      ['WRITTEN b.ts', '+first'],
      ['DELETED c.ts'],
    ];
    expect(drawn(changesOf(patch))).toEqual(files);
    expect(drawn(changesOf({ command: ['bash', '-lc', `apply_patch <<'EOF'\n${patch}\nEOF`] }))).toEqual(files);
  });

  it('are none for other arguments', () => {
    for (const given of [null, 'ls', 5, [], {}, { command: 'ls' }, { file_path: 'a.ts' }, { content: 'x' }])
      expect(changesOf(given)).toEqual([]);
  });

  it('come in time for texts that have nothing in common', () => {
    const text = (mark: string) => Array.from({ length: 8_000 }, (_, index) => `${mark}${index}`).join('\n');
    const began = performance.now();
    expect(changesOf({ path: 'x', old_str: text('a'), new_str: text('b') })[0]!.lines).toHaveLength(16_000);
    expect(performance.now() - began).toBeLessThan(1_500);
  });

  it('recognise the output of git diff', () => {
    expect(linesOfDiff('diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n')!.map(({ kind }) => kind)).toEqual(
      ['PLACE', 'PLACE', 'PLACE', 'PLACE', 'REMOVED', 'ADDED'],
    );
    expect(linesOfDiff('- a list\n+ of things')).toBeNull();
  });
});

describe('recorded Markdown', () => {
  const html = (text: string): string => renderToStaticMarkup(createElement(Markdown, { text }));

  it('becomes elements', () => {
    expect(html('# Title\n\nSome **bold** *text* with `code`.')).toMatch(
      /<p[^>]*>Title<\/p><p>Some <strong>bold<\/strong> <em>text<\/em> with <code>code<\/code>\.<\/p>/,
    );
    expect(html('- [x] done\n- [ ] open\n\n3. third')).toMatch(
      /<ul><li[^>]*>☑ done<\/li><li[^>]*>☐ open<\/li><\/ul><ol start="3"><li>third<\/li><\/ol>/,
    );
    expect(html('```ts\nconst a = "<b>";\n```')).toMatch(
      /<pre[^>]*data-language="ts"[^>]*><code>const a = &quot;&lt;b&gt;&quot;;<\/code><\/pre>/,
    );
    expect(html('| a | b |\n|---|---|\n| 1 | 2 |')).toMatch(/<th scope="col">a<\/th>.*<td>2<\/td>/);
  });

  it('never becomes HTML, an image or a script, and keeps what it leaves as it is written', () => {
    for (const text of [
      '<img src=x onerror=alert(1)>',
      'a <script>alert(1)</script> b',
      '![spy](https://example.org/x.png)',
      '[here](javascript:alert(1))',
      '[here](data:text/html,x)',
      '[file](file:///etc/passwd)',
      '[near](/sessions)',
    ]) {
      expect(html(text)).not.toMatch(/<(img|script|a|svg|iframe)\b/);
      expect(html(text).replaceAll('&lt;', '<').replaceAll('&gt;', '>')).toContain(text);
    }
  });

  it('shows where a link leads', () => {
    expect(html('[your bank](https://example.org/evil)')).toMatch(
      /<a href="https:\/\/example.org\/evil" target="_blank" rel="noreferrer nofollow">your bank<\/a><span[^>]*> \(https:\/\/example.org\/evil\)<\/span>/,
    );
    expect(html('https://example.org/x')).not.toContain('(https');
  });

  it('shows what is too deep or too long as it is written', () => {
    expect(html(`${'> '.repeat(5_000)}deep`)).toContain('deep');
    expect(html(`${'*a '.repeat(3_000)}`)).toContain('*a');
    expect(html(`**${'x'.repeat(200_000)}**`)).not.toContain('<strong>');
  });
});
