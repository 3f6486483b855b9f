import { realpathSync, rmSync } from 'node:fs';
import { AwayError } from '../../server/core/startError.ts';
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

/** Commands of a program that read the prompt from standard input, in two parts: the arguments of its history stand between them. */
const forms: [Program, RegExp][] = [
  ['claude-code', /^((?:\w+=[\w./:@-]*\s+)*(?:\S*\/)?claude)(\s(?:.*\s)?(?:-p|--print)(?:\s.*)?)$/],
  ['codex', /^((?:\w+=[\w./:@-]*\s+)*(?:\S*\/)?codex\s+exec(?:\s.*)?)(\s-)$/],
];

/**
 * The program that a command starts, and the command with the place of its history. Null: the command is more than that, or names a
 * conversation itself; it gets the prompt alone.
 */
export function resumableIn(command: string): { native: Program; command: string } | null {
  const isMore = /[;&|<>`\n]|\$\(/.test(command);
  const namesOne =
    /\s(?:resume|review|-r|-c|--resume|--continue|--session-id|--fork-session|--no-session-persistence|--ephemeral)(?:[\s=]|$)/.test(
      command,
    );
  if (isMore || namesOne) return null;
  for (const [native, form] of forms) {
    const [, before, after] = form.exec(command.trim()) ?? [];
    if (before !== undefined) return { native, command: `${before} ${placeholder}${after}` };
  }
  return null;
}

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
