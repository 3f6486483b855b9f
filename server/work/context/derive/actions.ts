import { posix } from 'node:path';
import { isReading, isSearch, isTrivial, programOf } from './commands.ts';
import { fieldsOf, type RecordedCall, type RecordedLog } from './log.ts';
import { screen } from './screen.ts';
import { splitShell, type SimpleCommand } from './shell.ts';
import { commandTool, editTool, pollTool } from './tools.ts';
import { writtenBy } from './written.ts';

/** How a call ended. RUNNING: in the background. REFUSED: denied by a person or a rule. SKIPPED: never started. */
export type Ending = 'PASSED' | 'FAILED' | 'REFUSED' | 'SKIPPED' | 'RUNNING' | 'UNKNOWN';

/** A call that ran a command or edited files. */
export interface Action {
  /** Position among the calls of the log. */
  index: number;
  call: RecordedCall;
  /** The shell line; null for an edit. */
  command: string | null;
  /** Its simple commands, each with the folder where it ran. */
  parts: (SimpleCommand & { folder: string })[];
  /** Files that it wrote or tried to write. */
  files: string[];
  ending: Ending;
  /** Its output, as far as it is recorded. */
  output: string;
  /** Exit code; null when it is not recorded. */
  code: number | null;
}

export interface Actions {
  list: Action[];
  /** Other folders are shown relative to this one; empty when unknown. */
  root: string;
}

/** Returns every command and edit of the log in order, each with its ending. */
export function readActions({ messages, calls, workspaces }: RecordedLog): Actions {
  const known = workspaces.findLast(({ folder }) => folder !== null)?.folder;
  const shell = new Shell(known ?? firstFolder(calls) ?? '');
  const list: Action[] = [];
  const background = new Map<string, Action>();
  for (const [index, call] of calls.entries()) {
    const poll = pollOf(call);
    if (poll !== null) {
      const action = background.get(poll.id);
      if (action?.ending === 'RUNNING') finish(action, poll);
      continue;
    }
    const action = actionOf(call, index, shell);
    if (action === null) continue;
    list.push(action);
    const id = action.ending === 'RUNNING' ? backgroundId(call.result ?? '') : null;
    if (id !== null) background.set(id, action);
  }
  for (const { role, content } of messages) {
    if (role !== 'SYSTEM' || !content.startsWith('<task-notification>')) continue;
    const id = /<task-id>([^<]+)<\/task-id>/.exec(content)?.[1];
    const code = /\(exit code (\d+)\)/.exec(content)?.[1];
    const action = id === undefined ? undefined : background.get(id);
    if (action?.ending === 'RUNNING' && code !== undefined)
      finish(action, { ending: code === '0' ? 'PASSED' : 'FAILED', output: action.output, code: Number(code) });
  }
  return { list, root: shell.root };
}

/**
 * Files that it changed, as far as the call or its command tells. Of a line that failed, those of the commands before
 * the last, unless one of them complains.
 */
export function changedBy({ ending, files, parts, call, output }: Action, root: string): string[] {
  if (ending === 'PASSED') return files;
  const recorded = call.filesModified.map((file) => inFolder(root, file));
  if (ending !== 'FAILED') return recorded;
  return [...recorded, ...writtenIn(partsBefore(parts, output), '')];
}

/** Of a line that failed, the commands that ran before the one that failed, without those that complain. */
export function partsBefore(parts: Action['parts'], output: string): Action['parts'] {
  const complains = (part: Action['parts'][number]): boolean => output.includes(`${programOf(part).program}: `);
  const before = parts.slice(
    0,
    Math.max(
      parts.findLastIndex((part) => !isTrivial(part)),
      0,
    ),
  );
  const failed = before.findIndex((part) => complains(part) && part.joiner === '&&');
  return (failed < 0 ? before : before.slice(0, failed)).filter((part) => !complains(part));
}

/** The text in which a call may give a patch. */
export function patchOf({ command, call }: Action): string {
  const given = [call.arguments, ...Object.values(fieldsOf(call.arguments))];
  return command ?? given.filter((value) => typeof value === 'string').join('\n');
}

export const changesFiles = (action: Action): boolean => changedBy(action, '').length > 0;

/** Files of one line; more are not named. */
const maxFiles = 200;
/** Simple commands of one line; what follows is not read. */
const maxParts = 200;

function writtenIn(parts: Action['parts'], output: string): string[] {
  const files = new Set<string>();
  for (const part of parts) {
    if (files.size >= maxFiles) break;
    for (const file of writtenBy(part, output)) files.add(inFolder(part.folder, file));
  }
  return [...files].slice(0, maxFiles);
}

interface Outcome {
  ending: Ending;
  output: string;
  /** Exit code; null when unknown. */
  code: number | null;
}

function finish(action: Action, outcome: Outcome): void {
  action.ending = foundNothing(action.parts, outcome) ? 'PASSED' : outcome.ending;
  action.output = outcome.output;
  action.code = outcome.code;
}

/**
 * A search without matches and a comparison with differences exit with 1, but did not fail; nor did a search through `xargs`, which
 * exits with 123 then. Not when another command of the line may have failed, or something complained.
 */
function foundNothing(parts: Action['parts'], { ending, output, code }: Outcome): boolean {
  const last = parts.at(-1);
  if (ending !== 'FAILED' || last === undefined) return false;
  if (listsNothing(last, output)) return true;
  if (!isSearch(searchIn(last)) || (code ?? 1) !== (programOf(last).program === 'xargs' ? 123 : 1)) return false;
  if (output === '' || /^(diff|cmp|git)$/.test(programOf(last).program)) return true;
  return (
    code === 1 && parts.slice(0, -1).every((part) => isReading(part) || isTrivial(part)) && !complaint.test(output)
  );
}
const complaint = /^(?:\S+: )?(?:\w+): .*(?:No such file|cannot|can't|denied|not found|error|invalid)/im;
const searchIn = (part: Action['parts'][number]): Action['parts'][number] => {
  const { program, args } = programOf(part);
  return program === 'xargs'
    ? { ...part, words: args.slice(args.findIndex((arg) => !/^-|^\d+$|^\{\}$/.test(arg))) }
    : part;
};
/** A list of packages or of requests that is empty. */
const listsNothing = (part: Action['parts'][number], output: string): boolean =>
  /^(?:npm|pnpm|yarn) (?:ls|list|why)\b/.test(part.words.join(' '))
    ? /\(empty\)\s*$/.test(output)
    : /^gh (?:pr|issue|run|release) (?:view|list|status)\b/.test(part.words.join(' ')) &&
      /^no \S.* found\b/i.test(output);

const textOf = (...values: unknown[]): string | undefined =>
  values.find((value): value is string => typeof value === 'string' && value !== '');

/** The shell line of a call and the folder that it names; null when it runs no command. */
function commandOf({ name, arguments: given }: RecordedCall): { command: string; folder: string | undefined } | null {
  if (!commandTool.test(name)) return null;
  const args = fieldsOf(given);
  const words = [args['command'], args['cmd'], args['script'], typeof given === 'string' ? given : undefined].find(
    (value) => typeof value === 'string' || Array.isArray(value),
  );
  const folder = textOf(args['workdir'], args['working_directory'], args['cwd'], args['directory'], args['dir_path']);
  if (typeof words === 'string') return { command: words, folder };
  if (!Array.isArray(words)) return null;
  const texts = words.filter((word): word is string => typeof word === 'string');
  const flag = texts.findIndex((word) => /^-\w*c$/.test(word));
  return {
    command: flag > 0 && texts[flag + 1] !== undefined ? texts[flag + 1]! : texts.map(quoted).join(' '),
    folder,
  };
}

const quoted = (word: string): string => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`);

const patchedFile = /^\*\*\* (?:(?:Add|Update|Delete) File|Move to): (.+)$/gm;
const patchedFiles = (text: string): string[] =>
  text.includes('*** Begin Patch') ? [...text.matchAll(patchedFile)].map(([, file]) => file!.trim()) : [];
/** As the program says, also of a patch that is longer than what is read of it, or that is no JSON any more. */
const saidPatched = /^Success\. Updated the following files:\n((?:[AMD] .+\n?)+)/m;
const saidFiles = (command: string, output: string): string[] =>
  command.includes('apply_patch')
    ? (saidPatched.exec(output)?.[1] ?? '')
        .split('\n')
        .map((line) => line.slice(2).trim())
        .filter((file) => file !== '')
    : [];

/** Files of an editing call; null for other calls. */
function editOf({ name, arguments: given, filesModified }: RecordedCall): string[] | null {
  const args = fieldsOf(given);
  if (!editTool.test(name)) return filesModified.length > 0 ? [...filesModified] : null;
  if (/^str_replace/i.test(name) && (args['command'] === 'view' || args['command'] === 'undo_edit')) return null;
  const path = textOf(
    args['file_path'],
    args['notebook_path'],
    args['path'],
    args['filePath'],
    args['target_file'],
    args['absolute_path'],
  );
  const patch = textOf(given, args['input'], args['patch']) ?? '';
  return [...new Set([...(path === undefined ? [] : [path]), ...patchedFiles(patch), ...filesModified])];
}

function actionOf(call: RecordedCall, index: number, shell: Shell): Action | null {
  const outcome = endingOf(call);
  const { ending, output } = outcome;
  const run = commandOf(call);
  if (run === null) {
    const files = editOf(call);
    return files === null
      ? null
      : {
          index,
          call,
          command: null,
          parts: [],
          files: files.map((file) => inFolder(shell.root, file)),
          ending,
          output,
          code: outcome.code,
        };
  }
  const patched = [...patchedFiles(run.command), ...saidFiles(run.command, output)];
  const persists = call.name === 'Bash';
  const { parts, folder } = partsOf(splitShell(run.command), run.folder ?? (persists ? shell.folder : shell.root));
  const files = writtenIn(parts, output);
  // A failed command leaves the shell in its folder.
  if (persists && ending === 'PASSED')
    shell.folder = /Shell cwd was reset to (\S+)/.exec(call.result ?? '')?.[1] ?? folder;
  return {
    index,
    call,
    command: run.command,
    parts,
    files: [
      ...new Set([
        ...call.filesModified.map((file) => inFolder(shell.root, file)),
        ...patched.map((file) => inFolder(shell.root, file)),
        ...files,
      ]),
    ],
    ending: foundNothing(parts, outcome) ? 'PASSED' : ending,
    output,
    code: outcome.code,
  };
}

class Shell {
  folder: string;
  constructor(readonly root: string) {
    this.folder = root;
  }
}

export function inFolder(folder: string, path: string): string {
  if (folder === '' || posix.isAbsolute(path) || /^(~|\$|[A-Za-z]:)/.test(path))
    return posix.normalize(path).replace(/(.)\/$/, '$1');
  return posix.normalize(`${folder}/${path}`).replace(/(.)\/$/, '$1');
}

function partsOf(commands: SimpleCommand[], from: string): { parts: Action['parts']; folder: string } {
  let folder = from;
  const loops = new Map<string, string[]>();
  const parts = commands.slice(0, maxParts).flatMap((command): Action['parts'] => {
    const [program, target, flag] = command.words;
    if (program === 'for' && target !== undefined && flag === 'in')
      loops.set(target, command.words.slice(3, 3 + maxLoopValues));
    const part = {
      ...command,
      folder,
      words: looped(command.words, loops),
      writes: looped(command.writes, loops),
      appends: looped(command.appends, loops),
    };
    if (program === 'cd' && target !== undefined && target !== '-') folder = inFolder(folder, target);
    const script = /^(bash|sh|zsh)$/.test(program ?? '') ? scriptOf(command.words) : undefined;
    return script === undefined
      ? [part]
      : partsOf(splitShell(script), part.folder).parts.map((inner, index, all) =>
          index === all.length - 1 ? { ...inner, joiner: command.joiner } : inner,
        );
  });
  return { parts, folder };
}

/** The line of `bash -lc 'line'`. */
function scriptOf(words: readonly string[]): string | undefined {
  const flag = words.findIndex((word) => /^-\w*c$/.test(word));
  return flag > 0 ? words[flag + 1] : undefined;
}

const maxLoopValues = 10;

/** The variable of a loop stands for each of its words. */
function looped(words: readonly string[], loops: ReadonlyMap<string, string[]>): string[] {
  if (loops.size === 0) return [...words];
  return words.flatMap((word) => {
    const name = /\$\{?(\w+)\}?/.exec(word);
    const values = name === null ? undefined : loops.get(name[1]!);
    return values === undefined ? [word] : values.map((value) => word.replace(name![0], value));
  });
}

function firstFolder(calls: readonly RecordedCall[]): string | undefined {
  for (const call of calls) {
    const run = commandOf(call);
    if (run === null) continue;
    const folder = run.folder ?? /^\s*cd ((?:\/[\w.@-]+)+)/.exec(run.command)?.[1];
    if (folder !== undefined) return folder;
  }
  return undefined;
}

const header = /^(?:Chunk ID|Wall time|Exit code|Process (?:exited|running))\b/;
const framedOutput = /\n(?:Output|Stdout): /g;
/** The output and the errors in what Gemini CLI writes around them; null without it. Linear, unlike one pattern. */
function framed(text: string): string[] | null {
  framedOutput.lastIndex = 0;
  if (!text.startsWith('Command: ') || framedOutput.exec(text) === null) return null;
  const from = framedOutput.lastIndex;
  const end = text.indexOf('\nError: ', from);
  if (end < 0) return null;
  const [output = '', ...errors] = text.slice(from, end).split('\nStderr: ');
  return [output, errors.join('\nStderr: ')];
}
const framedCode = /^Exit Code: (-?\d+)$/m;
const running = /^Process running with session ID (\d+)$/m;
const inBackground = /^Command running in background with ID: ([\w-]+)/;
const exited = /^(?:Process exited with code|Exit code:?) (-?\d+)/m;
const skipped = /^(<tool_use_error>)?(Sibling tool call errored|Cancelled: parallel tool call)/;
const refused =
  /^(?:Error: )?(The user doesn't want to |Claude requested permissions|Permission to use .{1,200} has been denied|(patch|exec command) rejected by user|(The )?user (rejected|denied|cancelled|declined|dismissed|did not (allow|approve))|The tool call required approval from the user|\[?(Operation|Request) (cancelled|interrupted))/i;

const brokenOff =
  /^(?:\[Request interrupted by user|(?:The )?(?:(?:command|tool|execution|operation|call)\s+){0,3}(?:was )?(?:interrupted|aborted|cancelled|canceled)\b|Command timed out\b|command timed out\b)|\b(?:aborted|interrupted) by (?:the )?user\b|<error>Command was aborted before completion<\/error>/i;
/** Ended by a signal or a time limit: what it would have said is unknown. */
const isBrokenOff = (output: string, code: number | null): boolean =>
  code === 124 ||
  code === 130 ||
  code === 137 ||
  code === 143 ||
  brokenOff.test(output.slice(0, 200)) ||
  brokenOff.test(output.slice(-200));

export function endingOf({ result, error }: Pick<RecordedCall, 'result' | 'error'>): Outcome {
  if (error !== null) {
    const [output, code] = [bodyOf(error), codeIn(error)];
    const ending = skipped.test(error)
      ? 'SKIPPED'
      : isBrokenOff(output, code)
        ? 'UNKNOWN'
        : refused.test(error)
          ? 'REFUSED'
          : 'FAILED';
    return { ending, output, code };
  }
  if (result === null) return { ending: 'UNKNOWN', output: '', code: null };
  if (backgroundId(result) !== null) return { ending: 'RUNNING', output: bodyOf(result), code: null };
  const code = codeIn(result);
  if (isBrokenOff(bodyOf(result), code)) return { ending: 'UNKNOWN', output: bodyOf(result), code };
  return { ending: (code ?? 0) === 0 ? 'PASSED' : 'FAILED', output: bodyOf(result), code };
}

/** The header lines before a command's output. */
const frontOf = (text: string): string => text.slice(0, 400).split(/^Output:$/m, 1)[0]!;

/** The output in the answer of a call as a terminal shows it, without what its program wrote around it. */
export function bodyOf(answer: string): string {
  const text = screen(answer);
  const frame = framed(text);
  if (frame !== null)
    return frame
      .filter((part) => part !== '' && part !== '(empty)')
      .join('\n')
      .trim();
  if (!header.test(text)) return text === 'failed' ? '' : text.trim();
  const at = text.slice(0, 500).search(/^Output:$/m);
  if (at < 0) return text.replace(/^Exit code:? -?\d+\n?/, '').trim();
  // A patch by a shell command has its own header in the output.
  const body = text.slice(at + 'Output:'.length).trim();
  return header.test(body) && body !== text ? bodyOf(body) : body;
}

function codeIn(text: string): number | null {
  const code =
    framed(text) !== null
      ? framedCode.exec(text.slice(-400))?.[1]
      : header.test(text)
        ? exited.exec(frontOf(text))?.[1]
        : undefined;
  return code === undefined ? null : Number(code);
}

/** In what Gemini CLI writes around the output of a command that goes on. */
const inBackgroundOf = /^Exit Code: \(none\)\n(?:.*\n){0,2}Background PIDs: (\d+)/m;

function backgroundId(result: string): string | null {
  if (framed(result) !== null) return inBackgroundOf.exec(result.slice(-400))?.[1] ?? null;
  return (inBackground.exec(result) ?? (header.test(result) ? running.exec(frontOf(result)) : null))?.[1] ?? null;
}

/** Status of a background command in the answer of a polling call; null for other calls. */
function pollOf({ name, arguments: given, result, error }: RecordedCall): (Outcome & { id: string }) | null {
  if (!pollTool.test(name)) return null;
  const args = fieldsOf(given);
  const named = args['session_id'] ?? args['task_id'] ?? args['bash_id'] ?? args['shell_id'];
  const id = typeof named === 'number' ? String(named) : typeof named === 'string' ? named : '';
  const text = error ?? result ?? '';
  const front = text.slice(0, 1_000);
  const exitCode = /<exit_code>(-?\d+)<\/exit_code>/.exec(front)?.[1];
  const code = codeIn(text) ?? (exitCode === undefined ? null : Number(exitCode));
  const output = header.test(text)
    ? bodyOf(text)
    : screen((/<output>([\s\S]*)/.exec(text)?.[1] ?? text).replace(/<\/output>\s*$/, '')).trim();
  const status = /<status>(\w+)<\/status>/.exec(front)?.[1];
  if (code !== null || status === 'completed' || status === 'failed')
    return { id, ending: (code ?? (status === 'failed' ? 1 : 0)) === 0 ? 'PASSED' : 'FAILED', output, code };
  return { id, ending: name.startsWith('Kill') || name === 'TaskStop' ? 'UNKNOWN' : 'RUNNING', output, code };
}
