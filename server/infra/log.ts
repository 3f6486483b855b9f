import { pino, type Logger } from 'pino';

export type Log = Logger;

export const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;

/** JSON lines; on a terminal the same lines, readable. */
export function createLog(level: (typeof logLevels)[number] = 'info'): Log {
  const base = { level, base: undefined, timestamp: pino.stdTimeFunctions.isoTime };
  if (!process.stdout.isTTY) return pino(base);
  return pino({
    ...base,
    transport: { target: 'pino-pretty', options: { translateTime: 'SYS:HH:MM:ss', ignore: 'pid,hostname' } },
  });
}

export const silentLog: Log = pino({ level: 'silent' });
