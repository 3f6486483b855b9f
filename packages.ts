import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { UserConfig } from 'vite';

/** Only packages that hold programs are dependencies; all others are bundled. */
const { dependencies } = JSON.parse(readFileSync(join(import.meta.dirname, 'package.json'), 'utf8')) as {
  dependencies: object;
};
/** Packages of `baton migrate diff`, which works in a clone only. */
const forClones = ['@prisma/schema-engine-wasm', '@prisma/schema-engine-wasm/schema_engine_bg'];

/** A hook starts before each prompt: one file of its own loads in two thirds of the time of nine shared ones. */
export const hookAlone = {
  codeSplitting: {
    groups: [
      {
        name: 'hook',
        test: /\/(cli\/(hook(\/|\.ts)|output\.ts|connect\/stateFolder\.ts)|server\/core\/(workspace|startError)\.ts|client\/api\/refusal\.ts)/,
      },
    ],
  },
};

/** Files of worker threads: a build puts them beside the program. */
export const workers = [
  'server/work/log/importWorker.ts',
  'server/work/pipelines/checkWorker.mjs',
  'server/work/registry/definitionWorker.ts',
];

/** How a build of the server takes its packages in. */
export const withPackages = {
  ssr: { noExternal: true, external: [...Object.keys(dependencies), ...forClones] },
  // Some packages ask for its CommonJS build. A second copy would refuse the schema of the first.
  resolve: { alias: [{ find: /^graphql$/, replacement: 'graphql/index.mjs' }] },
} satisfies UserConfig;
