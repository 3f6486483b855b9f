import { realpathSync } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { commandLine } from '../server/core/place.ts';
import { readArguments, UsageError, type Command } from './command.ts';
import { print, printJson } from './output.ts';
import { download, exportTranscript } from './native/exportTranscript.ts';
import { isProgram } from './native/toolFolders.ts';
import { requireServer, serverUrl, urlUsage } from './serverUrl.ts';

const usage = `${commandLine('export <session id> --as <claude-code or codex>')} [options]

Writes the log of a session as a transcript of Claude Code or Codex, where its 'resume' finds it, and prints the command that
goes on with it in this folder. Overwrites nothing. Calls of tools that the program does not have become text. Older messages
are left out when they do not fit, or when the window was cut after them; the first message says so.

  --as <program>      claude-code or codex
  --out <file>        the file to write instead; - for standard output
  --max-tokens <n>    the most tokens of the log, 1000 to 1000000; default: 120000 for claude-code, 160000 for codex
  --json              prints the path, the id and the command as JSON
${urlUsage}

Set BATON_KEY where the server requires a key. CLAUDE_CONFIG_DIR and CODEX_HOME apply as in the programs.`;

async function run(args: string[]): Promise<void> {
  const { values, positionals } = readArguments({
    args,
    allowPositionals: true,
    options: {
      as: { type: 'string' },
      out: { type: 'string' },
      'max-tokens': { type: 'string' },
      json: { type: 'boolean', default: false },
      url: { type: 'string' },
    },
  });
  const [sessionId, ...more] = positionals;
  const { as, out = null, 'max-tokens': maxTokens = null, json } = values;
  if (sessionId === undefined || more.length > 0) throw new UsageError();
  if (!isProgram(as))
    throw new UsageError(
      as === undefined
        ? 'Say with --as for which program the transcript is.'
        : `'${as}' is not a program that Baton writes for: give claude-code or codex`,
    );
  const url = serverUrl(values.url);
  await requireServer(url);
  const options = { url, key: process.env['BATON_KEY'], sessionId, as, folder: realpathSync('.'), maxTokens };
  if (out === '-') return pipeline(Readable.fromWeb(await download(options)), process.stdout, { end: false });
  const { path, id, resume } = await exportTranscript({ ...options, out });
  if (json) printJson({ path, id, resume }, 2);
  else print(out === null ? `${path}\n\nGo on in this folder:\n\n  ${resume.join(' ')}` : path);
}

export const exportCommand: Command = { usage, run };
