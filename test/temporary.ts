import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { atEnd } from './database.ts';

/**
 * An empty folder whose name starts with `name`, removed at the end of the test file. A process that a test left in the
 * background may still write to it meanwhile: `rmSync` on Node 20 would not look again at what is in the folder.
 */
export function temporaryFolder(name: string, within = tmpdir()): string {
  const folder = mkdtempSync(join(within, `${name}-`));
  atEnd(() => rm(folder, { recursive: true, force: true, maxRetries: 10 }));
  return folder;
}
