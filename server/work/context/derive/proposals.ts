import { reportsDone } from './accounts.ts';
import { isAccount, sizeOf } from './talk.ts';

const proposes =
  /\b(?:propos(?:al|e[sd]?|ing)|suggest(?:ion|ed|s)?|recommend(?:ation|ed|s)?|plan|approach|should i|shall i|would you like|do you want|if you (?:want|like|agree))\b|(?<!\p{L})(?:vorsch\p{L}+|soll ich|je propose|souhait\p{L}+|propongo|quieres|предлага\p{L}+)(?!\p{L})|建议|方案|计划|准备这样|需要我|请确认|提案|しましょうか|할까요/iu;
/** Also by an order to do it: "create the beads". */
const agrees =
  /^\W*(?:(?:yes|yep|yeah|ok(?:ay)?|sure|go(?: ahead| on|)|do (?:it|that|so|all)|please do|sounds good|looks good|lgtm|agreed|approved|(?:now )?(?:create|implement|apply|proceed|execute|start|begin|ship)|oui|d'accord|ja|gern|sí|vale|sim|да|давай)(?!\p{L})|好|可以|行|是的|同意|确认|嗯|はい|お願い|네|좋)/iu;
/** A person who agrees in more words asks for something else too. */
const longestAnswer = 60;

interface Said {
  sequence: number;
  role: string;
  content: string;
}

/**
 * Proposals of the agent to which people agreed right after it, and the number of the message in which the agent then reported that work was done: the
 * last words before a person's. That message tells what is so, where the two differ.
 */
export function carriedOut(messages: readonly Said[]): Map<number, number> {
  const said = messages.filter(({ role }) => role === 'USER' || role === 'ASSISTANT');
  const found = new Map<number, number>();
  // From the end, so that each message is looked at once.
  let account: number | null = null;
  for (let at = said.length - 1; at >= 0; at -= 1) {
    const { role, content, sequence } = said[at]!;
    const next = said[at + 1];
    if (role === 'USER') {
      if (sizeOf(content) > longestAnswer) account = null;
      continue;
    }
    if (next !== undefined && next.role !== 'USER') continue;
    if (account !== null && next !== undefined && agrees.test(next.content) && proposes.test(content))
      found.set(sequence, account);
    // A few words are about a step.
    if (reportsDone(content) && isAccount(content)) account = sequence;
  }
  return found;
}
