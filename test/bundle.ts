import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'vite';
import { isAlive } from './processes.ts';

const root = join(import.meta.dirname, '..');
/** Within the repository, so that Node finds the packages. */
const folder = join(root, 'node_modules', '.baton-test');
const ours = join(folder, String(process.pid));
const bundles = new Map<string, Promise<string>>();

/**
 * Bundles a program of this repository once per process and returns the file's path. Node starts it in less than half of the
 * time of tsx. Each source keeps its own `import.meta`; packages stay external.
 */
export function bundled(program: string): Promise<string> {
  if (bundles.size === 0) removeAbandoned();
  const known = bundles.get(program) ?? bundle(program);
  bundles.set(program, known);
  return known;
}

async function bundle(program: string): Promise<string> {
  const name = program.replaceAll('/', '-').replace(/\.ts$/, '.mjs');
  await build({
    root,
    configFile: false,
    logLevel: 'warn',
    plugins: [{ name: 'own-import-meta', transform: (code, id) => (id.startsWith(root) && code.includes('import.meta.') ? withOwnMeta(code, id) : null) }],
    build: { ssr: join(root, program), outDir: ours, emptyOutDir: false, target: 'node20', minify: false, rolldownOptions: { output: { entryFileNames: name } } },
  });
  return join(ours, name);
}

function withOwnMeta(code: string, id: string): string {
  return code.replaceAll('import.meta.url', JSON.stringify(pathToFileURL(id).href)).replaceAll('import.meta.dirname', JSON.stringify(join(id, '..')));
}

/** Removes folders of killed workers. */
function removeAbandoned(): void {
  for (const pid of existsSync(folder) ? readdirSync(folder) : []) if (!isAlive(Number(pid))) rmSync(join(folder, pid), { recursive: true, force: true });
}

process.once('exit', () => rmSync(ours, { recursive: true, force: true }));
