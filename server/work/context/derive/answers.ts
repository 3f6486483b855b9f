import { ends, shorten } from '../shorten.ts';
import { wordsOfRefusal } from '../ownWords.ts';
import { endingOf, type Actions } from './actions.ts';
import { fieldsOf, type RecordedCall, type RecordedLog } from './log.ts';
import { askedIn, askTool } from './openQuestions.ts';
import { isPlanDone } from './superseded.ts';

/** What a person decided about the agent's work: an answer, a plan that they approved, a refusal, or a stop. */
export interface Answer {
  what: string;
  /** Null for a stop. */
  callId: string | null;
}

export const maxAnswers = 20;
/** Earlier stops are history. */
const maxStops = 3;
const characters = { question: 200, answer: 300, words: 200, call: 200, said: 60, plan: 3_000 };

const planTool = /^(ExitPlanMode|exit_plan_mode)$/;
/** Refused by a rule of the program, not by a person. */
const byRule = /^(?:Error: )?(?:Claude requested permissions|Permission to use )/;

interface Placed extends Answer {
  /** Number of the last message before it. */
  at: number;
}

/** Answers, approved plans, refusals and stops of people, oldest first; the newest `maxAnswers`. */
export function answersOf(log: RecordedLog, actions: Actions): Answer[] {
  const calls = log.calls.flatMap((call) => answersTo(call, log, actions).map((what) => ({ what, call })));
  const lastPlan = calls.findLast(({ call }) => planTool.test(call.name))?.call;
  const answers: Placed[] = [
    ...calls
      .filter(({ call }) => !planTool.test(call.name) || call === lastPlan)
      .map(({ what, call }) => ({ what, callId: call.callId, at: call.sequence })),
    ...stopsOf(log, actions),
  ];
  return answers
    .sort((a, b) => a.at - b.at)
    .slice(-maxAnswers)
    .map(({ what, callId }) => ({ what, callId }));
}

function answersTo(call: RecordedCall, log: RecordedLog, actions: Actions): string[] {
  const { ending } = endingOf(call);
  if (ending === 'REFUSED') return refusalOf(call, log, actions);
  if (ending !== 'PASSED' || call.result === null) return [];
  if (askTool.test(call.name)) return answered(call);
  return planTool.test(call.name) && /\bapproved\b/i.test(call.result.slice(0, 200)) ? [approvalOf(call, log)] : [];
}

/** Empty for a call that the person allowed later, and for a refusal by a rule but of an edit, which the agent may have told as made. */
function refusalOf(call: RecordedCall, { calls }: RecordedLog, actions: Actions): string[] {
  const answer = call.error ?? call.result ?? '';
  const label = labelOf(call, actions);
  const isAllowedLater = calls
    .slice(calls.indexOf(call) + 1)
    .some((other) => labelOf(other, actions) === label && endingOf(other).ending === 'PASSED');
  if (isAllowedLater) return [];
  if (byRule.test(answer)) return isLostEdit(call, actions) ? [`nobody allowed: ${label}; it was not made`] : [];
  const words = wordsOfRefusal(answer);
  return [
    `refused${planTool.test(call.name) ? ' the plan' : `: ${label}`}${words === '' ? '' : `, and said: ${oneLine(words, characters.words)}`}`,
  ];
}

/** Whether it would have written a file that nothing wrote since. */
function isLostEdit(call: RecordedCall, { list }: Actions): boolean {
  const at = list.findIndex((action) => action.call === call);
  const refused = list[at];
  if (refused === undefined || refused.command !== null) return false;
  return refused.files.some(
    (file) => !list.slice(at + 1).some(({ files, ending }) => ending === 'PASSED' && files.includes(file)),
  );
}

/** Of a plan that was carried out the name is enough. */
function approvalOf({ arguments: given, result, sequence }: RecordedCall, { messages }: RecordedLog): string {
  const { plan } = fieldsOf(given);
  const [, saved = ''] = (result ?? '').split(/^## Approved Plan[^\n]*\n/m);
  const text = (saved.trim() !== '' ? saved : typeof plan === 'string' ? plan : '').trim();
  if (text === '') return 'approved the plan';
  return isPlanDone(sequence, messages)
    ? `approved the plan, which is carried out: ${oneLine(text.split('\n', 1)[0]!.replace(/^#+ */, ''), characters.words)}`
    : `approved the plan:\n${shorten(text, characters.plan)}`;
}

/** Each question with its answer, of the ways in which programs write them; else the whole answer. */
function answered(call: RecordedCall): string[] {
  const text = call.result!.trim();
  const questions = askedIn(call);
  const found = questions.flatMap(({ question, id }, index) => {
    const answer = quotedAnswer(text, question) ?? jsonAnswer(text, id, index);
    return answer === null || answer === '' ? [] : [answerOf(answer, question)];
  });
  if (found.length > 0) return found;
  if (questions.length === 0 || text === '') return [];
  return [answerOf(text, questions.map(({ question }) => question).join(' '))];
}

/** The answer first: a small budget cuts the end. */
const answerOf = (answer: string, question: string): string =>
  `${oneLine(answer, characters.answer)} (answer to: ${ends(question.replace(/\s+/g, ' '), characters.question)})`;

/** Claude Code and OpenCode: `"question"="answer", "question"="answer". You can now ...`. */
function quotedAnswer(text: string, question: string): string | null {
  const mark = `"${question}"="`;
  const at = text.indexOf(mark);
  if (at < 0) return null;
  const rest = text.slice(at + mark.length);
  const end = rest.search(/"(?:, "|[.;] | user notes:| selected |$)/);
  return (end < 0 ? rest : rest.slice(0, end)).trim();
}

/** Codex and Gemini CLI: `{"answers":{"<id or position>":...}}`. */
function jsonAnswer(text: string, id: string | null, index: number): string | null {
  if (!text.startsWith('{')) return null;
  try {
    const answers = fieldsOf(fieldsOf(JSON.parse(text) as unknown)['answers']);
    const texts = textsIn(answers[id ?? ''] ?? answers[String(index)]);
    return texts.length === 0 ? null : texts.join(', ');
  } catch {
    return null;
  }
}

function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value.trim()];
  if (Array.isArray(value)) return value.filter((each) => typeof each === 'string');
  const { answers, answer } = fieldsOf(value);
  return value === undefined || (answers === undefined && answer === undefined) ? [] : textsIn(answers ?? answer);
}

/** The newest stops, each with what it stopped and the number of what the person said next. A refusal tells its stop itself. */
function stopsOf({ messages, calls, stops = [] }: RecordedLog, actions: Actions): Placed[] {
  const told: Placed[] = [];
  for (const stop of stops.toSorted((a, b) => a - b)) {
    const before = messages.findLast(({ sequence }) => sequence < stop);
    const next = messages.find(({ sequence, role }) => sequence > stop && (role === 'USER' || role === 'ASSISTANT'));
    const call = calls.findLast(({ sequence }) => sequence < stop);
    const isSince = call !== undefined && call.sequence >= (before?.sequence ?? 0);
    if (isSince && endingOf(call).ending === 'REFUSED' && !byRule.test(call.error ?? '')) continue;
    const what =
      isSince && endingOf(call).ending === 'UNKNOWN'
        ? ` while it ran ${labelOf(call, actions)}, which did not finish`
        : before?.role === 'ASSISTANT'
          ? ` after its words ${quoted(before)}`
          : before?.role === 'USER'
            ? ` while it worked on ${quoted(before)}`
            : '';
    const then =
      next === undefined ? '; nobody said anything since' : next.role === 'USER' ? `, then said ${quoted(next)}` : '';
    const entry = { what: `stopped the agent${what}${then}`, callId: null, at: stop };
    if (told.at(-1)?.what !== entry.what) told.push(entry);
  }
  return told.slice(-maxStops);
}

const quoted = ({ sequence, content }: { sequence: number; content: string }): string =>
  `#${sequence} (${oneLine(content, characters.said)})`;

const mainField = ['command', 'cmd', 'file_path', 'notebook_path', 'path', 'filePath', 'description', 'query', 'url'];

function labelOf(call: RecordedCall, { list }: Actions): string {
  const action = list.find((one) => one.call === call);
  const fields = fieldsOf(call.arguments);
  const main = mainField.map((name) => fields[name]).find((value) => typeof value === 'string');
  return oneLine(`${call.name} ${action?.command ?? action?.files[0] ?? main ?? ''}`, characters.call);
}

const oneLine = (text: string, most: number): string => shorten(text.replace(/\s+/g, ' ').trim(), most);
