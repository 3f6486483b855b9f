import { cpus, release, totalmem, type } from 'node:os';
import type { Measured } from './rounds.ts';

/** A row of the report. */
export interface Line {
  what: string;
  /** The measured value with its unit. */
  figure: string;
  /** The baseline with its value; absent without one. */
  beside?: string;
  ratio?: Measured;
  /** Absent without a goal. */
  goal?: { text: string; met: boolean };
}

export const atLeast = (value: number, goal: number): Line['goal'] => ({
  text: `at least ${goal}`,
  met: value >= goal,
});
export const atMost = (value: number, goal: number, unit = ''): Line['goal'] => ({
  text: `at most ${goal}${unit}`,
  met: value <= goal,
});

/** 0.012, 1.23, 12.3, 1,230: three significant digits. */
export function digits(value: number): string {
  const decimals = Math.min(Math.max(2 - Math.floor(Math.log10(Math.abs(value) || 1)), 0), 3);
  return value.toLocaleString('en-US', { minimumFractionDigits: decimals, maximumFractionDigits: decimals });
}

export const spread = ({ median, least, most }: Measured, unit: string): string =>
  `${digits(median)} ${unit} (${digits(least)} to ${digits(most)})`;

const columns = ['what', 'Baton', 'beside', 'ratio', 'goal', 'met'];

export function tableOf(lines: readonly Line[]): string {
  const rows = lines.map(({ what, figure, beside = '', ratio, goal }) => [
    what,
    figure,
    beside,
    ratio === undefined ? '' : `${ratio.median.toFixed(2)} (${ratio.least.toFixed(2)} to ${ratio.most.toFixed(2)})`,
    goal?.text ?? '',
    goal === undefined ? '' : goal.met ? 'yes' : '**no**',
  ]);
  return [columns, columns.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |\n`).join('');
}

/** The machine and versions measured on. */
export function machine(postgresVersion: string): string {
  const memory = Math.round(totalmem() / 2 ** 30);
  const model = cpus()[0]?.model.trim() ?? 'unknown processor';
  return `${cpus().length} cores (${model}), ${memory} GB, ${type()} ${release()}, Node ${process.versions.node}, PostgreSQL ${postgresVersion}`;
}
