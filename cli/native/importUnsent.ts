import { realpathSync } from 'node:fs';
import { Failed } from '../hook/request.ts';
import { sendNew } from '../hook/send.ts';
import { StateFile } from '../hook/state.ts';
import { formats } from '../hook/lines.ts';
import { workIn, workspaceIn } from '../hook/work.ts';
import { recentSessions } from './recentSessions.ts';
import type { Program } from './toolFolders.ts';

/** The newest logs that are looked at. */
const newest = 20;
const importMs = 120_000;

const programOf: Partial<Record<string, Program>> = { CODEX: 'codex', CLAUDE: 'claude-code' };

export interface Tenure {
  /** Of the session. */
  id: string;
  agent: { id: string; type: string };
  startedAt: string;
}

/**
 * Imports what the holder's program wrote in this folder since the tenure began and no hook has sent: hooks of Codex do not run before
 * a person approves them. Returns why a log was not imported, for each.
 */
export async function importUnsent(url: string, folder: string, { id, agent, startedAt }: Tenure): Promise<string[]> {
  const program = programOf[agent.type];
  if (program === undefined) return [];
  const here = workspaceIn(realpathSync(folder)).id;
  const problems: string[] = [];
  for (const found of (await recentSessions({ url, limit: newest })).sessions) {
    if (found.program !== program || found.imported === 'yes' || found.exportedFrom !== null) continue;
    if (found.at < new Date(startedAt) || found.folder === null || workspaceOf(found.folder) !== here) continue;
    const signal = AbortSignal.timeout(importMs);
    const file = new StateFile(url, found.path);
    const sending = {
      server: { url, key: process.env['BATON_KEY'] },
      agent: agent.id,
      work: workIn(folder, undefined, { BATON_SESSION: id }),
      transcript: { path: found.path, format: formats[program] },
      turnEnd: null,
      handsOff: true,
      compacts: false,
      ends: false,
    };
    await file
      .locked(signal, async () => {
        const { refusal } = await sendNew(file, sending, signal);
        if (refusal !== null) problems.push(`${found.path}: ${refusal}`);
      })
      .catch((error: unknown) => {
        if (!(error instanceof Failed)) throw error;
        problems.push(`${found.path}: ${error.code}: ${error.message}`);
      });
  }
  return problems;
}

/** Null when the folder is not there any more. */
function workspaceOf(folder: string): string | null {
  try {
    return workspaceIn(realpathSync(folder)).id;
  } catch {
    return null;
  }
}
