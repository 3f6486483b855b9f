import { pino, type Logger } from 'pino';
import { PinoPretty } from 'pino-pretty';

export type Log = Logger;

export const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;

interface LogOptions {
  level?: (typeof logLevels)[number];
  /** Removes secrets from a line; the result must be JSON. */
  redactLine?: (line: string) => string;
  /** Default: the standard output. */
  destination?: { write(line: string): void };
}

/** Writes JSON lines; formatted on a terminal. */
export function createLog({ level = 'info', redactLine, destination }: LogOptions = {}): Log {
  const base = {
    level,
    base: undefined,
    timestamp: pino.stdTimeFunctions.isoTime,
    hooks: redactLine === undefined ? {} : { streamWrite: redactLine },
  };
  if (destination !== undefined) return pino(base, destination);
  if (!process.stdout.isTTY) return pino(base);
  return pino(base, PinoPretty({ translateTime: 'SYS:HH:MM:ss', ignore: 'pid,hostname', sync: true }));
}

export const silentLog: Log = pino({ level: 'silent' });
