import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { addTypenameSelectionDocumentTransform, preset } from '@graphql-codegen/client-preset';
import { codegen } from '@graphql-codegen/core';
import type { Types } from '@graphql-codegen/plugin-helpers';
import * as typedDocumentNode from '@graphql-codegen/typed-document-node';
import * as typescriptOperations from '@graphql-codegen/typescript-operations';
import { buildSchema, isAbstractType, isObjectType, parse } from 'graphql';
import { printContract } from './server/api/graphql/print.ts';

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

/** The dashboard's documents: `.graphql` files, and what TypeScript gives to `graphql(`. */
async function documents(): Promise<Types.DocumentFile[]> {
  const folder = join(root, 'client');
  if (!existsSync(folder)) return [];
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries
    .filter((entry) => entry.isFile() && /\.(graphql|tsx?)$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => !/^(gql|api)\//.test(relative(folder, file)))
    .sort();
  const found = await Promise.all(files.map(read));
  return found.flat();
}

async function read(location: string): Promise<Types.DocumentFile[]> {
  const text = await readFile(location, 'utf8');
  const sources = location.endsWith('.graphql')
    ? [text]
    : [...text.matchAll(/\bgraphql\(\s*`([^`]*)`/g)].map(([, source]) => source!);
  return sources.map((rawSDL) => ({ location, rawSDL, document: parse(rawSDL), hash: rawSDL }));
}

const schema = parse(contract);
const schemaAst = buildSchema(contract);
const common = {
  useTypeImports: true,
  enumsAsTypes: true,
  scalars: { DateTime: 'string', ID: 'string', JSON: 'unknown' },
  emitLegacyCommonJSImports: true,
};

const generate = async (options: Types.GenerateOptions): Promise<Output> => ({
  filename: options.filename,
  content: await codegen(options),
});

async function typedDocuments(): Promise<Output[]> {
  const found = await documents();
  if (found.length === 0) return [];
  const parts = await preset.buildGeneratesSection({
    baseOutputDir: join(root, 'client/gql/'),
    presetConfig: { persistedDocuments: true, fragmentMasking: { unmaskFunctionName: 'readFragment' } },
    plugins: [],
    pluginMap: {},
    schema,
    schemaAst,
    documents: found,
    config: common,
    // The cache asks for every `__typename`: with them in the documents, what is named is what is sent.
    // The server knows the client's documents by their SHA-256 (`persisted-documents.json`), and so does each document.
    documentTransforms: [{ name: 'typename', transformObject: addTypenameSelectionDocumentTransform }],
  });
  return [...(await Promise.all(parts.map(generate))), cacheTypes(), await packagedOperations()];
}

/** The typed operations of `baton-handoffs/client`: texts that need no package at run time. */
const packagedOperations = async (): Promise<Output> =>
  generate({
    filename: join(root, 'client/api/operations.ts'),
    plugins: [{ 'typescript-operations': {} }, { 'typed-document-node': {} }],
    pluginMap: { 'typescript-operations': typescriptOperations, 'typed-document-node': typedDocumentNode },
    schema,
    schemaAst,
    documents: await read(join(root, 'client/api/operations.graphql')),
    config: { ...common, documentMode: 'string', dedupeFragments: true },
  });

/** What the client's cache has to know of the schema: the types behind each abstract one, and those without an identity. */
function cacheTypes(): Output {
  const types = Object.values(schemaAst.getTypeMap()).filter(({ name }) => !name.startsWith('__'));
  const possible = types
    .filter(isAbstractType)
    .map((type) => [type.name, schemaAst.getPossibleTypes(type).map(({ name }) => name)] as const);
  const embedded = types
    .filter(isObjectType)
    .filter(
      (type) =>
        !['Query', 'Mutation', 'Subscription'].includes(type.name) &&
        !type.getInterfaces().some(({ name }) => name === 'Node'),
    )
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
