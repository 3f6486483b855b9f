import type { Model } from './conversation.ts';
import { vendors, type ModelEntry, type ModelsFile, type Vendor } from './modelsFile.ts';
import { scriptModel } from './scriptModel.ts';
import type { Secrets } from './secrets.ts';

/** Which model a name in a definition means: one of the models file, `provider/name`, or a bare name with a known beginning. */

/** Names of Claude Code, and the names by which the provider knows them. */
const aliases: Record<string, string> = {
  sonnet: 'claude-sonnet-4-5',
  opus: 'claude-opus-4-5',
  haiku: 'claude-haiku-4-5',
};
const prefixes: [RegExp, Vendor][] = [
  [/^claude-/, 'anthropic'],
  [/^(gpt-|o\d|chatgpt-|codex-)/, 'openai'],
  [/^gemini-/, 'google'],
];
const keyNames: Record<Vendor, string | null> = {
  anthropic: 'ANTHROPIC_API_KEY',
  openai: 'OPENAI_API_KEY',
  google: 'GOOGLE_GENERATIVE_AI_API_KEY',
  'openai-compatible': null,
};

const plain = (provider: Vendor | 'script', model: string): ModelEntry => ({
  provider,
  model,
  stream: false,
  timeoutSeconds: 300,
});

/** What a name means; null when nothing says it. */
export function entryOf(name: string, file: ModelsFile): ModelEntry | null {
  if (Object.hasOwn(file, name)) return file[name]!;
  const [provider = '', ...rest] = name.split('/');
  const model = rest.join('/');
  if (model !== '' && provider === 'script') return plain('script', model);
  if (model !== '' && provider !== 'openai-compatible' && (vendors as readonly string[]).includes(provider))
    return plain(provider as Vendor, model);
  const bare = Object.hasOwn(aliases, name) ? aliases[name]! : name;
  const known = prefixes.find(([pattern]) => pattern.test(bare));
  return known === undefined ? null : plain(known[1], bare);
}

/** The model of a name, or a sentence that says what would make it known. */
export async function resolveModel(
  name: string,
  { file, folder, env, secrets }: { file: ModelsFile; folder: string; env: NodeJS.ProcessEnv; secrets: Secrets },
): Promise<Model | string> {
  const found = entryOf(name, file);
  if (found === null)
    return `no model is known as '${name}': name it in the models file (BATON_MODELS), or write provider/name, such as anthropic/claude-sonnet-4-5`;
  const limits = { contextWindow: found.contextWindow ?? null, price: found.price ?? null };
  if (found.provider === 'script') {
    const model = scriptModel(name, found.model, folder);
    return typeof model === 'string' ? model : { ...model, ...limits };
  }
  if (found.provider === 'openai-compatible' && found.baseURL === undefined)
    return `the model '${name}' needs the address of its server: give baseURL in the models file`;
  const keyName = found.apiKeyEnv ?? keyNames[found.provider];
  const key = keyName === null ? undefined : env[keyName] || undefined;
  if (keyName !== null && key === undefined && !(found.baseURL !== undefined && found.apiKeyEnv === undefined))
    return `the model '${name}' needs a key: set ${keyName}`;
  if (key !== undefined) secrets.add(key);
  const { vendorModel } = await import('./vendorModel.ts');
  return vendorModel(name, { ...found, provider: found.provider }, key, limits);
}
