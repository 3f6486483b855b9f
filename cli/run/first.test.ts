import { expect, it } from 'vitest';
import { firstOf, type Suggestion } from './first.ts';

const suggestion = (id: string, words: number, paths: number, collaborators: string[] = []): Suggestion => ({
  agent: { id, collaborators: collaborators.map((other) => ({ id: other })) },
  factors: [
    { name: 'PATH_SUCCESS', value: paths, weight: 0.4, explanation: 'paths' },
    { name: 'SHARED_WORDS', value: words, weight: 0.3, explanation: `words of ${id}` },
  ],
});

it('chooses by the words of the request, not by who was handed work before', () => {
  expect(firstOf([suggestion('writer', 0, 1), suggestion('planner', 0.5, 0)])).toEqual({
    agentId: 'planner',
    confidence: 0.15,
    explanation: 'words of planner',
  });
});

it('chooses of equals the one to which the fewest hand off', () => {
  const team = [
    suggestion('critic', 0, 1, ['writer']),
    suggestion('planner', 0, 0, ['writer']),
    suggestion('writer', 0, 1, ['critic']),
  ];
  expect(firstOf(team)).toMatchObject({ agentId: 'planner', confidence: 0 });
});

it('is as sure as it can be of the only one, and chooses nobody of nobody', () => {
  expect(firstOf([suggestion('writer', 1, 0)])).toMatchObject({ agentId: 'writer', confidence: 0.3 });
  expect(firstOf([])).toBeNull();
});
