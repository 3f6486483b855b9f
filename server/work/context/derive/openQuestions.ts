import { shorten } from '../shorten.ts';
import { fieldsOf, type RecordedCall, type RecordedLog } from './log.ts';

export const maxOpenQuestions = 5;
const questionCharacters = 500;
/** A question further from the end of a message is usually answered within it. */
const closingCharacters = 800;

/** Tools that ask a person. */
export const askTool =
  /^(AskUserQuestion|question|request_user_input|ask_user|ask_followup_question|ask_user_question|ask_human)$/i;

/** The last question to a person when it is unanswered; several entries when it has several parts, else empty. */
export function openQuestionsOf(
  { messages, calls }: RecordedLog,
  /** The one that Baton knows to wait. */
  asked: { question: string; options: string[] | null } | null = null,
): string[] {
  if (asked !== null) return [shorten(questionText(asked), questionCharacters)];
  const answeredAt = messages.findLast(({ role }) => role === 'USER')?.sequence ?? 0;
  const askCall = calls.findLast(({ name }) => askTool.test(name));
  const lastMessage = messages.findLast(({ role }) => role === 'ASSISTANT');
  const open =
    askCall !== undefined &&
    askCall.result === null &&
    askCall.sequence >= answeredAt &&
    askCall.sequence >= (lastMessage?.sequence ?? 0);
  const questions = open
    ? questionsOf(askCall)
    : lastMessage === undefined ||
        lastMessage.sequence < answeredAt ||
        calls.some(({ sequence }) => sequence >= lastMessage.sequence)
      ? []
      : closingQuestions(lastMessage.content);
  return questions.slice(-maxOpenQuestions).map((question) => shorten(question, questionCharacters));
}

interface Asked {
  question: string;
  id: string | null;
  options: string[];
}

/** The questions of a call that asks a person. */
export function askedIn({ arguments: given }: RecordedCall): Asked[] {
  const args = fieldsOf(given);
  const list = Array.isArray(args['questions']) ? args['questions'] : [args];
  return list.flatMap((item) => {
    const { question, options, id } = fieldsOf(item);
    if (typeof question !== 'string' || question.trim() === '') return [];
    const labels = (Array.isArray(options) ? options : [])
      .map((option) => (typeof option === 'string' ? option : fieldsOf(option)['label']))
      .filter((label) => typeof label === 'string');
    return [{ question: question.trim(), id: typeof id === 'string' ? id : null, options: labels }];
  });
}

const questionsOf = (call: RecordedCall): string[] => askedIn(call).map(questionText);

/** A question with the answers that it offers. */
const questionText = ({ question, options }: { question: string; options: readonly string[] | null }): string =>
  options === null || options.length === 0 ? question : `${question} (${options.join(' / ')})`;

/** Replaces a question mark inside code. */
const hidden = '\u0001';
const endsAsQuestion = /[?？]["'”’»)\]*_`]*$/;

/** The last question of a message, and those in the lines directly before it. */
function closingQuestions(content: string): string[] {
  const lines = content
    .slice(-closingCharacters * 4)
    .replace(/```[\s\S]*?(```|$)/g, '')
    .replace(/`[^`\n]*`/g, (code) => code.replaceAll('?', hidden))
    .slice(-closingCharacters)
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
  const last = lines.findLastIndex((line) => questionIn(line) !== null);
  if (last < 0) return [];
  const first = lines.findLastIndex((line, index) => index < last && !endsAsQuestion.test(line)) + 1;
  return lines.slice(first, last + 1).flatMap((line) => questionIn(line)?.replaceAll(hidden, '?') ?? []);
}

/** The last question of a line, without list marks. */
function questionIn(line: string): string | null {
  if (line.startsWith('>') || line.startsWith('|')) return null;
  const sentences = line
    .replace(/^([-*+]|\d+[.)]|#+)\s+/, '')
    .split(/(?<=[.!?。！？…]["'”’»)\]*_`]*)\s+|(?<=[。！？])/u);
  const question = sentences.findLast((sentence) => endsAsQuestion.test(sentence.trim()));
  return question === undefined ? null : question.trim().replace(/^[*_]+|[*_]+$/g, '');
}
