import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { encodeId, newId } from '../../core/ids.ts';
import { namedIn, termsOf } from './terms.ts';
import { wordsIn } from './words.ts';

const [session, handoff, message] = [newId(), newId(), newId()];
const [sessionId, handoffId, messageId] = [
  encodeId('session', session),
  encodeId('handoff', handoff),
  encodeId('message', message),
];

describe('namedIn', () => {
  test.each([
    ['an id', sessionId, [{ kind: 'SESSION', id: session }]],
    ['an id between blanks', `  ${handoffId}\n`, [{ kind: 'HANDOFF', id: handoff }]],
    [
      'the URL of a page',
      `https://baton.example.com/base/sessions/${sessionId}?tab=log#x`,
      [{ kind: 'SESSION', id: session }],
    ],
    [
      'a URL with two ids, the last one first',
      `http://localhost:4000/sessions/${sessionId}?message=${messageId}`,
      [
        { kind: 'MESSAGE', id: message },
        { kind: 'SESSION', id: session },
      ],
    ],
    ["the URL of an agent's page", 'http://localhost:4000/agents/claude-1?x=1', [{ kind: 'AGENT', id: 'claude-1' }]],
    ['a download', `/handoffs/${handoffId}.md`, [{ kind: 'HANDOFF', id: handoff }]],
  ])('finds the record of %s', (_what, query, named) => {
    expect(namedIn(query)).toEqual(named);
  });

  it.each([
    'claude-1',
    'fix the login',
    `about ${sessionId}`,
    encodeId('turn', newId()),
    '/agents/',
    '/agents/NO!',
    `session_${'z'.repeat(26)}`,
  ])('takes "%s" for words', (query) => {
    expect(namedIn(query)).toEqual([]);
  });
});

describe('termsOf', () => {
  const none = { words: '', endsInWord: false, phrases: [], excluded: [], agents: [], projects: [], tools: [] };

  test.each<[string, object]>([
    ['fix the login', { words: 'fix the login', endsInWord: true }],
    ['fix "the login"', { words: 'fix', phrases: ['the login'] }],
    ['"the login" fix', { words: 'fix', endsInWord: true, phrases: ['the login'] }],
    ['login -test -"flaky one"', { words: 'login', excluded: ['test', 'flaky one'] }],
    [
      'agent:ada Project:"My shop" TOOL:bash x',
      { words: 'x', endsInWord: true, agents: ['ada'], projects: ['My shop'], tools: ['bash'] },
    ],
    ['pre-release a:b agent:', { words: 'pre-release a:b agent:', endsInWord: true }],
    ['"open', { words: '"open', endsInWord: true }],
    ['- ""', { words: '-', phrases: [''] }],
    ['', {}],
  ])('reads %s', (query, expected) => {
    expect(termsOf(query)).toEqual({ ...none, ...expected });
  });

  it('loses no word of any text without quotation marks, prefixes and minus signs', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (given) => {
        const query = given.replaceAll(/["-]|(agent|project|tool):/giu, '');
        expect(wordsIn(termsOf(query).words)).toEqual(wordsIn(query));
      }),
    );
  });
});

describe('wordsIn', () => {
  it('cuts at everything that is neither a letter nor a digit, and makes each CJK character a word', () => {
    expect(wordsIn('server/log/appendTurn.ts “Äpfel” foo_bar — 1e5 登录bug')).toEqual([
      'server',
      'log',
      'appendturn',
      'ts',
      'apfel',
      'foo',
      'bar',
      '1e5',
      '登',
      '录',
      'bug',
    ]);
  });

  it('gives only letters and digits, for any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(wordsIn(text).every((word) => /^[\p{L}\p{N}]+$/u.test(word))).toBe(true);
      }),
    );
  });
});
