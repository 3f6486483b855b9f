import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../test/temporary.ts';
import { entryOf, resolveModel } from './models.ts';
import { Secrets } from './secrets.ts';
import { readModelsFile } from './modelsFile.ts';

const folder = temporaryFolder('baton-models');
const file = readModelsFile(
  write(
    'models.yaml',
    `local: { provider: openai-compatible, baseURL: 'http://127.0.0.1:11434/v1', model: qwen3 }
sonnet: { provider: openai, model: gpt-5, apiKeyEnv: MY_KEY }
homeless: { provider: openai-compatible, model: qwen3 }
`,
  ),
);

function write(name: string, content: string): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

describe('a name in a definition', () => {
  it.each([
    ['local', 'openai-compatible', 'qwen3'],
    ['sonnet', 'openai', 'gpt-5'],
    ['opus', 'anthropic', 'claude-opus-4-5'],
    ['claude-haiku-4-5', 'anthropic', 'claude-haiku-4-5'],
    ['gpt-5', 'openai', 'gpt-5'],
    ['gemini-2.5-pro', 'google', 'gemini-2.5-pro'],
    ['google/gemma-3', 'google', 'gemma-3'],
    ['script/answers/team.json', 'script', 'answers/team.json'],
  ])('%s means a model of %s', (name, provider, model) => {
    expect(entryOf(name, file)).toMatchObject({ provider, model });
  });

  it.each([['inherit'], ['mistral/large'], ['openai-compatible/x'], ['constructor'], ['']])('%s means none', (name) => {
    expect(entryOf(name, file)).toBeNull();
  });
});

describe('a model that cannot be used', () => {
  it.each([
    [
      'inherit',
      "no model is known as 'inherit': name it in the models file (BATON_MODELS), or write provider/name, such as anthropic/claude-sonnet-4-5",
    ],
    ['gpt-5', "the model 'gpt-5' needs a key: set OPENAI_API_KEY"],
    ['sonnet', "the model 'sonnet' needs a key: set MY_KEY"],
    ['homeless', "the model 'homeless' needs the address of its server: give baseURL in the models file"],
  ])('%s is named with what to do', async (name, sentence) => {
    expect(await resolveModel(name, { file, folder, env: {}, secrets: new Secrets() })).toBe(sentence);
  });

  it('of a script says which file is missing or wrong', async () => {
    const settings = { file, folder, env: {}, secrets: new Secrets() };
    expect(await resolveModel('script/none.json', settings)).toMatch(/there is no script .*none\.json/);
    write('wrong.json', '{ "writer": [[{ "words": "?" }]] }');
    expect(await resolveModel('script/wrong.json', settings)).toMatch(/is no script of answers: .*Unrecognized key/s);
  });

  it('in a models file is refused with the field that is wrong', () => {
    expect(() => readModelsFile(write('bad.yaml', 'a: { provider: claude, model: x }'))).toThrow(
      /bad\.yaml is not right: a\.provider: /,
    );
    expect(() => readModelsFile(join(folder, 'absent.yaml'))).toThrow(/absent\.yaml does not exist/);
    expect(() =>
      readModelsFile(write('key.yaml', 'a: { provider: openai, model: x, apiKey: k }\nb: { model: y }')),
    ).toThrow(/^The models file \S+ is not right: [^\n]*b\.provider: [^\n]*apiKeyEnv names the environment variable/);
    expect(() => readModelsFile(write('torn.yaml', 'a: [1,\nb'))).toThrow(
      /^The models file \S+ cannot be read: [^\n]+$/,
    );
  });
});
