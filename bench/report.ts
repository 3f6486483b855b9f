import { cpus, release, totalmem, type } from 'node:os';
import type { Measured } from './rounds.ts';

/** A row of the report, for a reader who has not seen the code. */
export interface Line {
  what: string;
  /** Our figure, with its unit. */
  figure: string;
  /** What it is compared with, with its figure; left out when it stands alone. */
  beside?: string;
  ratio?: Measured;
  /** Left out where nothing was promised. */
  goal?: { text: string; met: boolean };
}

export const atLeast = (value: number, goal: number): Line['goal'] => ({ text: `at least ${goal}`, met: value >= goal });
export const atMost = (value: number, goal: number, unit = ''): Line['goal'] => ({ text: `at most ${goal}${unit}`, met: value <= goal });

/** 0.012, 1.23, 12.3, 1,230: three digits, no more of them mean anything. */
export function digits(value: number): string {
  const decimals = Math.min(Math.max(2 - Math.floor(Math.log10(Math.abs(value) || 1)), 0), 3);
  return value.toLocaleString('en-US', { minimumFractionDigits: decimals, maximumFractionDigits: decimals });
}

export const spread = ({ median, least, most }: Measured, unit: string): string => `${digits(median)} ${unit} (${digits(least)} to ${digits(most)})`;

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

/** What the figures were measured on, without which they say nothing. */
export function machine(postgresVersion: string): string {
  const memory = Math.round(totalmem() / 2 ** 30);
  const model = cpus()[0]?.model.trim() ?? 'unknown processor';
  return `${cpus().length} cores (${model}), ${memory} GB, ${type()} ${release()}, Node ${process.versions.node}, PostgreSQL ${postgresVersion}`;
}
