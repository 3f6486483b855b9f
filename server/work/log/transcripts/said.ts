import { apart } from '../../context/ownWords.ts';
import type { Draft, Place } from './draft.ts';
import { fieldsOf, type MessageEntry } from './transcript.ts';

/** How the log records that a person stopped the agent, in every format. */
export const interruption = '[Request interrupted by user]';

/** Adds texts in a person's place: their words as a message of theirs, what a program put there as one of the program. */
export function addSaid(draft: Draft, texts: string[], place: Place): (MessageEntry | null)[] {
  const { own, program } = apart(texts);
  const said = own.length > 0 ? draft.addPersonMessage(own, place) : null;
  return [said, draft.addMessage('SYSTEM', program, place)];
}

/** The texts of content: a text, or a list of texts and of parts with a text. */
export const textsOf = (content: unknown): string[] =>
  (Array.isArray(content) ? (content as unknown[]) : [content]).flatMap((part) => {
    const text = typeof part === 'string' ? part : fieldsOf(part)['text'];
    return typeof text === 'string' ? [text] : [];
  });

/** The output of a command with its exit code, unless that is 0: checks read it. */
export const withExitCode = (code: unknown, output: string): string =>
  typeof code === 'number' && code !== 0 ? `Exit code: ${code}\n${output}` : output;
