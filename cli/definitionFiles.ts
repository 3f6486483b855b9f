import { readdir, readFile, stat } from 'node:fs/promises';
import { basename, join, relative, sep } from 'node:path';
import { limits } from '../server/core/limits.ts';
import { StartError } from '../server/core/startError.ts';
import type { DefinitionFile } from '../server/work/registry/definition.ts';

/** Where Claude Code and VS Code keep the definitions of a repository. */
const ownFolders = ['.claude/agents', '.github/agents'];

/** Whether a file of a folder may be a definition. Editors leave hidden files beside it. */
export const isDefinition = (path: string): boolean =>
  path.endsWith('.md') && !/^(?:readme\.md$|\.)/i.test(basename(path));

/** Folders that are never searched. */
export const isSkipped = (name: string): boolean => name === 'node_modules' || name === '.git';

/** The files and folders to read: a repository stands for the folders of its tools. @throws StartError */
export async function rootsOf(paths: readonly string[]): Promise<string[]> {
  const roots = await Promise.all(
    paths.map(async (path) => {
      const found = await statOf(path);
      if (found === null) throw new StartError(`${path} does not exist: check the path`);
      if (found.isFile()) return [path];
      const own = ownFolders.map((folder) => join(path, folder));
      const existing = await Promise.all(own.map(async (folder) => (await statOf(folder))?.isDirectory() === true));
      return existing.includes(true) ? own.filter((_, index) => existing[index]) : [path];
    }),
  );
  return [...new Set(roots.flat())];
}

/** Reads all definitions, in the order of their paths. Skips files that vanish meanwhile. @throws StartError */
export async function readDefinitions(roots: readonly string[]): Promise<DefinitionFile[]> {
  const paths = await Promise.all(roots.map(pathsIn));
  const files = await Promise.all([...new Set(paths.flat())].sort().map(readOne));
  return files.filter((file) => file !== null);
}

async function pathsIn(root: string): Promise<string[]> {
  if ((await statOf(root))?.isDirectory() !== true) return [root];
  const entries = await readdir(root, { withFileTypes: true }).catch(unlessGone([]));
  const below = await Promise.all(
    entries.map(async (entry) => {
      const path = join(root, entry.name);
      if (entry.isDirectory()) return isSkipped(entry.name) ? [] : pathsIn(path);
      return isDefinition(path) ? [path] : [];
    }),
  );
  return below.flat();
}

async function readOne(path: string): Promise<DefinitionFile | null> {
  const found = await statOf(path);
  if (found === null) return null;
  const max = limits.definitions.file;
  if (found.size > max) throw new StartError(`${path} has ${found.size} bytes; the limit is ${max}: shorten it`);
  const bytes = await readFile(path).catch(unlessGone(null));
  if (bytes === null) return null;
  try {
    return {
      path: relative(process.cwd(), path).split(sep).join('/'),
      content: new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes),
    };
  } catch {
    throw new StartError(`${path} is not UTF-8: save it as UTF-8`);
  }
}

const statOf = (path: string) => stat(path).catch(unlessGone(null));

/** Takes a file that does not exist, or no longer, for the given value. */
const unlessGone =
  <Value>(value: Value) =>
  (error: unknown): Value => {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return value;
    throw new StartError(message);
  };
