import type { Pool } from 'pg';
import type { Caller } from '../core/work.ts';
import type { PrismaClient } from '../generated/prisma/client.ts';
import type { Log } from '../infra/log.ts';

/** What an operator configured and commands ask for. */
export interface Settings {
  /** How long a Handoff may wait to be accepted. */
  staleAfterMinutes: number;
  /** What `handoffsEnabled` of a Session is unless its creator says otherwise. */
  handoffsEnabled: boolean;
}

/** What every resolver may use, made anew for each request. */
export interface GraphQLContext {
  caller: Caller;
  /** For reads only: what changes something runs in `runWork` on `pool`. */
  prisma: PrismaClient;
  pool: Pool;
  log: Log;
  settings: Settings;
}

export interface ContextOptions {
  prisma: PrismaClient;
  pool: Pool;
  env: Settings;
  log: Log;
}

/** Whoever reaches a server without keys is on its own machine, and an admin. */
const loopback: Caller = { principal: 'loopback', role: 'ADMIN', agentId: null };

export function createContext({ prisma, pool, env, log }: ContextOptions): GraphQLContext {
  const { staleAfterMinutes, handoffsEnabled } = env;
  return { caller: loopback, prisma, pool, log, settings: { staleAfterMinutes, handoffsEnabled } };
}
