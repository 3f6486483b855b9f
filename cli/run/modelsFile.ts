import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { z } from 'zod';
import { StartError } from '../../server/core/startError.ts';

/** The file that BATON_MODELS names: models by name, in YAML or JSON. */

export const vendors = ['anthropic', 'openai', 'google', 'openai-compatible'] as const;
export type Vendor = (typeof vendors)[number];

const entry = z.strictObject({
  provider: z.enum([...vendors, 'script']),
  model: z.string().min(1),
  /** Of another server with the same API. */
  baseURL: z.url().optional(),
  /** The environment variable that has the key. */
  apiKeyEnv: z.string().optional(),
  /** In tokens. */
  contextWindow: z.int().min(1_000).optional(),
  /** The answer comes in parts: for servers that give up on long ones. */
  stream: z.boolean().default(false),
  /** An answer that has not ended by then counts as none. */
  timeoutSeconds: z.int().min(1).max(3_600).default(300),
  /** Dollars for a million tokens. */
  price: z.strictObject({ input: z.number().min(0), output: z.number().min(0) }).optional(),
});
export type ModelEntry = z.infer<typeof entry>;
const modelsFile = z.record(z.string(), entry);
export type ModelsFile = z.infer<typeof modelsFile>;

/** @throws StartError */
export function readModelsFile(path: string | undefined): ModelsFile {
  if (path === undefined) return {};
  try {
    return modelsFile.parse(parse(readFileSync(path, 'utf8')) ?? {});
  } catch (error) {
    throw new StartError(`The models file ${path} ${problemOf(error)}`);
  }
}

/** In one sentence. */
function problemOf(error: unknown): string {
  if (error instanceof z.ZodError)
    return `is not right: ${error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; ')}${
      JSON.stringify(error.issues).includes('"apiKey"')
        ? '. Keys do not stand in it: apiKeyEnv names the environment variable that has one'
        : ''
    }`;
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === 'ENOENT') return 'does not exist: check the path';
  return `cannot be read: ${message.split('\n')[0]}`;
}
