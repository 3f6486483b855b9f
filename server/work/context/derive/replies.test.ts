import fc from 'fast-check';
import { expect, test } from 'vitest';
import { repliedTo } from './replies.ts';

const offer = 'Renamed. I can also:\n1. Write a **migration**\n2) Update the seeds\n\nWhich one?';

test.each([
  ['1', offer, 'Write a migration'],
  ['2.', offer, 'Update the seeds'],
  ['both', offer, 'Which one?'],
  ['7', offer, 'Which one?'],
  ['CR', '4) [CR] Code Review: all of it\n5) [PM] Party', 'Code Review: all of it'],
  ['yes', 'Done. Shall I also:\n- show the hosts?\n- add it offline?', 'show the hosts?; add it offline?'],
  ['yes', 'Done.\n- It is fast.\n- Shall I add it?', 'Shall I add it?'],
  ['no', 'The view stays. Should I drop it in 005? I would not.', 'Should I drop it in 005?'],
  ['可以', '变更如下。\n请确认允许我应用补丁。', '请确认允许我应用补丁。'],
  ['可以，这样的话doctor还有必要保留吗', '已实现。\n- 增加 `--offline` 选项？', '增加 --offline 选项？'],
  ['Yes, but what happens then to the tests of the doctor?', 'Done. Shall I drop it?', 'Shall I drop it?'],
  ['oui', 'C’est fait. Souhaites-tu que je traite ces corrections ?', 'Souhaites-tu que je traite ces corrections ?'],
])('%j is told with what it answers', (reply, message, to) => {
  expect(repliedTo(reply, message)).toBe(to);
});

test.each([
  ['go on', 'Step 3 is done.'],
  ['Keep the module and mark it deprecated.', 'Shall I delete it?'],
  ['/compact', 'Shall I delete it?'],
  ['In that case, keep the module and mark it deprecated.', 'Shall I delete it?'],
  ['yes', ''],
  ['', 'Shall I?'],
])('%j after %j stands alone', (reply, message) => {
  expect(repliedTo(reply, message)).toBeNull();
});

test('what a reply answers is one short line of the message', () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 300, unit: 'grapheme' }), fc.constantFrom('1', 'yes', 'b'), (message, reply) => {
      const to = repliedTo(reply, `${message}\nShall I?`) ?? '';
      expect(to.length).toBeLessThanOrEqual(4 * 82);
      expect(to).not.toContain('\n');
    }),
  );
});
