import { redactionsIn } from './build.ts';
import { chainOf, type Context } from './context.ts';
import { itemsOf, type Given } from './items.ts';
import { pack, type Prompt } from './pack.ts';
import type { Move } from './sections.ts';

/** A Context as a text, with the number of secrets that were removed from it. */
export type Preview = Prompt & { redactionCount: number };

type Parties = Pick<Move, 'title' | 'sourceAgentId' | 'targetAgentId'>;
type Budget = Parameters<typeof pack>[2];

/** The facts for the words around the items, as far as the Context knows them. */
export const moveOf = (context: Context, parties: Parties): Move => ({
  ...parties,
  lastSpeaker: context.lastMessage?.agentId ?? null,
  chain: chainOf(context, parties.targetAgentId),
  leftOut: context.leftOut,
});

/** The text that a Handoff would give the next agent. */
export const previewOf = (context: Context, parties: Parties, given: Given, within: Budget): Preview => ({
  ...pack(itemsOf(context, given), moveOf(context, parties), within),
  redactionCount: redactionsIn(context),
});
