import { writeFileSync } from 'node:fs';
import { backup } from './backup.ts';
import { cost } from './cost.ts';
import { detect } from './detect.ts';
import { graph } from './graph.ts';
import { keeping } from './keeping.ts';
import { importTranscript } from './import.ts';
import { compareLists } from './lists.ts';
import { live } from './live.ts';
import { pages } from './pages.ts';
import { pipelines } from './pipelines.ts';
import { metrics } from './metrics.ts';
import { drawing, opening } from './opening.ts';
import { paints } from './paints.ts';
import { openPlace, type Place } from './place.ts';
import { prompts } from './prompts.ts';
import { prepared } from './prepared.ts';
import { queue } from './queue.ts';
import { reassign } from './reassign.ts';
import { machine, tableOf, type Line } from './report.ts';
import { replica } from './replica.ts';
import { scroll } from './scroll.ts';
import { search } from './search.ts';
import { sizing } from './sizing.ts';
import { slow } from './slow.ts';
import { start } from './start.ts';
import { tools } from './tools.ts';
import { traces } from './traces.ts';
import { turns } from './turns.ts';
import { uploads } from './uploads.ts';
import { webhooks } from './webhooks.ts';

const benchmarks: Record<string, (place: Place, say: (line: string) => void) => Promise<Line[]>> = {
  reassign,
  lists: compareLists,
  import: importTranscript,
  start,
  pages,
  slow,
  live,
  opening,
  drawing,
  scroll,
  paints,
  cost,
  detect,
  tools,
  pipelines,
  queue,
  search,
  graph,
  metrics,
  webhooks,
  keeping,
  traces,
  sizing,
  replica,
  backup,
  prepared,
  prompts,
  turns,
  uploads,
};
const file = 'bench.md';

const usage = `npm run bench [-- ${Object.keys(benchmarks).join(' | ')}]

Measures Baton on this machine, everything unless you name a part, and says which goals it meets. Baton and what it is
compared with take turns in one run: compare ratios between machines, not absolute figures. Writes the table to ${file}.

Exit code 0: all goals are met. 1: a goal is missed. 2: wrong usage.`;

const asked = process.argv.slice(2);
if (asked.includes('--help')) {
  process.stdout.write(`${usage}\n`);
  process.exit(0);
}
const unknown = asked.filter((name) => !(name in benchmarks));
if (unknown.length > 0) {
  process.stderr.write(`Unknown benchmark ${unknown.map((name) => `'${name}'`).join(', ')}\n\n${usage}\n`);
  process.exit(2);
}

const say = (line: string): void => void process.stderr.write(`${line}\n`);

async function bench(): Promise<boolean> {
  const started = performance.now();
  const place = await openPlace();
  const lines: Line[] = [];
  try {
    for (const name of asked.length === 0 ? Object.keys(benchmarks) : asked) {
      say(`${name} ...`);
      lines.push(...(await benchmarks[name]!(place, say)));
    }
  } finally {
    await place.close();
  }
  const minutes = ((performance.now() - started) / 60_000).toFixed(1);
  const date = new Date().toISOString().slice(0, 10);
  const report = `${tableOf(lines)}\n${machine(place.postgresVersion)}; ${date}; ${minutes} minutes. Medians, with the smallest and the largest of the rounds in brackets.\n`;
  process.stdout.write(report);
  writeFileSync(file, report);
  return lines.every(({ goal }) => goal?.met !== false);
}

process.once('SIGINT', () => process.exit(130));
process.once('SIGTERM', () => process.exit(143));
process.exitCode = (await bench()) ? 0 : 1;
