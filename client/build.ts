import { createHash } from 'node:crypto';
import { existsSync, readdirSync } from 'node:fs';
import { chmod, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

// Builds the dashboard into dist/ when it is missing or was built from other sources, so that a start need not wait for it
// each time.
const source = import.meta.dirname;
const root = join(source, '..');
const target = join(root, 'dist');
const stamp = 'made-from';
const compressible = /\.(html|js|css|svg|json)$/;
/** Files beside the dashboard, and tests. */
const notOurs = /^(examples|api|build\.ts)|\.test\.ts$/;
/** Files that the dashboard has from elsewhere. */
const shared = [
  'package-lock.json',
  'server/work/tools/define.ts',
  'server/work/tools/tool.ts',
  'server/work/queue/rules.ts',
  'server/work/pipelines/rules.ts',
  'server/work/pipelines/fields.ts',
  ...readdirSync(join(root, 'server/work/pipelines/story')).map((file) => `server/work/pipelines/story/${file}`),
  'server/work/search/words.ts',
  'server/core/faults.ts',
  'server/core/canonicalJson.ts',
].map((file) => join(root, file));

async function buildDashboard(): Promise<void> {
  const hash = await hashSources();
  if (await isCurrent(target, hash)) return;
  const made = await mkdtemp(join(root, 'dist-'));
  try {
    await chmod(made, 0o755);
    const { build } = await import('vite');
    await build({
      configFile: join(source, 'vite.config.ts'),
      logLevel: 'warn',
      build: { outDir: made, emptyOutDir: true },
    });
    await compressFiles(made);
    await writeFile(join(made, stamp), hash);
    await replace(made, hash);
  } finally {
    await rm(made, { recursive: true, force: true });
  }
}

/** Renames a complete folder into place. Of two concurrent builds the first one stays. */
async function replace(made: string, hash: string): Promise<void> {
  if (await isCurrent(target, hash)) return;
  await rm(target, { recursive: true, force: true });
  await rename(made, target).catch(async (error: unknown) => {
    if (!(await isCurrent(target, hash))) throw error;
  });
}

async function isCurrent(folder: string, hash: string): Promise<boolean> {
  const file = join(folder, stamp);
  return existsSync(file) && (await readFile(file, 'utf8')) === hash;
}

async function hashSources(): Promise<string> {
  const files = (await filesIn(source)).filter((file) => !notOurs.test(relative(source, file)));
  const hash = createHash('sha256');
  for (const file of [...files.sort(), ...shared]) {
    hash
      .update(relative(root, file))
      .update('\0')
      .update(await readFile(file))
      .update('\0');
  }
  return hash.digest('hex');
}

async function filesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}

async function compressFiles(folder: string): Promise<void> {
  const files = (await filesIn(folder)).filter((file) => compressible.test(file));
  await Promise.all(
    files.map(async (file) => {
      const body = await readFile(file);
      const quality = { params: { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY } };
      await writeFile(`${file}.br`, await promisify(brotliCompress)(body, quality));
      await writeFile(`${file}.gz`, await promisify(gzip)(body, { level: 9 }));
    }),
  );
}

// Ignores the caller's environment: development builds of packages are slow.
process.env['NODE_ENV'] = 'production';
await buildDashboard();
