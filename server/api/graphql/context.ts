import type { Pool } from 'pg';
import { logOf, type Caller, type Logger } from '../../core/work.ts';
import type { Streams } from '../../delivery/live/streams.ts';
import type { PrismaClient } from '../../generated/prisma/client.ts';
import type { Rates } from '../../infra/limits/rates.ts';
import type { Log } from '../../infra/log.ts';
import { type Tables, tablesOf } from '../../reads/tables.ts';
import { callerReads } from './callerReads.ts';
import { HeldBytes } from './heldBytes.ts';
import { ProcessorTime } from './processorTime.ts';

/** Settings of the operator that commands use. */
export interface Settings {
  /** How long a Handoff may wait to be accepted. */
  staleAfterMinutes: number;
  approveWithinMinutes?: number;
  /** The default of a Session's `handoffsEnabled`. */
  handoffsEnabled: boolean;
  /** Usage of an agent's window that proposes a handoff, in percent; 0 for none. */
  contextPressure: number;
  /** Called after the commit that revokes a key. */
  keyRevoked: (keyId: string) => void;
  /** Key from which the secrets of webhooks are computed. Undefined: no webhooks. */
  webhookKey?: string | undefined;
  /** Addresses and networks that webhooks may reach besides public ones. */
  webhookAllow?: readonly string[];
}

/** The context of resolvers, one per request. */
export interface GraphQLContext {
  caller: Caller;
  /** For reads only, of what the caller may read: changes run in `runWork` on `pool`. Counts in `held`. */
  prisma: PrismaClient;
  tables: Tables;
  pool: Pool;
  log: Logger;
  settings: Settings;
  /** Null: no rate limits. */
  rates: Rates | null;
  /** The live streams of this process, which receive commits. Undefined: no subscriptions. */
  streams: Streams | undefined;
  processorTime: ProcessorTime;
  /** Address of this server, for agents. Empty while it does not listen. */
  url: string;
  held: HeldBytes;
}

export interface ContextOptions {
  prisma: PrismaClient;
  pool: Pool;
  env: Pick<Settings, 'staleAfterMinutes' | 'handoffsEnabled'> & Partial<Settings>;
  log: Log;
  keyRevoked?: (keyId: string) => void;
  rates?: Rates;
  streams?: Streams | undefined;
  /** Default: `limits.processorMs`. */
  processorMs?: number | undefined;
  /** Default: `limits.held.bytes`. */
  heldBytes?: number | undefined;
  url?: () => string;
}

/** Returns `createContext(caller)`, called once per request. */
export function contexts({
  prisma,
  pool,
  env,
  log,
  streams,
  keyRevoked = () => undefined,
  rates,
  processorMs,
  heldBytes,
  url = () => '',
}: ContextOptions): (caller: Caller) => GraphQLContext {
  const { staleAfterMinutes, handoffsEnabled, contextPressure = 0, webhookKey, webhookAllow = [] } = env;
  const { approveWithinMinutes } = env;
  const settings = {
    staleAfterMinutes,
    handoffsEnabled,
    contextPressure,
    keyRevoked,
    webhookKey,
    webhookAllow,
    ...(approveWithinMinutes !== undefined && { approveWithinMinutes }),
  };
  return (caller) => {
    const held = new HeldBytes(heldBytes);
    return {
      caller,
      prisma: callerReads({ prisma, pool, caller, held }),
      tables: tablesOf(prisma),
      pool,
      log: logOf(log, caller.request),
      settings,
      rates: rates ?? null,
      streams,
      processorTime: new ProcessorTime(processorMs),
      held,
      url: url(),
    };
  };
}
