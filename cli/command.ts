import { parseArgs, type ParseArgsConfig } from 'node:util';
import { didYouMean } from './closest.ts';

/** A command of `baton`. `commands.ts` gives it its name. */
export interface Command {
  /** Printed for --help, and below what was wrong with the arguments. */
  usage: string;
  /** Writes results to standard output and other messages to standard error. @throws UsageError, StartError, AwayError, DomainError */
  run(args: string[]): Promise<void>;
}

export interface Entry {
  /** Its line in `baton --help`. */
  summary: string;
  /** Loads its file when it is called: `baton --help` loads none. */
  load(): Promise<Command>;
}

/** The arguments are wrong. Without a message the usage alone is printed. */
export class UsageError extends Error {}

/** `parseArgs`, which is strict. @throws UsageError */
export function readArguments<Config extends ParseArgsConfig>(config: Config): ReturnType<typeof parseArgs<Config>> {
  try {
    return parseArgs(config);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    const [, option] = /^Unknown option '--([^']+)'/.exec(message) ?? [];
    if (option === undefined) throw new UsageError(message);
    throw new UsageError(
      `Unknown option '--${option}'.${didYouMean(
        `--${option}`,
        Object.keys(config.options ?? {}).map((name) => `--${name}`),
      )}`,
    );
  }
}

/** @throws UsageError */
export function wholeNumber(name: string, given: string, least: number, most: number): number {
  const value = Number(given);
  if (!/^\d+$/.test(given) || value < least || value > most)
    throw new UsageError(`${name} is '${given}': give a whole number from ${least} to ${most}.`);
  return value;
}
