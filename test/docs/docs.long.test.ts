import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { describe, expect, it, vi } from 'vitest';
import { atEnd, testDatabase } from '../database.ts';
import { client } from '../graphql.ts';
import { modelOf, newClient } from '../mcp.ts';
import { sseStream } from '../socket.ts';
import { blocksOf, documents, type Block } from './blocks.ts';
import { Samples } from './samples.ts';
import { runShell } from './shell.ts';
import { runTypeScript, typeErrors } from './typescript.ts';
import { temporaryFolder } from '../temporary.ts';

// Every command is a process or several.
vi.setConfig({ testTimeout: 120_000 });

const database = await testDatabase();
// npm start runs on the database of this test; on a folder of its own it would have to make one first.
const state = temporaryFolder('baton-docs');
const env = { DATABASE_URL: database.url, PORT: '0', BATON_DEMO: '1', XDG_STATE_HOME: state, BACKUPS: state };
const start = blocksOf('README.md').find(({ text }) => text.includes('npm start'))!;
const server = await runShell(start.text, env, start.until);
atEnd(() => server.stop());
const logs = server.stdout();
const { url } = JSON.parse(logs.split('\n').find((line) => line.includes('"url":'))!) as { url: string };
const samples = new Samples(url);
const { post } = client(url);

/** The blocks of a document that run. */
const runnable = (file: string): Block[] =>
  blocksOf(file).filter(({ notRun, language }) => notRun === undefined && language !== 'mermaid');

async function runGraphQL({ text }: Block): Promise<void> {
  if (text.startsWith('subscription')) {
    const stream = await sseStream(url, text);
    const { data = {} } = await stream.result();
    stream.close();
    return expect(Object.values(data!)).toEqual([expect.objectContaining({ type: 'READY' })]);
  }
  const { data, errors } = await post<Record<string, object | null>>(text);
  expect(errors).toBeUndefined();
  for (const answer of Object.values(data)) expect(answer ?? {}).not.toHaveProperty('code');
}

async function runCommand({ text, until, sample }: Block): Promise<void> {
  if (text === start.text) return expectSample(sample, logs);
  const toServer = samples
    .adapt(text)
    .replaceAll(/^npm run (agents?|import|handoff|pipelines|watch) .*$/gm, `$& --url ${url}`);
  const command = await runShell(toServer, env, until);
  await command.stop();
  expectSample(sample, command.stdout());
}

function expectSample(sample: string | undefined, output: string): void {
  if (sample === undefined) return;
  const { expected, actual } = samples.compare(sample, output);
  expect(actual).toEqual(expected);
}

let programErrors: Map<string, string[]> | undefined;

async function runProgram({ text, until }: Block): Promise<void> {
  expect((programErrors ??= checkPrograms()).get(text)).toEqual([]);
  await (await runTypeScript(samples.adapt(text), until)).stop();
}

function checkPrograms(): Map<string, string[]> {
  const texts = documents
    .flatMap(runnable)
    .filter(({ language }) => language === 'ts')
    .map(({ text }) => text);
  const errors = typeErrors(texts);
  return new Map(texts.map((text, index) => [text, errors[index]!]));
}

/** Settings of a program that speaks MCP: its server has tools. */
async function runSettings({ text, language }: Block): Promise<void> {
  if (language === 'json') JSON.parse(text);
  const [, address] = /"?url"?\s*[:=]\s*"(.+?)"/.exec(samples.adapt(text))!;
  const mcp = newClient();
  await mcp.connect(new StreamableHTTPClientTransport(new URL(address!)));
  expect(await modelOf(mcp).tools()).toContain('baton_inbox');
  await mcp.close();
}

const runners: Record<string, (block: Block) => Promise<void> | void> = {
  graphql: runGraphQL,
  sh: runCommand,
  ts: runProgram,
  json: runSettings,
  toml: runSettings,
};

describe.each(documents.filter((file) => runnable(file).length > 0))('%s', (file) => {
  it.each(runnable(file).map((block) => [block.line, block] as const))(
    'the block at line %i runs unchanged',
    async (_line, block) => {
      expect(
        Object.keys(runners),
        'give the block a language that can be run, or the comment <!-- not run: reason -->',
      ).toContain(block.language);
      await runners[block.language]!(block);
    },
  );
});
