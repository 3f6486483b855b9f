import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { blocksOf, documents as pages } from '../docs/blocks.ts';
import { hostileRequests } from '../hostile/all.ts';
import { realDataFolder } from '../realData.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
/** Of a text: larger ones are for the tests of large uploads. */
const most = 400_000;

function textsBelow(folder: string, ending: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith(ending) && statSync(join(folder, name)).size <= most)
    .toSorted()
    .map((name) => readFileSync(join(folder, name), 'utf8'));
}

const recorded = (path: string, ending: string): string[] => textsBelow(join(root, path), ending);
const real = (path: string, ending: string): string[] =>
  realDataFolder === undefined ? [] : textsBelow(join(realDataFolder, path), ending);

/** Documents of the dashboard and of the documentation. */
export const documents: readonly string[] = [
  ...Object.values(
    JSON.parse(readFileSync(join(root, 'client/gql/persisted-documents.json'), 'utf8')) as Record<string, string>,
  ),
  ...pages.flatMap((file) => blocksOf(file).flatMap(({ language, text }) => (language === 'graphql' ? [text] : []))),
];

export const transcripts: readonly string[] = [
  ...recorded('server/work/log/transcripts/fixtures', '.jsonl'),
  ...['claude-code', 'codex'].flatMap((tool) => real(tool, '.jsonl')),
  ...real('gemini', '.json'),
];

export const definitions: readonly string[] = [
  ...recorded('client/examples/definitions', '.md'),
  ...recorded('server/work/pipelines/story', '.md'),
  ...real('agents', '.md'),
];

/** Answers of models, in which handoffs are found. */
export const responses: readonly string[] = [
  ...real('responses', '.response.json'),
  ...real('dumps', '.json'),
  '{"choices":[{"message":{"role":"assistant","tool_calls":[{"id":"a","type":"function","function":{"name":"transfer_to_codex_1","arguments":"{}"}}]}}]}',
  '{"content":[{"type":"tool_use","id":"a","name":"transfer_to_codex_1","input":{"reason":"x"}}]}',
];

export const pipeline = JSON.parse(
  readFileSync(join(root, 'server/work/pipelines/story/story.json'), 'utf8'),
) as Record<string, unknown>;

export const requests = hostileRequests;
