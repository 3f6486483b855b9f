import fc from 'fast-check';
import { expect, test } from 'vitest';
import { findingsIn, isOnlyOf, tellingOf, withoutAnnouncements } from './talk.ts';

const telling = (...said: [who: 'person' | 'agent', content: string][]): (number | undefined)[] => {
  const all = said.map(([who, content], index) => ({ who, content, sequence: index + 1 }));
  const agents = all.filter(({ who }) => who === 'agent');
  const told = tellingOf(
    agents,
    all.filter(({ who }) => who === 'person'),
  );
  return agents.map((message) => told.get(message));
};

test.each([
  'Let me look at the file first.',
  "Now I'll run the tests again.",
  'Good. Next I will check the imports.',
  'Perfect! Now let me verify that it works:',
  "I'm going to search for usages of `x`.",
  'Now run all tests.',
  'Now close the epic since all child tasks are done.',
  'I misread the `ls` output and thought that `a.md` was missing. My apologies.',
  'Good — now commit and push.',
  'Now add the light theme to `app.css`. Then run the tests.',
  'I’m rerunning the focused test, I will report.',
  "Je vais d'abord regarder le code.",
  'Maintenant, je vérifie les tests.',
  'Ich schaue mir zuerst die Startdatei an.',
  'Jetzt lasse ich die Tests laufen.',
  'Ahora voy a ejecutar las pruebas.',
  'Agora vou rodar os testes.',
  'Adesso fammi vedere il file.',
  'Сейчас проверю тесты.',
  '让我先看看代码。',
  '接下来运行测试。',
  'まず起動処理を確認します。次にテストを実行します。',
  '테스트를 실행하겠습니다.',
])('%j only announces the next step', (content) => {
  expect(telling(['agent', content], ['agent', 'Done with it all; 3 are left.'])[0]).toBe(0);
});

test.each([
  'The cookie has no domain.',
  'Good. The bug is in the parser.',
  'My apologies, `a.md` already details it.',
  "I'll keep the old column, since the reader of it is done by others.",
  'I will use one table, because rows are few.',
  'Let me use port 6123 instead of 80.',
  '確認します。',
  'Now the tests pass.',
  'Je corrige en utilisant Temporal, car Date arrondit au mois suivant.',
  'Ich werde ein leeres Objekt liefern, weil die Aufrufer null nicht prüfen.',
  'Voy a usar una tabla, porque hay pocas filas.',
  '让我用一张表，因为行很少。',
  'null を確認しないため、空のオブジェクトを返すように変更します。',
  'テストは通りました。',
  '测试通过了。',
  'Ich habe den Fehler gefunden.',
  'Je suis bloqué.',
  'Next runs fail.',
  "I'm running out of memory because the cache grows.",
  '- Let me look.',
])('%j tells something', (content) => {
  expect(telling(['agent', content], ['agent', 'x'])[0]).toBe(2);
});

const account = `All of it is done: ${'the cookie has a domain, and each reader of it knows it. '.repeat(4)}`;

test.each([
  ['a list of what comes', 'I have the full picture. Let me implement it:\n\n1. the reader\n2. the writer', 0],
  ['a list of what comes, in Chinese', '我先说明。接下来修改三处：\n- 读取\n- 写入', 0],
  ['an announcement of what fails', 'Now fix the broken test for the bug.', 0],
  ['progress and an announcement', 'All 12 tests pass. Now file the bug that I found.', 0],
  ['a list of what was found', 'I found this:\n\n- the cookie has no domain\n- port 6123 is taken', 2],
  ['a list of ways', 'There are two ways:\n1. one table\n2. two tables', 2],
  ['a report below headings', '**Highlights**\n- the reader is written\n\n**Next steps**\n1. the writer', 2],
  ['a reason', 'I keep both tables because rows are few.', 2],
  ['progress that names what was found', 'The fixture has no `agent_id`. Let me look.', 1],
  [
    'progress that tells what was found',
    'The page that is drawn can’t reach the rows of the process that tests it.',
    1,
  ],
  ['progress in Chinese that tells what was found', '测试进程无法访问页面所用的数据库连接，共享模式才行。', 1],
])(
  '%s is told %#: history once the agent gave an account, also after other words of a person',
  (_what, content, told) => {
    expect(telling(['agent', content], ['agent', account])[0]).toBe(told);
    expect(telling(['agent', content], ['agent', 'It is red.'], ['person', 'go on'], ['agent', account])[0]).toBe(told);
    expect(telling(['agent', content], ['person', 'go on'], ['agent', account])[0]).toBe(
      /picture|接下来|Now fix/.test(content) ? 0 : 3,
    );
  },
);

test('prefers the last words before each message of a person, and the newest', () => {
  expect(
    telling(
      ['person', 'a'],
      ['agent', 'One.'],
      ['agent', 'Two.'],
      ['person', 'b'],
      ['agent', 'Three.'],
      ['agent', 'Four.'],
    ),
  ).toEqual([2, 3, 2, 3]);
});

test.each([
  ['All 49 tests pass. Now run credo.', ''],
  ['Clean compile.', ''],
  ['All 141 tests pass (127 of the unit and 14 of the documents), zero issues of any kind.', ''],
  ['I have a clear picture of the current implementation, fixtures, test patterns, and call sites.', ''],
  ['Need `lazy_html` as a dependency. Let me add it.', 'Need `lazy_html` as a dependency.'],
  [
    'The page can’t reach the rows of the other process that tests it. I need to share the connection. Let me fix the setup.',
    'The page can’t reach the rows of the other process that tests it. I need to share the connection.',
  ],
  ['It is there. I need to share the connection.', ''],
  [
    'All tests of the reader pass, but those of the page need an endpoint that the settings of tests do not have.',
    'All tests of the reader pass, but those of the page need an endpoint that the settings of tests do not have.',
  ],
  ['文件在那里。测试进程无法访问 `pool` 的连接。接下来我来修改。', '测试进程无法访问 `pool` 的连接。'],
])('of %j the findings are %j', (content, found) => {
  expect(findingsIn(content)).toBe(found);
});

test('what was found is the same when it is read again', () => {
  const sentence = fc.constantFrom(
    'The fixture has no `agent_id`.',
    'All 49 tests pass.',
    'I need to add it.',
    'Let me look.',
    'The process that draws the page can’t reach the rows of the test.',
    'Like this:',
    '接下来运行测试。',
  );
  fc.assert(
    fc.property(fc.array(sentence, { maxLength: 8 }), fc.constantFrom(' ', '\n\n'), (said, between) => {
      const found = findingsIn(said.join(between));
      expect(findingsIn(found)).toBe(found);
      expect(found).not.toMatch(/Let me|All 49|接下来/);
    }),
  );
});

test('the answer to what a person asked again in the same words is history once that was answered', () => {
  const asked = 'Run the whole set of steps of the plan, and then write down what each of them has changed.';
  const answer = (what: string) => `${what}: ${account}`;
  expect(telling(['person', asked], ['agent', answer('a')], ['person', asked], ['agent', answer('b')])).toEqual([0, 3]);
  expect(telling(['person', asked], ['agent', answer('a')], ['person', asked], ['agent', 'No.'])).toEqual([3, 3]);
  expect(telling(['person', 'go on'], ['agent', answer('a')], ['person', 'go on'], ['agent', answer('b')])).toEqual([
    3, 3,
  ]);
});

test('rates messages by their numbers, not by their place in the list', () => {
  const messages = fc.array(fc.tuple(fc.boolean(), fc.constantFrom('Let me see.', 'It is red.')), { maxLength: 20 });
  fc.assert(
    fc.property(messages, fc.func(fc.nat()), (said, order) => {
      const all = said.map(([person, content], index) => ({ person, content, sequence: index }));
      const shuffled = all.toSorted((a, b) => order(a.sequence) - order(b.sequence));
      const rated = (list: typeof all) => {
        const told = tellingOf(
          list.filter(({ person }) => !person),
          list.filter(({ person }) => person),
        );
        return all.map((message) => told.get(message));
      };
      expect(rated(shuffled)).toEqual(rated(all));
    }),
  );
});

test.each([
  ['All 120 tests pass. Let me also check the build.', 'All 120 tests pass.'],
  ['Clean compile. Now run tests and credo in parallel.', 'Clean compile.'],
  ['Good. The config has no endpoint. I need to add it. Let me also check dev.exs.', 'The config has no endpoint.'],
  ['Let me see.\n\nThe cookie has no domain.\n\nNow fix it.', 'The cookie has no domain.'],
  [
    'I will keep the old column, because rows are few. Let me write it.',
    'I will keep the old column, because rows are few.',
  ],
  ['Let me explain: the cookie has no domain. Now fix it.', 'Let me explain: the cookie has no domain.'],
  ['Found:\n- Let me in\n- now run', 'Found:\n- Let me in\n- now run'],
  [`Let me see. ${'It is so. '.repeat(100)}`, `Let me see. ${'It is so. '.repeat(100)}`],
])('of %j only what it tells stays', (content, told) => {
  expect(withoutAnnouncements(content)).toBe(told);
});

test('whatever is announced around it, what a message tells stays, in order', () => {
  const tells = fc.constantFrom(
    'The cookie has no domain.',
    'Two of 9 tests fail.',
    'Port 6123 is taken.',
    'It works!',
  );
  const announced = fc.constantFrom(
    'Let me see.',
    'Now run the tests.',
    'I’m checking the log.',
    'Good.',
    'Next, I will push.',
  );
  fc.assert(
    fc.property(
      fc.array(fc.oneof(tells, announced), { maxLength: 12 }),
      fc.constantFrom(' ', '\n\n'),
      (said, between) => {
        const told = withoutAnnouncements(said.join(between)).replace(/\s+/g, ' ');
        expect(told).toBe(said.filter((part) => /cookie|fail|taken|works/.test(part)).join(' '));
      },
    ),
  );
});

test.each([
  ['I created `docs/blue.md`.', true],
  ['`docs/blue.md` is created and verified by `ls -l`.', true],
  ['Removed `docs/blue.md`, and `docs/color.md` has it now.', false],
  ['Removed `docs/blue.md`, because the text stands in `color`.', false],
  ['It is created.', false],
])('%j is about nothing but a file of which all is undone: %s', (content, isSo) => {
  expect(isOnlyOf(content, (file) => file === 'docs/blue.md')).toBe(isSo);
});

test.each([
  ['Available tool groups in this session:\n\n- `web`: search\n- `functions`: commands', 0],
  ['Here are the tools I have:\n1. Bash\n2. Read', 0],
  ['The tools of the build are old:\n- webpack 3\n- node 8', 3],
  ['I changed the tool so that it reads all.', 3],
])('%j, then asked for something else, counts as %i', (content, rank) => {
  expect(telling(['person', 'What?'], ['agent', content], ['person', 'Go on.'], ['agent', 'Done.'])[0]).toBe(rank);
  expect(telling(['person', 'What?'], ['agent', content])[0]).toBe(3);
});
