import { plainText } from '../plainText.ts';
import { shorten } from '../shorten.ts';
import { sizeOf } from './talk.ts';

/** A longer message says by itself what it is about. */
const longestReply = 24;
const characters = 80;
/** What a reply answers stands at the end. */
const considered = 2_000;

/** What an agent's message asked or offered, to which a person said so few words that they alone tell nothing; null for other words. */
export function repliedTo(reply: string, message: string): string | null {
  const whole = reply.trim();
  if (whole === '' || whole.startsWith('/')) return null;
  // "Yes, and what of the others?" answers before it asks.
  const clause = /^[^\s,.!;:，。！；：、]{1,12}(?=[,.!;，。！；]\s*\S)/u.exec(whole)?.[0] ?? whole;
  const said = sizeOf(whole) <= longestReply ? whole : clause;
  if (sizeOf(said) > longestReply) return null;
  const text = message.slice(-considered);
  const chosen = /^(?:option |#)?(\d{1,2}|[a-z]{1,2})[.)]?$/i.exec(said)?.[1];
  if (chosen !== undefined) {
    const entry = text
      .split('\n')
      .map((line) => /^\W{0,6}(?:\d{1,2}[.)] \[)?(\d{1,2}|[a-z]{1,2})[.):\]]\W{0,4}\s*(\S.*)$/i.exec(line))
      .findLast((found) => found !== null && found[1]!.toLowerCase() === chosen.toLowerCase());
    if (entry != null) return oneLine(entry[2]!);
  }
  const asked = askedIn(text);
  if (asked === undefined) return null;
  const offers = offersWith(asked, text);
  return offers.length > 1 ? offers.map(oneLine).join('; ') : oneLine(asked);
}

/** What a person answered to a question that the agent asked of people: the entry that they chose, else what it asks. */
export const answeredTo = (answer: string, question: string): string =>
  repliedTo(answer, question) ?? oneLine(askedIn(question.slice(-considered)) ?? question);

function askedIn(text: string): string | undefined {
  const sentences = text.split(/(?<=[.!?])\s+|(?<=[。！？])|\n+/).filter((each) => /[\p{L}\p{N}]/u.test(each));
  const last = sentences.at(-1) ?? '';
  return sentences.findLast((each) => asks.test(each)) ?? (invites.test(last) ? last : undefined);
}

/** More entries are a report. */
const maxOffers = 4;
const entry = /^\s*(?:[-*•]|\d{1,2}[.)])\s+/;
/** The entries of the list in which a question stands last: a reply to it answers all of them. */
function offersWith(asked: string, text: string): string[] {
  const lines = text.trimEnd().split('\n');
  const last = lines.at(-1)!;
  if (!entry.test(last) || !last.includes(asked.trim())) return [];
  const before = lines.findLastIndex((line) => !entry.test(line));
  const offers = lines.slice(before + 1);
  return offers.length > maxOffers || !offers.every((line) => asks.test(line)) ? [] : offers;
}
const asks = /[?？]["'”’)*_\s]*$/;

/** Asks without the mark of a question. */
const invites =
  /\b(?:please|confirm|let me know|tell me|choose|merci|souhait\w*|bitte|confirma\w*)\b|请|確認|ください|확인/i;

const oneLine = (text: string): string => shorten(plainText(text), characters);
