import { setTimeout as wait } from 'node:timers/promises';
import { watch } from 'chokidar';
import { commandLine } from '../server/core/place.ts';
import { AwayError, StartError } from '../server/core/startError.ts';
import type { AgentImportReport } from '../server/work/registry/definition.ts';
import { readArguments, UsageError, type Command } from './command.ts';
import { isDefinition, isSkipped, readDefinitions, rootsOf } from './definitionFiles.ts';
import { print, printJson, printLine, tellLine } from './output.ts';
import { keyRefused, nothingAnswers, requireServer, serverUrl, urlUsage } from './serverUrl.ts';

const usage = `${commandLine('agents import <files or folders>')} [options]

Registers the agents that Markdown files describe, and updates those that exist: all of them, or none when a file has an
error. Reads agent definitions of Claude Code and VS Code, and plain Markdown with a section Collaborations. Of a folder it
reads every .md file except README.md; of a repository those in .claude/agents and .github/agents.

  --type <type>       the type of new agents whose file has none, such as CLAUDE
  --dry-run           reports what the import would do and writes nothing
  --watch             imports again whenever a file changes, until Ctrl-C
  --json              prints the report as JSON
${urlUsage}

Set BATON_KEY where the server requires a key. A deleted file changes nothing.`;

interface Options {
  url: string;
  type: string | undefined;
  dryRun: boolean;
  json: boolean;
}

async function run(args: string[]): Promise<void> {
  const { values, positionals } = readArguments({
    args,
    allowPositionals: true,
    options: {
      type: { type: 'string' },
      'dry-run': { type: 'boolean', default: false },
      watch: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
      url: { type: 'string' },
    },
  });
  if (positionals.length === 0) throw new UsageError();
  const options = { url: serverUrl(values.url), type: values.type, dryRun: values['dry-run'], json: values.json };
  const roots = await rootsOf(positionals);
  await requireServer(options.url);
  if (values.watch) return importOnChange(roots, options);
  await importOnce(roots, options);
}

/** @throws StartError when a file has an error, AwayError when Baton is busy */
async function importOnce(roots: readonly string[], options: Options): Promise<void> {
  const report = await sendDefinitions(roots, options);
  if (options.json) printJson(report, 2);
  else printReport(report, options.dryRun);
  demandWhole(report);
}

/** @throws StartError without a file, AwayError when Baton is busy */
export async function sendDefinitions(
  roots: readonly string[],
  { url, type, dryRun }: Omit<Options, 'json'>,
): Promise<AgentImportReport> {
  const files = await readDefinitions(roots);
  if (files.length === 0)
    throw new StartError(`${roots.join(', ')} ${roots.length === 1 ? 'holds' : 'hold'} no .md file: check the path`);
  return send(url, { files, dryRun, ...(type !== undefined && { defaultType: type }) });
}

/** @throws StartError when a file has an error, for which nothing was imported */
export function demandWhole(report: AgentImportReport): void {
  const errors = report.problems.filter(({ severity }) => severity === 'ERROR').length;
  if (errors > 0) throw new StartError(`Nothing was imported: ${counted(errors, 'error')}`);
}

async function send(url: string, input: object): Promise<AgentImportReport> {
  const key = process.env['BATON_KEY'];
  const response = await fetch(`${url}/agents/import`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(key !== undefined && key !== '' && { authorization: `Bearer ${key}` }),
    },
    body: JSON.stringify(input),
  }).catch((error: unknown) => {
    throw nothingAnswers(url, error);
  });
  const body = (await response.json().catch(() => ({}))) as AgentImportReport & { errors?: { message: string }[] };
  if (response.ok) return body;
  if (response.status === 401) throw keyRefused(url);
  const message = body.errors?.[0]?.message ?? `Baton answered ${response.status}`;
  throw response.headers.has('retry-after') ? new AwayError(message) : new StartError(message);
}

export function printReport({ agents, problems }: AgentImportReport, dryRun: boolean): void {
  for (const { path, line, severity, message, suggestion } of problems) {
    tellLine(
      `${path}${line === null ? '' : `:${line}`}: ${severity}: ${message}${suggestion === null ? '' : `: ${suggestion}`}`,
    );
  }
  const width = Math.max(0, ...agents.map(({ id }) => id.length));
  for (const { id, action, path } of agents)
    if (action !== 'UNCHANGED') printLine(`${action.toLowerCase().padEnd(9)} ${id.padEnd(width)}  ${path}`);
  const of = (action: string): number => agents.filter((agent) => agent.action === action).length;
  if (agents.length > 0)
    print(
      `${dryRun ? 'dry run: ' : ''}${counted(agents.length, 'agent')}: ${of('CREATED')} created, ${of('UPDATED')} updated, ${of('UNCHANGED')} unchanged`,
    );
}

const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;

/** A file is read after this long without a change in any: programs write in several steps. */
const quietMs = 300;
const retryMs = 5_000;

async function importOnChange(roots: readonly string[], options: Options): Promise<never> {
  let isChanged = true;
  let wake: () => void = () => undefined;
  const changed = (): void => {
    isChanged = true;
    wake();
  };
  const ignored = (path: string, found?: { isFile(): boolean }): boolean =>
    !roots.includes(path) &&
    (isSkipped(path.split(/[/\\]/).at(-1) ?? '') || (found?.isFile() === true && !isDefinition(path)));
  const watcher = watch([...roots], { ignoreInitial: true, ignored });
  watcher.on('all', changed).on('error', (error) => tellLine(String(error)));
  await new Promise<void>((resolve) => void watcher.once('ready', resolve));
  tellLine(`Watching ${roots.join(', ')}`);
  for (;;) {
    if (!isChanged) await new Promise<void>((resolve) => (wake = resolve));
    while (isChanged) {
      isChanged = false;
      await wait(quietMs);
    }
    await importOnce(roots, options).catch(async (error: unknown) => {
      if (!(error instanceof StartError)) throw error;
      tellLine(error.message);
      if (!(error instanceof AwayError)) return;
      await wait(retryMs);
      isChanged = true;
    });
  }
}

export const agentsImport: Command = { usage, run };
