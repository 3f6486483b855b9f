import { parseArgs, type ParseArgsConfig } from 'node:util';

/** A command of `baton`. `commands.ts` gives it its name. */
export interface Command {
  /** Printed for --help, and below what was wrong with the arguments. */
  usage: string;
  /** Writes results to standard output and other messages to standard error. @throws UsageError, StartError, AwayError, DomainError */
  run(args: string[]): Promise<void>;
}

/** The arguments are wrong. Without a message the usage alone is printed. */
export class UsageError extends Error {}

/** `parseArgs`, which is strict. @throws UsageError */
export function readArguments<Config extends ParseArgsConfig>(config: Config): ReturnType<typeof parseArgs<Config>> {
  try {
    return parseArgs(config);
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}
