import { realpathSync, rmSync } from 'node:fs';
import { AwayError } from '../../infra/startError.ts';
import { exportTranscript } from '../native/exportTranscript.ts';
import type { Program } from '../native/toolFolders.ts';

/** The log of a session as a transcript with which the command goes on. */
export interface History {
  /** The program's id of it. */
  id: string;
  path: string;
  /** What the program takes to resume it, such as `--resume <id>`. */
  args: string;
  /** Whether it has the session's log from the first message on. */
  isWhole: boolean;
}

/** Commands name their history with this, or by the variable BATON_RESUME. */
const placeholder = '{resume}';

export const takesHistory = (command: string): boolean =>
  command.includes(placeholder) || command.includes('BATON_RESUME');

/** The command with the arguments of its history; without one, with nothing in their place. */
export const withHistory = (command: string, history: History | null): string =>
  command.replaceAll(placeholder, history?.args ?? '');

interface From {
  url: string;
  key: string | undefined;
  agent: string;
  sessionId: string;
}

/** Writes what the agent may read of the log to where the program looks in this folder. Returns why it cannot go on with that, else the history. @throws AwayError */
export async function writeHistory(program: Program, from: From): Promise<History | string> {
  try {
    const { id, path, resume, isWhole, entries } = await exportTranscript({
      ...from,
      as: program,
      folder: realpathSync('.'),
      out: null,
      maxTokens: null,
      reuse: true,
    });
    if (entries > 0) return { id, path, args: resume.slice(1).join(' '), isWhole };
    rmSync(path);
    return 'the log has nothing yet that the agent may read';
  } catch (error) {
    if (error instanceof AwayError) throw error;
    return error instanceof Error ? error.message : String(error);
  }
}
