import { chmod, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { rollup } from 'rollup';
import { dts } from 'rollup-plugin-dts';
import { build } from 'vite';
import { packClient } from './packClient.ts';

/** Builds `lib`, the JavaScript of the package: `npm pack` runs it. */
const root = import.meta.dirname;
const lib = join(root, 'lib');

/** Only packages that hold programs are dependencies; all others are bundled. */
const { dependencies } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as { dependencies: object };
/** Packages of `baton migrate diff`, which works in a clone only. */
const forClones = ['@prisma/schema-engine-wasm', '@prisma/schema-engine-wasm/schema_engine_bg'];

async function buildServer(): Promise<void> {
  await build({
    root,
    configFile: false,
    logLevel: 'warn',
    ssr: { noExternal: true, external: [...Object.keys(dependencies), ...forClones] },
    // Some packages ask for its CommonJS build. A second copy would refuse the schema of the first.
    resolve: { alias: [{ find: /^graphql$/, replacement: 'graphql/index.mjs' }] },
    build: {
      ssr: join(root, 'server/cli/baton.ts'),
      outDir: lib,
      emptyOutDir: false,
      target: 'node20',
      minify: false,
      license: { fileName: 'licenses.md' },
      rolldownOptions: { output: { entryFileNames: '[name].js', chunkFileNames: '[name]-[hash].js' } },
    },
  });
  await chmod(join(lib, 'baton.js'), 0o755);
}

/** `baton/client` in one file without packages, with its types. */
async function buildClient(): Promise<void> {
  await packClient(lib);
  const types = await rollup({ input: join(root, 'client/api/index.ts'), plugins: [dts({ respectExternal: true, tsconfig: join(root, 'tsconfig.json') })] });
  const { output } = await types.generate({ format: 'es' });
  for (const name of ['client.d.ts', 'client.d.cts']) await writeFile(join(lib, name), output[0].code);
}

await rm(lib, { recursive: true, force: true });
await buildServer();
await buildClient();
