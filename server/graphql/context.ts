import type { Pool } from 'pg';
import type { Caller } from '../core/work.ts';
import type { Streams } from '../live/streams.ts';
import type { PrismaClient } from '../generated/prisma/client.ts';
import type { Log } from '../infra/log.ts';
import type { Rates } from '../limits/rates.ts';
import { ProcessorTime } from './processorTime.ts';

/** What an operator configured and commands ask for. */
export interface Settings {
  /** How long a Handoff may wait to be accepted. */
  staleAfterMinutes: number;
  /** What `handoffsEnabled` of a Session is unless its creator says otherwise. */
  handoffsEnabled: boolean;
  /** To be told once it is committed that a key was revoked. */
  keyRevoked: (keyId: string) => void;
}

/** What every resolver may use, made anew for each request. */
export interface GraphQLContext {
  caller: Caller;
  /** For reads only: what changes something runs in `runWork` on `pool`. */
  prisma: PrismaClient;
  pool: Pool;
  log: Log;
  settings: Settings;
  /** Null where nothing is counted. */
  rates: Rates | null;
  /** The live streams of this process, which are told of commits; undefined where nothing is listened to. */
  streams: Streams | undefined;
  /** What this request may still take. */
  processorTime: ProcessorTime;
}

export interface ContextOptions {
  prisma: PrismaClient;
  pool: Pool;
  env: Omit<Settings, 'keyRevoked'>;
  log: Log;
  /** Nobody is told when it is left out. */
  keyRevoked?: (keyId: string) => void;
  /** Nothing is said of them when they are left out. */
  rates?: Rates;
  streams?: Streams | undefined;
  /** That of `limits.ts` when it is left out. */
  processorMs?: number | undefined;
}

/** For each request `createContext(caller)`: everything that is read or changed is so by a known caller. */
export function contexts({ prisma, pool, env, log, streams, keyRevoked = () => undefined, rates, processorMs }: ContextOptions): (caller: Caller) => GraphQLContext {
  const { staleAfterMinutes, handoffsEnabled } = env;
  const settings = { staleAfterMinutes, handoffsEnabled, keyRevoked };
  return (caller) => ({ caller, prisma, pool, log, settings, rates: rates ?? null, streams, processorTime: new ProcessorTime(processorMs) });
}
