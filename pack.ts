import { chmod, copyFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { rollup } from 'rollup';
import { dts } from 'rollup-plugin-dts';
import { build } from 'vite';
import { possibleTypes } from './client/gql/cacheTypes.ts';
import { packClient } from './packClient.ts';
import { hookAlone, withPackages, workers } from './packages.ts';

/** Builds `lib`, the JavaScript of the package: `npm pack` runs it. */
const root = import.meta.dirname;
const lib = join(root, 'lib');

async function buildServer(): Promise<void> {
  await build({
    root,
    configFile: false,
    logLevel: 'warn',
    ...withPackages,
    build: {
      ssr: true,
      outDir: lib,
      emptyOutDir: false,
      target: 'node20',
      minify: false,
      license: { fileName: 'licenses.md' },
      rolldownOptions: {
        input: ['cli/baton.ts', ...workers].map((file) => join(root, file)),
        output: { ...hookAlone, entryFileNames: '[name].js', chunkFileNames: '[name]-[hash].js' },
      },
    },
  });
  await chmod(join(lib, 'baton.js'), 0o755);
  await copyFile(join(root, 'cli/baton.sh'), join(lib, 'baton.sh'));
}

/** `baton-handoffs/client` in one file without packages, with its types; and which types each union has, for a cache. */
async function buildClient(): Promise<void> {
  await packClient(lib);
  const types = await rollup({
    input: join(root, 'client/api/index.ts'),
    plugins: [dts({ respectExternal: true, tsconfig: join(root, 'tsconfig.json') })],
  });
  const { output } = await types.generate({ format: 'es' });
  for (const name of ['client.d.ts', 'client.d.cts']) await writeFile(join(lib, name), output[0].code);
  await writeFile(join(lib, 'possibleTypes.json'), JSON.stringify(possibleTypes));
}

await rm(lib, { recursive: true, force: true });
await buildServer();
await buildClient();
