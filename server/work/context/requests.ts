import { makesPersona, ownWords, typedWithPrompt } from './ownWords.ts';

/** A user's message, with the fields that select the requests. */
export interface UserMessage {
  sequence: number;
  content: string;
  /** The agent that recorded it in the user's name; null when an operator recorded it, or when unknown. */
  recordedBy: string | null;
}

/** How much of a request a user's message states: 0 for program output and commands to the program, 1 for a single word, a bare command or the path of a file alone, 2 for all else. */
export type Weight = 0 | 1 | 2;

const typed = /^\s*(\/[a-z][\w:-]*)(?:\s+([\s\S]*))?$/i;

/** Commands to the program itself; they request no work, with or without arguments. */
const ofTheProgram = new Set(
  `add-dir agents approvals bashes bug clear color compact config context copy cost diff doctor effort exit export extra-usage fast feedback help hooks ide keybindings
  login logout mcp memory mention model new output-style permissions plugin plugins privacy-settings quit release-notes reload rename resume rewind sandbox skills stats status
  statusline stickers tasks terminal-setup theme todos undo upgrade usage vim`.split(/\s+/),
);

/** Commands that people also type without a slash, and that answer no question. */
const bareWord = /^\s*(?:clear|compact|exit|login|logout|quit)\s*$/i;

/** Which file is meant, also where a terminal broke the line. */
const barePath = /^@?(?=\S*\/)[\p{L}\p{N}._~@/\\+-]+$/u;

const longestPath = 500;

const words = new Intl.Segmenter('und', { granularity: 'word' });
const spaced = /[\p{L}\p{N}]\S*\s+\S*?[\p{L}\p{N}]/u;
/** Counts up to two words, also in languages without spaces between words. */
function wordsIn(text: string): number {
  // The segmenter takes 10 µs, for each of up to 100 messages of a Context.
  if (spaced.test(text.slice(0, 100))) return 2;
  let count = 0;
  for (const { isWordLike } of words.segment(text.slice(0, 500))) {
    if (isWordLike === true) count += 1;
    if (count === 2) break;
  }
  return count;
}

export function weightOf(recorded: string): Weight {
  const content = ownWords(recorded);
  const withPrompt = typedWithPrompt(content);
  if (withPrompt !== null) return wordsIn(withPrompt) > 0 ? 2 : 1;
  const [, name, given = ''] = typed.exec(content) ?? [];
  if (name !== undefined) {
    if (ofTheProgram.has(name.slice(1).toLowerCase())) return 0;
    return wordsIn(given) > 0 ? 2 : 1;
  }
  if (bareWord.test(content)) return 0;
  if (content.length <= longestPath && barePath.test(content.replace(/\s*\n\s*/g, '').trim())) return 1;
  const count = wordsIn(content);
  return count > 1 ? 2 : content.trim() === '' ? 0 : 1;
}

/**
 * The first and the last request: of the messages with the greatest weight. For the first, messages that an operator
 * recorded precede those that an agent recorded in a user's name; of those that are few words, one that sets work comes before an answer that tells
 * nothing, and a persona last. `replies` has the numbers of few words that are told with what they answer. Null when no message states a request; `latest` is
 * null when it is `original`.
 */
export function requestsAmong<Message extends UserMessage>(
  messages: readonly Message[],
  replies: ReadonlySet<number> = new Set(),
): { original: Message | null; latest: Message | null } {
  const weighed = messages
    .map((message) => ({ message, weight: weightOf(message.content) }))
    .filter(({ weight }) => weight > 0);
  const best = (among: typeof weighed, worth: (one: (typeof weighed)[number]) => number): Message[] => {
    const greatest = Math.max(...among.map(worth));
    return among.filter((one) => worth(one) === greatest).map(({ message }) => message);
  };
  const setsWork = ({ message, weight }: (typeof weighed)[number]): number => {
    const own = ownWords(message.content);
    if (weight === 2) return 3;
    if (makesPersona(own)) return 0;
    return replies.has(message.sequence) || typed.test(own) || typedWithPrompt(own) !== null ? 2 : 1;
  };
  const byOperators = weighed.filter(({ message }) => message.recordedBy === null);
  const original = best(byOperators.length > 0 ? byOperators : weighed, setsWork)[0] ?? null;
  const latest = best(weighed, ({ weight }) => weight).at(-1) ?? null;
  return { original, latest: latest === original ? null : latest };
}

/** A shorter text may begin another one by chance. */
const leastResent = 20;
const begun = (text: string): string => text.replace(/\s+/g, ' ').trim();

/** Without messages that the next one repeats from the beginning and goes on: a prompt that was stopped, and sent again with more. */
export function withoutResent<Message extends { content: string }>(messages: readonly Message[]): Message[] {
  return messages.filter(({ content }, index) => {
    const next = messages[index + 1];
    if (next === undefined || next.content.length <= content.length) return true;
    const text = begun(content).replace(/[\s.:;,!?…]+$/, '');
    return text.length < leastResent || !begun(next.content).startsWith(text);
  });
}
