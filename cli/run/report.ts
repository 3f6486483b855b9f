import type { Usage } from './conversation.ts';
import { printJson, printLine, tellLine } from '../output.ts';

/** What a runner says of its work. */
export type Line =
  | { event: 'live' | 'away' | 'stopping' | 'stopped' | 'not served'; text: string; agent?: string }
  | {
      event: 'taken' | 'ended' | 'resumed' | 'empty' | 'retry' | 'failed';
      session: string;
      agent: string;
      text: string;
    }
  | StepLine;

export interface StepLine {
  event: 'step';
  session: string;
  agent: string;
  /** Number of the step in the tenure, from 1. */
  step: number;
  model: string;
  usage: Usage | null;
  /** In dollars; null without a price. */
  cost: number | null;
  words: string;
  calls: { name: string; error: string | null }[];
  /** Time of the model, and what the runner and Baton added to it and to the tools. */
  modelMs: number;
  addedMs: number;
}

export type Report = (line: Line) => void;

/** Prints one line for each event; as JSON for programs. What concerns no Session goes to standard error. */
export const reportTo =
  (json: boolean): Report =>
  (line) => {
    if (json) return printJson(forPrograms(line));
    if (line.event === 'step') printLine(`${shortId(line.session)}  ${line.agent}  ${stepText(line)}`);
    else if ('session' in line) printLine(`${shortId(line.session)}  ${line.agent}  ${line.text}`);
    else tellLine(line.text);
  };

function forPrograms(line: Line): object {
  const { event, ...rest } = line;
  return { at: new Date().toISOString(), event, ...rest };
}

/** Sessions are told apart by their end: ids begin with their time. */
const shortId = (id: string): string => `...${id.slice(-6)}`;

const longest = 100;
const shortened = (text: string): string => {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  return line.length > longest ? `${line.slice(0, longest - 3)}...` : line;
};

/** What an answer cost and what it called, on one line. */
export function stepText({ step, model, usage, cost, words, calls, modelMs }: StepLine): string {
  const parts = [
    `step ${step}`,
    model,
    `${(modelMs / 1_000).toFixed(1)} s`,
    ...(usage === null ? [] : [`${usage.inputTokens ?? '?'} in, ${usage.outputTokens ?? '?'} out`]),
    ...(cost === null ? [] : [`$${cost.toFixed(4)}`]),
    ...(calls.length === 0
      ? []
      : [calls.map(({ name, error }) => (error === null ? name : `${name} (refused)`)).join(', ')]),
    ...(words.trim() === '' ? [] : [shortened(words)]),
  ];
  return parts.join('  ');
}
