/** How much an agent's message tells its successor: 0 for an announcement of its next step, 2 for the last words before a person's, else 1. */
export type Telling = 0 | 1 | 2;

const longestAside = 280;
/** How a sentence begins that only says what the agent does next, or that it goes on. */
const announces =
  /^(?:(?:now|next|first|then|so|also|ok(?:ay)?|good|great|perfect|excellent|alright|right|sure|nice|done|understood|got it|all good)[,.!:;]?\s*)*(?:(?:let me|let's|i'll|i’ll|i will|i'm going to|i’m going to|i am going to|i need to|i should|i'm now|i’m now|time to|moving on|continuing)\b.*)?$/i;
/** What makes an announcement worth keeping. */
const reasons =
  /\b(?:because|since|instead|rather than|so that|not\b.{1,40}\bbut|decided|found|turns out|must|never|don't|fails?|broken|bug|cause)\b|:\s*\S+.*\d/i;
const sentences = /(?<=[.!:])\s+|\n+/;

const isAside = (content: string): boolean => {
  const text = content.trim();
  if (text.length > longestAside || reasons.test(text)) return false;
  return text.split(sentences).every((sentence) => announces.test(sentence.trim()));
};

/** The newest message of an agent is no aside: its successor goes on from there. */
export function tellingOf<Message extends { sequence: number; content: string }>(
  ofAgents: readonly Message[],
  ofPeople: readonly { sequence: number }[],
): Map<Message, Telling> {
  const answered = ofPeople.map(({ sequence }) => sequence).sort((a, b) => a - b);
  const told = new Map<Message, Telling>();
  let next = answered.length - 1;
  let later = Infinity;
  for (const message of ofAgents.toSorted((a, b) => b.sequence - a.sequence)) {
    while (next >= 0 && answered[next]! > message.sequence) next -= 1;
    const following = answered[next + 1] ?? Infinity;
    told.set(message, isAside(message.content) ? 0 : following < later || later === Infinity ? 2 : 1);
    later = message.sequence;
  }
  return told;
}
