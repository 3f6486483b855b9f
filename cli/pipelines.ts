import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { commandLine, packageFolder } from '../server/core/place.ts';
import { StartError } from '../server/core/startError.ts';
import type { AgentImportReport } from '../server/work/registry/definition.ts';
import { demandWhole, printReport, sendDefinitions } from './agents.ts';
import { withApi } from './api.ts';
import { readArguments, UsageError, type Command } from './command.ts';
import { didYouMean } from './closest.ts';
import { isDefinition } from './definitionFiles.ts';
import { print, printJson, tellLine } from './output.ts';
import { requireServer, serverUrl, urlUsage } from './serverUrl.ts';

/** The pipelines that ship with Baton: a folder each, with agents. */
const shipped = { story: 'server/work/pipelines/story/story.json' };

const usage = `${commandLine('pipelines import <pipeline>')} [options]

Defines a pipeline, after it registered the agents of the .md files beside it. A pipeline that is defined so already stays as it is.

  <pipeline>          the name of one that ships with Baton (${Object.keys(shipped).join(', ')}), or a JSON file with the input of definePipeline
  --type <type>       the type of new agents whose file has none, such as CLAUDE
  --no-agents         leaves the .md files out
  --json              prints the pipeline, and what became of the agents, as JSON
${urlUsage}

Set BATON_KEY where the server requires a key.`;

const define = `mutation DefinePipelineOfFile($input: DefinePipelineInput!) {
  answer: definePipeline(input: $input) {
    __typename
    ... on DefinePipelinePayload { pipeline { slug version stages { name } } warnings { message } }
    ... on Error { code message }
  }
}`;

interface Defined {
  pipeline: { slug: string; version: number; stages: { name: string }[] };
  warnings: { message: string }[];
}

async function run(args: string[]): Promise<void> {
  const { values, positionals } = readArguments({
    args,
    allowPositionals: true,
    options: {
      type: { type: 'string' },
      'no-agents': { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
      url: { type: 'string' },
    },
  });
  const [name, ...more] = positionals;
  if (name === undefined || more.length > 0) throw new UsageError();
  const url = serverUrl(values.url);
  const file = fileOf(name);
  const input = await inputIn(file);
  await requireServer(url);
  const report = values['no-agents'] ? null : await agentsBeside(file, url, values.type);
  if (report !== null && !values.json) printReport(report, false);
  if (report !== null) demandWhole(report);
  const { pipeline, warnings } = await withApi(url, (ask) => ask<Defined>(define, { input }));
  for (const { message } of warnings) tellLine(message);
  if (values.json) printJson({ ...report, pipeline }, 2);
  else print(`${pipeline.slug}, version ${pipeline.version}: ${pipeline.stages.map((stage) => stage.name).join(', ')}`);
}

/** Null when no definition stands beside the file. */
async function agentsBeside(file: string, url: string, type: string | undefined): Promise<AgentImportReport | null> {
  const folder = dirname(file);
  return (await readdir(folder)).some(isDefinition) ? sendDefinitions([folder], { url, type, dryRun: false }) : null;
}

/** The file of a name that ships with Baton, or of a path. @throws StartError */
function fileOf(name: string): string {
  if (Object.hasOwn(shipped, name)) return join(packageFolder, shipped[name as keyof typeof shipped]);
  if (existsSync(name)) return name;
  throw new StartError(
    `${name} is neither a file nor a pipeline that ships with Baton (${Object.keys(shipped).join(', ')}).${didYouMean(name, Object.keys(shipped))}`,
  );
}

/** @throws StartError when the file is no JSON object */
async function inputIn(file: string): Promise<object> {
  const text = await readFile(file, 'utf8');
  try {
    const input = JSON.parse(text) as unknown;
    if (typeof input === 'object' && input !== null && !Array.isArray(input)) return input;
  } catch (error) {
    throw new StartError(`${basename(file)} is no JSON: ${(error as Error).message}`);
  }
  throw new StartError(`${basename(file)} must be a JSON object: the input of definePipeline`);
}

export const pipelinesImport: Command = { usage, run };
