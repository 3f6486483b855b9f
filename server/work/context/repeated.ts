import type { Context, RecentMessage } from './context.ts';
import { weightOf } from './requests.ts';

/** The messages whose words a request or a later message repeats. Of one that was cut it is not known. */
export function toldAgain(
  { originalRequest, latestRequest, recentMessages }: Context,
  replies: ReadonlyMap<number, string>,
): Set<RecentMessage> {
  const keyOf = (role: string, content: string): string => `${role} ${content.trim()}`;
  const told = new Set(
    [originalRequest, latestRequest].flatMap((request) => (request === null ? [] : [keyOf('USER', request.content)])),
  );
  const again = new Set<RecentMessage>();
  for (const message of recentMessages.toReversed()) {
    const { role, content, sequence = 0, shortened } = message;
    if (shortened === true || (role !== 'USER' && role !== 'ASSISTANT')) continue;
    const key = keyOf(role, `${content} ${replies.get(sequence) ?? ''}`);
    if (told.has(key)) again.add(message);
    told.add(key);
  }
  return again;
}

const maxTimes = 5;
/** Of requests that people gave again in the same words after the agent spoke: how often, and in which messages. */
export function timesGiven({ recentMessages }: Context): Map<RecentMessage, string> {
  const asked = new Map<string, { messages: RecentMessage[]; numbers: number[] }>();
  let spoken = 0;
  for (const message of recentMessages) {
    const { role, content, sequence, shortened } = message;
    if (sequence === undefined) continue;
    if (role === 'ASSISTANT') spoken = sequence;
    if (role !== 'USER' || shortened === true || weightOf(content) < 2) continue;
    const { messages, numbers } = asked.get(content.trim()) ?? { messages: [], numbers: [] };
    messages.push(message);
    // One that was sent again at once is one request.
    if (spoken > (numbers.at(-1) ?? -1)) numbers.push(sequence);
    asked.set(content.trim(), { messages, numbers });
  }
  return new Map(
    [...asked.values()]
      .filter(({ numbers }) => numbers.length > 1)
      .flatMap(({ messages, numbers }) => {
        const newest = numbers.slice(-maxTimes).map((number) => `#${number}`);
        const told = ` (given ${numbers.length} times: ${numbers.length > maxTimes ? '…, ' : ''}${newest.join(', ')})`;
        return messages.map((message) => [message, told] as const);
      }),
  );
}

/** A few words as a request, with what they answer. */
export const replied = <M extends { content: string; sequence?: number }>(
  message: M | null,
  replies: ReadonlyMap<number, string>,
): M | null => {
  const to = replies.get(message?.sequence ?? 0);
  return message === null || to === undefined ? message : { ...message, content: `${message.content} (to: ${to})` };
};
