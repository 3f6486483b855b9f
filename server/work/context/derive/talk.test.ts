import fc from 'fast-check';
import { expect, test } from 'vitest';
import { tellingOf, withoutAnnouncements } from './talk.ts';

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
  expect(telling(['agent', content], ['agent', 'x'])[0]).toBe(1);
});

const account = `All of it is done: ${'the cookie has a domain, and each reader of it knows it. '.repeat(4)}`;

test.each([
  ['a list of what comes', 'I have the full picture. Let me implement it:\n\n1. the reader\n2. the writer', 0],
  ['a list of what comes, in Chinese', '我先说明。接下来修改三处：\n- 读取\n- 写入', 0],
  ['an announcement of what fails', 'Now fix the broken test for the bug.', 0],
  ['progress and an announcement', 'All 12 tests pass. Now file the bug that I found.', 0],
  ['a list of what was found', 'I found this:\n\n- the cookie has no domain\n- port 6123 is taken', 1],
  ['a list of ways', 'There are two ways:\n1. one table\n2. two tables', 1],
  ['a report below headings', '**Highlights**\n- the reader is written\n\n**Next steps**\n1. the writer', 1],
  ['a reason', 'I keep both tables because rows are few.', 1],
])(
  '%s is told %#: history once the agent gave an account, also after other words of a person',
  (_what, content, told) => {
    expect(telling(['agent', content], ['agent', account])[0]).toBe(told);
    expect(telling(['agent', content], ['agent', 'It is red.'], ['person', 'go on'], ['agent', account])[0]).toBe(told);
    expect(telling(['agent', content], ['person', 'go on'], ['agent', account])[0]).toBe(
      /picture|接下来|Now fix/.test(content) ? 0 : 2,
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
  ).toEqual([1, 2, 1, 2]);
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
