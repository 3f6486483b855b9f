import { createHash } from 'node:crypto';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { hookAlone, withPackages, workers } from '../packages.ts';
import { alone } from './database.ts';

const root = join(import.meta.dirname, '..');
/** Within the repository, so that Node finds the packages that are not bundled. */
const folder = join(root, 'node_modules', '.baton-test');
const programs = ['cli/baton.ts', 'server/main.ts'];
const sources = ['server', 'cli', 'client', 'prisma'];
/** A running test may still load parts of a bundle of earlier sources. */
const keptMs = 3_600_000;

let made: Promise<string> | undefined;

/**
 * The path of a program of this repository in one bundle with its packages, which is made once for these sources. Node starts
 * it in a third of the time of tsx. Each source keeps its own `import.meta`.
 */
export async function bundled(program: 'cli/baton.ts' | 'server/main.ts'): Promise<string> {
  return join(await (made ??= make()), nameOf(program));
}

const nameOf = (program: string): string => program.replaceAll('/', '-').replace(/\.ts$/, '.mjs');

async function make(): Promise<string> {
  const bundle = join(folder, hashSources());
  if (!existsSync(bundle)) {
    // A benchmark runs without Vitest, and alone.
    const once =
      process.env['VITEST'] === undefined ? (work: () => Promise<void>) => work() : alone.bind(null, 'bundle');
    await once(async () => {
      if (existsSync(bundle)) return;
      removeOld();
      const unfinished = `${bundle}-${process.pid}`;
      await build(unfinished);
      renameSync(unfinished, bundle);
    });
  }
  utimesSync(bundle, new Date(), new Date());
  return bundle;
}

async function build(outDir: string): Promise<void> {
  // Only who builds needs Vite.
  const vite = await import('vite');
  await vite.build({
    root,
    configFile: false,
    logLevel: 'warn',
    plugins: [
      {
        name: 'own-import-meta',
        transform: (code, id) =>
          !id.includes('node_modules') && id.startsWith(root) && code.includes('import.meta.')
            ? withOwnMeta(code, id)
            : null,
      },
    ],
    ...withPackages,
    build: {
      ssr: true,
      outDir,
      target: 'node20',
      minify: false,
      rolldownOptions: {
        input: Object.fromEntries([
          ...programs.map((program): [string, string] => [nameOf(program), join(root, program)]),
          ...workers.map((worker): [string, string] => [basename(worker).replace(/\.\w+$/, '.js'), join(root, worker)]),
        ]),
        output: { ...hookAlone, entryFileNames: '[name]', chunkFileNames: '[name]-[hash].mjs' },
      },
    },
  });
  copyFileSync(join(root, 'cli/baton.sh'), join(outDir, 'baton.sh'));
  writeFileSync(join(outDir, 'package.json'), '{ "type": "module" }');
}

/** Worker threads start from the bundle, as in the package: with tsx each takes 60 MB more, and a second of processor time. */
function withOwnMeta(code: string, id: string): string {
  return code
    .replaceAll(/(?<!new Threads\([^()]*)import\.meta\.url/g, JSON.stringify(pathToFileURL(id).href))
    .replaceAll('import.meta.dirname', JSON.stringify(join(id, '..')));
}

function hashSources(): string {
  const hash = createHash('sha256');
  const files = sources.flatMap((name) =>
    readdirSync(join(root, name), { recursive: true, withFileTypes: true }).filter(
      (entry) => entry.isFile() && /\.(ts|sh|json)$/.test(entry.name) && !entry.name.endsWith('.test.ts'),
    ),
  );
  for (const path of [
    ...files.map((entry) => join(entry.parentPath, entry.name)),
    join(root, 'package-lock.json'),
    import.meta.filename,
  ].sort())
    hash.update(path).update('\0').update(readFileSync(path)).update('\0');
  return hash.digest('hex').slice(0, 16);
}

function removeOld(): void {
  mkdirSync(folder, { recursive: true });
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    if (Date.now() - statSync(path).mtimeMs > keptMs) rmSync(path, { recursive: true, force: true });
  }
}
