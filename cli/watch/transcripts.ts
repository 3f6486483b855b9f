import { closeSync, existsSync, openSync, readdirSync, readSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { handoffOfPrompt } from '../../server/work/log/transcripts/batonPrompt.ts';
import type { Transcript } from '../hook/lines.ts';
import { exportedFrom } from '../hook/work.ts';
import { sessionFolders } from '../native/toolFolders.ts';

const maxHeadBytes = 1_000_000;

/**
 * The transcripts of Claude Code and Codex that begin with the prompt of this handoff. They were written since `since`. Those
 * that Baton wrote are of other runs: they only quote the prompts of earlier handoffs.
 */
export function transcriptsOf(handoffId: string, since: Date): Transcript[] {
  const { 'claude-code': claude, codex } = sessionFolders();
  const found: Transcript[] = [
    ...filesIn(namesIn(claude).map((name) => join(claude, name))).map((path) => ({
      path,
      format: 'CLAUDE_CODE' as const,
    })),
    ...filesIn(daysSince(since).map((day) => join(codex, day))).map((path) => ({ path, format: 'CODEX' as const })),
  ];
  return found.filter(
    ({ path }) =>
      statSync(path).mtime >= since && handoffOfPrompt(headOf(path)) === handoffId && exportedFrom(path) === null,
  );
}

const namesIn = (folder: string): string[] => (existsSync(folder) ? readdirSync(folder) : []);
const filesIn = (folders: string[]): string[] =>
  folders.flatMap((folder) =>
    statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true
      ? namesIn(folder)
          .filter((name) => name.endsWith('.jsonl'))
          .map((name) => join(folder, name))
      : [],
  );

const dayMs = 86_400_000;

/** Folders of Codex such as `2026/11/23`. They are named by the local day: one more on each side. */
function daysSince(since: Date): string[] {
  const days: string[] = [];
  for (let at = since.getTime() - dayMs; at < Date.now() + 2 * dayMs; at += dayMs)
    days.push(new Date(at).toISOString().slice(0, 10).replaceAll('-', '/'));
  return days;
}

function headOf(path: string): string {
  const file = openSync(path, 'r');
  try {
    const bytes = Buffer.alloc(maxHeadBytes);
    return bytes.subarray(0, readSync(file, bytes, 0, bytes.length, 0)).toString();
  } finally {
    closeSync(file);
  }
}
