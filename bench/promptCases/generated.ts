import { covered } from './checked.ts';
import type { Case } from './facts.ts';
import { decided, stopped } from './decided.ts';
import { found, leftOpen, looked, solved } from './lessons.ts';
import { outputs } from './outputs.ts';
import { replies, soughtInVain, unanswered } from './replies.ts';
import { savedPrompts } from './savedPrompts.ts';
import { answeredFor, ofOne, sideBySide } from './subAgents.ts';
import { askedTwice, carriedOutElse, chosen, ticked } from './states.ts';
import { stories, type Story } from './stories.ts';
import { completed, cutLast, partlyDone } from './superseded.ts';
import { takenBack } from './takenBack.ts';
import { seenTree, uncommitted } from './trees.ts';
import { type Program, programs, unwanted, written } from './story.ts';
import { Choice } from './vocabulary.ts';

/** Every story in every program's format. */
export function generatedCases(seed: number): Case[] {
  const all: Record<string, (c: Choice, program: Program) => Story> = {
    ...stories,
    'outputs that are no plain text': outputs,
    'what people decided': decided,
    'what a person stopped': stopped,
    'saved prompts of a project': savedPrompts,
    'short replies and other languages': replies,
    'what was sought in vain': soughtInVain,
    'sub-agents side by side': sideBySide,
    'a sub-agent that was answered for': answeredFor,
    'the work of one sub-agent': ofOne,
    'work that was taken back': takenBack,
    'a tree that was seen before later work': seenTree,
    'work that nobody committed': uncommitted,
    'checks before later changes': covered,
    'a last request without an answer': unanswered,
    'states before all was done': completed,
    'states before a part was done': partlyDone,
    'a window that was cut last': cutLast,
    'what was found on the way': found,
    'what failed and what worked instead': solved,
    'what is left open': leftOpen,
    'a list that was ticked': ticked,
    'what was chosen of a persona': chosen,
    'a request that was given twice': askedTwice,
    'what was carried out in another way': carriedOutElse,
    'what was looked at': looked,
  };
  return Object.entries(all).flatMap(([name, storyOf], number) =>
    programs.map((program, index) => {
      const {
        legs,
        facts,
        forbidden = [],
        sidechain = false,
      } = storyOf(new Choice(seed * 1_000 + number * 10 + index), program);
      return {
        name: `${name} (${program})`,
        legs: legs.map(({ steps, reason = '' }, leg) => ({
          text: written(program, { folder: '/home/ada/shop', branch: 'main', steps, leg }),
          reason,
        })),
        sidechain,
        facts,
        forbidden: [...forbidden, ...legs.flatMap(({ steps }) => steps.flatMap(unwanted))],
      };
    }),
  );
}
