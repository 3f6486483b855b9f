import { shorten } from '../shorten.ts';
import type { Actions } from './actions.ts';
import { programOf } from './commands.ts';
import type { Finding } from './findings.ts';

export const maxCommits = 10;
const lineCharacters = 200;
const made = /^\[\S+(?: \S+)*? ([0-9a-f]{7,40})\] (.+)$/gm;

/** The newest commits that the log made and no message names, oldest first, each with its subject: why its files changed. */
export function commitsOf({ list }: Actions, messages: string): Finding[] {
  const found = new Map<string, Finding>();
  for (const { command, parts, ending, output, call } of list) {
    if (command === null || ending !== 'PASSED' || !parts.some((part) => programOf(part).program === 'git')) continue;
    for (const [, hash, subject] of output.slice(0, 4_000).matchAll(made))
      if (!messages.includes(hash!.slice(0, 7)))
        found.set(hash!, {
          line: shorten(`commit ${hash!}: ${subject!.trim()}`, lineCharacters),
          command: 'git commit',
          callId: call.callId,
        });
  }
  return [...found.values()].slice(-maxCommits);
}
