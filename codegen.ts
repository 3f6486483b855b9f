import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { generate } from '@graphql-codegen/cli';
import { addTypenameSelectionDocumentTransform } from '@graphql-codegen/client-preset';
import { buildSchema, isAbstractType, isObjectType } from 'graphql';
import { printContract } from './server/graphql/print.ts';

/**
 * Writes what is generated from the schema: `schema.graphql`, and `client/gql` once the client has documents.
 * With `--check` it writes nothing and fails when something is stale.
 */
const root = dirname(fileURLToPath(import.meta.url));
const contract = printContract();

interface Output {
  filename: string;
  content: string;
}

/** The dashboard's files that hold documents: `.graphql`, or TypeScript that calls `graphql(`. */
async function documents(): Promise<string[]> {
  const folder = join(root, 'client');
  if (!existsSync(folder)) return [];
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries
    .filter((entry) => entry.isFile() && /\.(graphql|tsx?)$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => !/^(gql|api)\//.test(relative(folder, file)));
  const texts = await Promise.all(files.map((file) => readFile(file, 'utf8')));
  return files.filter((file, index) => file.endsWith('.graphql') || /\bgraphql\(/.test(texts[index]!));
}

async function typedDocuments(): Promise<Output[]> {
  const found = await documents();
  if (found.length === 0) return [];
  const config = { useTypeImports: true, enumsAsTypes: true, scalars: { DateTime: 'string', ID: 'string', JSON: 'unknown' } };
  const presetConfig = { persistedDocuments: true, fragmentMasking: { unmaskFunctionName: 'readFragment' } };
  const outputs: unknown = await generate(
    {
      schema: contract,
      documents: found,
      // The cache asks for every `__typename`: with them in the documents, what is named is what is sent.
      // The server knows the client's documents by their SHA-256 (`persisted-documents.json`), and so does each document.
      generates: { [join(root, 'client/gql/')]: { preset: 'client', presetConfig, documentTransforms: [addTypenameSelectionDocumentTransform], config } },
      silent: true,
    },
    false,
  );
  return [...(outputs as Output[]), cacheTypes(), ...(await packagedOperations())];
}

/** The typed operations of `baton/client`: texts that need no package at run time. */
async function packagedOperations(): Promise<Output[]> {
  const config = { useTypeImports: true, enumsAsTypes: true, documentMode: 'string', dedupeFragments: true, scalars: { DateTime: 'string', ID: 'string', JSON: 'unknown' } };
  const plugins = ['typescript-operations', 'typed-document-node'];
  const outputs: unknown = await generate(
    { schema: contract, documents: [join(root, 'client/api/operations.graphql')], generates: { [join(root, 'client/api/operations.ts')]: { plugins, config } }, silent: true },
    false,
  );
  return outputs as Output[];
}

/** What the client's cache has to know of the schema: the types behind each abstract one, and those without an identity. */
function cacheTypes(): Output {
  const schema = buildSchema(contract);
  const types = Object.values(schema.getTypeMap()).filter(({ name }) => !name.startsWith('__'));
  const possible = types.filter(isAbstractType).map((type) => [type.name, schema.getPossibleTypes(type).map(({ name }) => name)] as const);
  const embedded = types
    .filter(isObjectType)
    .filter((type) => !['Query', 'Mutation', 'Subscription'].includes(type.name) && !type.getInterfaces().some(({ name }) => name === 'Node'))
    .map(({ name }) => name);
  const content = `export const possibleTypes: Record<string, string[]> = ${JSON.stringify(Object.fromEntries(possible), null, 2)};

export const embeddedTypes: string[] = ${JSON.stringify(embedded, null, 2)};
`;
  return { filename: join(root, 'client/gql/cacheTypes.ts'), content };
}

const isStale = async ({ filename, content }: Output): Promise<boolean> =>
  !existsSync(filename) || (await readFile(filename, 'utf8')) !== content;

async function write({ filename, content }: Output): Promise<void> {
  await mkdir(dirname(filename), { recursive: true });
  await writeFile(filename, content);
}

const outputs = [{ filename: join(root, 'schema.graphql'), content: contract }, ...(await typedDocuments())];
const stale = (await Promise.all(outputs.map(async (output) => ((await isStale(output)) ? [output] : [])))).flat();
const names = stale.map(({ filename }) => filename.slice(root.length + 1)).join(', ');
if (process.argv.includes('--check')) {
  if (stale.length > 0) {
    console.error(`Stale: ${names}. Run npm run codegen, and look at what has changed in the contract.`);
    process.exitCode = 1;
  }
} else {
  await Promise.all(stale.map(write));
  console.log(stale.length === 0 ? 'Everything that is generated from the schema is up to date.' : `Written: ${names}`);
}
