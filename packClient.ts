import { join } from 'node:path';
import { build } from 'vite';

const root = import.meta.dirname;

/** Writes the code of `baton-handoffs/client`, without packages, as ES module and CommonJS: for browsers, Node and bundlers. */
export const packClient = (outDir: string): Promise<unknown> =>
  build({
    root,
    configFile: false,
    logLevel: 'warn',
    publicDir: false,
    build: {
      lib: {
        entry: join(root, 'client/api/index.ts'),
        formats: ['es', 'cjs'],
        fileName: (format) => (format === 'es' ? 'client.js' : 'client.cjs'),
      },
      outDir,
      emptyOutDir: false,
      target: 'es2022',
      minify: false,
      license: { fileName: 'client-licenses.md' },
    },
  });
