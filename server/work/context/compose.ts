import { shorten } from './shorten.ts';
import type { Sources } from './sources.ts';

/** Composes a summary from the log, for a Handoff whose caller gave none. */
export function composeSummary(sources: Sources, filesWithheld = false): string {
  const calls = sum(sources.tools.map((tool) => tool.calls));
  const errors = sum(sources.tools.map((tool) => tool.errors));
  const pending = sources.tasks.filter((task) => task.status !== 'DONE');
  const { files, decisions, totals } = sources;
  const sentences = [
    `"${sources.title}": ${count(sources.turns, 'turn')} so far` +
      (calls === 0 ? '.' : `, ${count(calls, 'tool call')}${errors === 0 ? '' : ` (${errors} failed)`}.`),
    files.length === 0
      ? filesWithheld
        ? ''
        : 'No file was changed.'
      : `${count(totals.files, 'file')} changed, last ${files[0]!}.`,
    sources.tasks.length === 0
      ? ''
      : pending.length === 0
        ? 'All tasks are done.'
        : `${count(pending.length, 'task')} left, next: ${clause(pending[0]!.content, 200)}.`,
    decisions.length === 0 ? '' : `Last decision: ${clause(decisions.at(-1)!, 300)}.`,
  ];
  return sentences.filter((sentence) => sentence !== '').join(' ');
}

/** A text as the end of a sentence: on one line, shortened, without its full stop. */
const clause = (text: string, characters: number): string =>
  shorten(text.replaceAll(/\s+/g, ' ').trim().replace(/\.$/, ''), characters);

const sum = (numbers: number[]): number => numbers.reduce((total, number) => total + number, 0);
const count = (number: number, noun: string): string => `${number} ${noun}${number === 1 ? '' : 's'}`;
