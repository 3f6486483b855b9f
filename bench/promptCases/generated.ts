import type { Case } from './facts.ts';
import { stories } from './stories.ts';
import { programs, unwanted, written } from './story.ts';
import { Choice } from './vocabulary.ts';

/** Every story in every program's format. */
export function generatedCases(seed: number): Case[] {
  return Object.entries(stories).flatMap(([name, storyOf], number) =>
    programs.map((program, index) => {
      const { legs, facts, forbidden = [] } = storyOf(new Choice(seed * 1_000 + number * 10 + index), program);
      return {
        name: `${name} (${program})`,
        legs: legs.map(({ steps, reason = '' }, leg) => ({
          text: written(program, { folder: '/home/ada/shop', branch: 'main', steps, leg }),
          reason,
        })),
        facts,
        forbidden: [...forbidden, ...legs.flatMap(({ steps }) => steps.flatMap(unwanted))],
      };
    }),
  );
}
