import { saysDone, saysLeft } from './accounts.ts';
import type { RecordedMessage } from './log.ts';
import { isAccount, sizeOf } from './talk.ts';

/** How much of a state that was told before an agent's later words replaced: nothing, what it was about to do, or all of it. */
export type Replaced = 'NOTHING' | 'NEXT_STEP' | 'ALL';

/** A shorter account is about a part of the work. */
const longestRemark = 400;
const refersToPlan =
  /\b(?:plans?|phases?|steps?|stages?|milestones?|part \d)\b|(?<!\p{L})(?:étapes?|schritte?|pasos?|fases?|этап\p{L}*|план\p{L}*)(?!\p{L})|计划|步骤|阶段|計画|手順|단계|계획/iu;

/**
 * What the messages after a number replaced of a state that was told there: an account of completion replaces all of it, another account
 * the next step. Accounts are the last words before a person's, the newest of all, and the newest longer
 * one. Without `ofAll` they need not say that all is done, for a state that had one thing left.
 */
export function replacedSince(sequence: number, messages: readonly RecordedMessage[], ofAll = true): Replaced {
  const later = messages.filter(
    (message) => message.sequence > sequence && (message.role === 'USER' || message.role === 'ASSISTANT'),
  );
  const said = later.filter(({ role, content }) => role === 'ASSISTANT' && isAccount(content));
  const newest = said.at(-1);
  if (newest === undefined) return 'NOTHING';
  const beforePeople = later.filter(
    ({ role, content }, at) => role === 'ASSISTANT' && later[at + 1]?.role === 'USER' && isAccount(content),
  );
  const report = said.findLast(({ content }) => sizeOf(content) >= longestRemark);
  const ends = saysLeft(newest.content) ? beforePeople : [...beforePeople, newest, ...(report ? [report] : [])];
  return ends.some(({ content }) => saysDone(content, ofAll)) ? 'ALL' : 'NEXT_STEP';
}

/** Whether a plan that people approved is history: the agent said that it is done, and nobody spoke of its parts since. */
export const isPlanDone = (sequence: number, messages: readonly RecordedMessage[]): boolean =>
  replacedSince(sequence, messages) === 'ALL' &&
  !messages.some(
    (message) => message.role === 'USER' && message.sequence > sequence && refersToPlan.test(message.content),
  );

/** What programs write around a summary of a cut window, and the thoughts before it. */
const wrapping = [
  /^This session is being continued from a previous conversation[^\n]*\n+/,
  /^(?:<analysis>[^]*?<\/analysis>|Analysis:\n[^]*?\n(?=Summary:\n))/,
  /^(?:<summary>|Summary:\n)/,
  /\n(?:If you need specific details from before compaction|Please continue the conversation from where)[^]*$/,
  /<\/summary>$/,
];

interface Section {
  title: string;
  text: string;
}

/** A title on a line of its own: of a list with numbers, of Markdown, in bold, or an element. */
const titled =
  /^(?:(\d{1,2})\. ([^\n]{3,60}):|(#{1,4}) +(?:\d+\.? )?([^\n]{3,60})|\*\*([^*\n]{3,60})\*\*:?|<([a-z_]{3,40})>)$/;
const isCurrent =
  /^(?:optional |immediate |recommended )?(?:current (?:work|state|status|task|plan|focus)|next (?:steps?|actions?))\b/i;
const isPending =
  /^(?:pending|remaining|open|outstanding) (?:tasks?|work|items?|todos?)\b|^to-?dos?\b|^(?:work )?in progress\b/i;
const isOfPeople = /^all user messages\b/i;
const isConcept = /^key (?:technical )?concepts\b/i;
const isRequest = /^(?:primary request|overall goal|goal\b)/i;
const isCode = /^files? (?:and code|and directories|system state)\b|^files?\b/i;
/** An entry of a list that tells a state in capitals, with what is indented below it. */
const openEntry =
  /^ *[-*\d.]+ [^\n]*\b(?:CURRENT|UNRESOLVED|UNSOLVED|Unsolved|BLOCKING|Currently|IN PROGRESS|NOT (?:YET )?(?:DONE|COMMITTED))\b[^\n]*(?:\n {5,}[^\n]*)*\n?/gm;
const codeBlock = /^ *(`{3,})[^\n]*\n[^]*?\n *\1 *$\n?/gm;

/**
 * The summary of a cut window as far as it is still true: what is to be done first, names of techniques last. Leaves out what later words replaced, code
 * that a successor reads again, and people's words when the log has those from before the summary (`knowsPeople`).
 */
export function summaryNow(summary: string, replaced: Replaced, knowsPeople: boolean): string {
  const text = wrapping.reduce((rest, part) => rest.trim().replace(part, ''), summary).trim();
  const { head, sections } = sectionsOf(text);
  if (sections.length < 3) return text;
  const isHistory = ({ title }: Section): boolean =>
    (knowsPeople && isOfPeople.test(title)) ||
    (replaced !== 'NOTHING' && isCurrent.test(title)) ||
    (replaced === 'ALL' && (isPending.test(title) || isCode.test(title) || (knowsPeople && isRequest.test(title))));
  const rank = ({ title }: Section): number =>
    isCurrent.test(title) || isPending.test(title) ? 0 : isConcept.test(title) ? 2 : 1;
  const told = sections
    .filter((section) => !isHistory(section))
    .sort((a, b) => rank(a) - rank(b))
    .map(({ title, text: body }) => {
      const words = isCode.test(title) ? body.replace(codeBlock, '') : body;
      const now = replaced === 'ALL' ? words.replace(openEntry, '') : words;
      return now.trim() === '' ? '' : `${title}:\n${now.trimEnd()}`;
    });
  return [replaced === 'ALL' ? '' : head, ...told].filter((part) => part !== '').join('\n\n');
}

/** A section goes on to the next title of its kind, which is the kind of most titles. */
function sectionsOf(text: string): { head: string; sections: Section[] } {
  const lines = text.split('\n').map((line) => ({ line, title: titleIn(line) }));
  const counts = new Map<string, number>();
  for (const { title } of lines) if (title !== null) counts.set(title.kind, (counts.get(title.kind) ?? 0) + 1);
  const kind = [...counts].sort(([, a], [, b]) => b - a)[0]?.[0];
  const sections: Section[] = [{ title: '', text: '' }];
  for (const { line, title } of lines)
    if (title?.kind === kind && title !== null) sections.push({ title: title.name, text: '' });
    else if (!/^<\/[a-z_]+>$/.test(line)) sections.at(-1)!.text += `${line}\n`;
  return { head: sections[0]!.text.trim(), sections: sections.slice(1) };
}

function titleIn(line: string): { kind: string; name: string } | null {
  const found = titled.exec(line.trimEnd());
  if (found === null) return null;
  const [, number, ofNumber, marks, ofHeading, inBold, element] = found;
  const name = ofNumber ?? ofHeading ?? inBold ?? element!.replaceAll('_', ' ');
  const kind = number !== undefined ? 'number' : (marks ?? (inBold !== undefined ? 'bold' : 'element'));
  return { kind, name: name.replace(/[*:]+$/g, '').trim() };
}
