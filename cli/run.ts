import { DomainError } from '../server/core/errors.ts';
import { packageVersion } from '../server/core/place.ts';
import { AwayError, StartError } from '../server/core/startError.ts';
import { didYouMean } from './closest.ts';
import { UsageError } from './command.ts';
import { print, tell } from './output.ts';
import { commands } from './commands.ts';

const exitCodes = { done: 0, refused: 1, usage: 2, tryAgain: 75 } as const;

const width = Math.max(...Object.keys(commands).map((name) => name.length)) + 2;
const list = Object.entries(commands).map(([name, { summary }]) => `  ${name.padEnd(width)}${summary}`);

const usage = `baton <command> [arguments]

${list.join('\n')}

  baton <command> --help   describes a command
  baton --version          prints the version

Commands that send requests find the server at --url, else BATON_URL, else http://127.0.0.1, PORT (default 4000)
and BATON_BASE_PATH.
They send the key in BATON_KEY.

Exit code 0: done. 1: refused; the message says why. 2: wrong arguments. 75: Baton or PostgreSQL does not answer or is busy;
try again later.`;

/** Runs one command line. Returns its exit code. */
export async function run(argv: string[]): Promise<number> {
  if (isHelp(argv[0])) return done(usage);
  if (argv[0] === '--version') return done(packageVersion());
  const name = [argv.slice(0, 2).join(' '), argv[0] ?? ''].find((words) => Object.hasOwn(commands, words));
  if (name === undefined) return wrong(argv[0] === undefined ? '' : unknown(argv), usage);
  const command = await commands[name]!.load();
  const args = argv.slice(name.split(' ').length);
  // What follows `--` is for another program, or to be completed.
  const own = args.includes('--') ? args.slice(0, args.indexOf('--')) : args;
  if (own.some(isHelp)) return done(command.usage);
  try {
    await command.run(args);
    return exitCodes.done;
  } catch (error) {
    if (error instanceof UsageError) return wrong(error.message, command.usage);
    const isKnown = error instanceof StartError || error instanceof DomainError || isOfFile(error);
    tell(isKnown ? error.message : error instanceof Error ? (error.stack ?? error.message) : String(error));
    return error instanceof AwayError ? exitCodes.tryAgain : exitCodes.refused;
  }
}

function unknown([first = '', second = '']: string[]): string {
  const names = Object.keys(commands);
  const near = didYouMean(`${first} ${second}`.trim(), names) || didYouMean(first, names);
  return `There is no command '${first}'.${near}`;
}

/** A file or folder that cannot be read or written: the message names it. */
const isOfFile = (error: unknown): error is Error =>
  error instanceof Error && 'path' in error && 'syscall' in error && 'code' in error;

const isHelp = (arg: string | undefined): boolean => arg === '--help' || arg === '-h';

function done(text: string): number {
  print(text);
  return exitCodes.done;
}

function wrong(problem: string, text: string): number {
  tell(problem === '' ? text : `${problem}\n\n${text}`);
  return exitCodes.usage;
}
