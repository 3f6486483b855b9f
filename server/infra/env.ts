import ipaddr from 'ipaddr.js';
import { z } from 'zod';
import { limits } from '../core/limits.ts';
import { logLevels } from './log.ts';
import { StartError } from '../core/startError.ts';
import { type TraceExport, traceSettings } from './traceSettings.ts';
import { unknownSettings } from './unknownSettings.ts';
import { addressOf } from './postgres/client.ts';

const { isValid, isValidCIDR } = ipaddr;
const port = /^\d{1,5}$/;
const flag = z.enum(['0', '1'], 'must be 0 or 1').transform((value) => value === '1');

const roles = ['ADMIN', 'OPERATOR', 'AGENT', 'ANALYST'] as const;
type RateName = `BATON_RATE_${(typeof roles)[number]}_${'READS' | 'WRITES'}`;
/** Of keys with this role. */
type RatePerMinute = Record<(typeof roles)[number], { read: number; write: number }>;

const rateNames = roles.flatMap((role) =>
  (['READS', 'WRITES'] as const).map((kind): RateName => `BATON_RATE_${role}_${kind}`),
);
const rate = z
  .string()
  .refine((value) => /^[1-9]\d{0,6}$/.test(value), 'must be a number of requests a minute from 1 to 9999999')
  .transform(Number)
  .optional();

const variables = z.object({
  ...(Object.fromEntries(rateNames.map((name) => [name, rate])) as Record<RateName, typeof rate>),
  HOST: z.string().default('127.0.0.1'),
  PORT: z
    .string()
    .refine(
      (value) => port.test(value) && Number(value) <= 65_535,
      'must be a number from 0 to 65535 (0 takes a free one)',
    )
    .transform(Number)
    .default(4000),
  DATABASE_URL: z
    .string()
    .regex(/^postgres(ql)?:\/\//, 'must look like postgresql://user:password@host:5432/database')
    .optional(),
  DATABASE_REPLICA_URL: z
    .string()
    .regex(/^postgres(ql)?:\/\//, 'must look like postgresql://user:password@host:5432/database')
    .optional(),
  BATON_PREPARED: flag.default(true),
  BATON_DATA: z.string().default('.baton'),
  BATON_ADMIN_KEY: z
    .string()
    .regex(
      /^[!-~]{32,512}$/,
      'must be 32 to 512 characters, ASCII without spaces: make one with "openssl rand -base64 32"',
    )
    .optional(),
  REDIS_URL: z
    .string()
    .transform((value) => value.split(',').map((part) => part.trim()))
    .refine(
      (urls) => urls.every(isRedisUrl),
      'must look like redis://user:password@host:6379 or rediss://..., for a cluster several with commas between them',
    )
    .optional(),
  BATON_ALLOWED_ORIGINS: z
    .string()
    .transform((value) => value.split(',').map((part) => part.trim().toLowerCase()))
    .refine(
      (origins) => origins.every(isOrigin),
      'must be origins such as https://baton.example.com, with commas between them and no path',
    )
    .default([]),
  BATON_BASE_PATH: z
    .string()
    .transform((value) => value.replace(/\/$/, ''))
    .refine(
      (path) => /^(\/[\w-][\w.~-]*)*$/.test(path),
      'must be a path such as /baton, of letters, digits, -, _, . and ~',
    )
    .default(''),
  BATON_TRUST_PROXY: z
    .string()
    .refine((value) => /^\d$/.test(value), 'must be the number of proxies in front of Baton, 0 to 9')
    .transform(Number)
    .default(0),
  BATON_URL: z.string().refine(isWebAddress, 'must be an address such as https://baton.example.com').optional(),
  BATON_HEARTBEAT_SECONDS: z
    .string()
    .refine(
      (value) => /^\d+(\.\d+)?$/.test(value) && Number(value) >= 0.1 && Number(value) <= 12,
      'must be a number of seconds from 0.1 to 12',
    )
    .transform(Number)
    .default(10),
  BATON_APPROVE_WITHIN_MINUTES: z
    .string()
    .refine(
      (value) => /^\d+(\.\d+)?$/.test(value) && Number(value) > 0 && Number(value) <= 525_600,
      'must be a number of minutes, above 0 and at most 525600 (a year)',
    )
    .transform(Number)
    .default(1_440),
  BATON_STALE_AFTER_MINUTES: z
    .string()
    .refine(
      (value) => /^\d+(\.\d+)?$/.test(value) && Number(value) > 0 && Number(value) <= 525_600,
      'must be a number of minutes, above 0 and at most 525600 (a year)',
    )
    .transform(Number)
    .default(30),
  BATON_HANDOFFS_ENABLED: flag.default(true),
  BATON_CONTEXT_PRESSURE: z
    .string()
    .refine((value) => /^\d{1,2}$/.test(value), 'must be a whole number of percent from 1 to 99, or 0 for off')
    .transform(Number)
    .default(80),
  BATON_KEEP_DAYS: z
    .string()
    .refine((value) => /^[1-9]\d{0,4}$/.test(value), 'must be a whole number of days from 1 to 99999')
    .transform(Number)
    .optional(),
  BATON_ARCHIVE_DIR: z.string().optional(),
  BATON_EVENT_LOG: z.string().optional(),
  BATON_EVENT_LOG_MB: z
    .string()
    .refine((value) => /^\d{1,6}$/.test(value) && Number(value) >= 1, 'must be a whole number of megabytes, 1 or more')
    .transform(Number)
    .default(100),
  BATON_WEBHOOK_KEY: z
    .string()
    .regex(
      /^[!-~]{32,512}$/,
      'must be 32 to 512 characters, ASCII without spaces: make one with "openssl rand -base64 32"',
    )
    .optional(),
  BATON_WEBHOOK_ALLOW: z
    .string()
    .transform((value) => value.split(',').map((part) => part.trim()))
    .refine(
      (networks) => networks.every((network) => isValid(network) || isValidCIDR(network)),
      'must be addresses or networks such as 10.0.0.0/8, with commas between them',
    )
    .default([]),
  BATON_PERSISTED_ONLY: flag.default(false),
  BATON_DEMO: flag.optional(),
  LOG_LEVEL: z.enum(logLevels, `must be one of ${logLevels.join(', ')}`).default('info'),
});

/** A setting of the commands, which is often set in the same environment. */
const ofCommands = ['BATON_KEY'];

export interface Env {
  host: string;
  port: number;
  /** Undefined: the embedded PostgreSQL. */
  databaseUrl: string | undefined;
  /** A streaming replica of `databaseUrl`, which queries read. Undefined: they read the primary. */
  replicaUrl: string | undefined;
  /** Whether statements are prepared under names. PgBouncer before 1.21 cannot keep those in transaction mode. */
  prepared: boolean;
  dataFolder: string;
  /** A key with role ADMIN; the server then requires keys. Undefined: only the keys in the database are valid. */
  adminKey: string | undefined;
  /** One Redis, or the nodes of a cluster. Undefined: events are announced within this process only. */
  redisUrls: string[] | undefined;
  /** Origins besides the server's own whose pages may call this server and open sockets. */
  allowedOrigins: string[];
  /** The path that all addresses begin with, such as `/baton`; empty for none. */
  basePath: string;
  /** The number of proxies in front of this server whose forwarding headers are believed. */
  trustedProxies: number;
  /** Address under which agents reach the server. Undefined: the one that it listens on. */
  url: string | undefined;
  /** Interval of heartbeats in subscriptions. */
  heartbeatMs: number;
  staleAfterMinutes: number;
  /** Minutes in which a person has to approve a proposed handoff. */
  approveWithinMinutes: number;
  handoffsEnabled: boolean;
  /** Usage of an agent's window that proposes a handoff, in percent; 0 for none. */
  contextPressure: number;
  /** Requests a minute that a key of each role may send. */
  ratePerMinute: RatePerMinute;
  /** Days after which finished Sessions are pruned. Undefined: never. */
  keepDays: number | undefined;
  /** Folder where Handoffs are archived as files. Undefined: no archive. */
  archiveFolder: string | undefined;
  /** File to which every Event is written. Undefined: no event log. */
  eventLog: string | undefined;
  /** Size from which a file of the event log is replaced by the next one. */
  eventLogBytes: number;
  /** Key from which the secrets of webhooks are computed. Undefined: no webhooks. */
  webhookKey: string | undefined;
  /** Addresses and networks that webhooks may reach besides public ones. */
  webhookAllow: string[];
  /** Whether only the dashboard's operations are allowed. */
  persistedOnly: boolean;
  /** Whether to load the demonstration data. Undefined: only into an empty embedded database. */
  demo: boolean | undefined;
  logLevel: (typeof logLevels)[number];
  /** How traces are sent. Null: none are made. */
  traces: TraceExport | null;
  /** A line for each unknown setting. */
  warnings: string[];
}

/** Values that no message may show. A connection string may hold a password. */
const secret = new Set(['DATABASE_URL', 'DATABASE_REPLICA_URL', 'REDIS_URL', 'BATON_ADMIN_KEY', 'BATON_WEBHOOK_KEY']);

/** @throws StartError with one line for each invalid value. */
export function readEnv(source: NodeJS.ProcessEnv): Env {
  // Compose files pass variables that are not set as empty values.
  const present = Object.fromEntries(Object.entries(source).filter(([, value]) => value !== ''));
  const parsed = variables.safeParse(present);
  if (!parsed.success) {
    const lines = parsed.error.issues.map(({ path, message }) => {
      const name = String(path[0]);
      return secret.has(name) ? `${name} ${message}` : `${name} ${message}, not '${present[name]}'`;
    });
    throw new StartError(lines.join('\n'));
  }
  const { data } = parsed;
  if (data.DATABASE_REPLICA_URL !== undefined && data.DATABASE_URL === undefined) {
    throw new StartError('DATABASE_REPLICA_URL needs DATABASE_URL: the embedded PostgreSQL has no replica');
  }
  for (const url of [data.DATABASE_URL, data.DATABASE_REPLICA_URL]) if (url !== undefined) addressOf(url);
  const { traces, warnings } = traceSettings(present);
  return {
    host: data.HOST,
    port: data.PORT,
    databaseUrl: data.DATABASE_URL,
    replicaUrl: data.DATABASE_REPLICA_URL,
    prepared: data.BATON_PREPARED,
    dataFolder: data.BATON_DATA,
    adminKey: data.BATON_ADMIN_KEY,
    redisUrls: data.REDIS_URL,
    allowedOrigins: data.BATON_ALLOWED_ORIGINS,
    basePath: data.BATON_BASE_PATH,
    trustedProxies: data.BATON_TRUST_PROXY,
    url: data.BATON_URL,
    heartbeatMs: data.BATON_HEARTBEAT_SECONDS * 1_000,
    staleAfterMinutes: data.BATON_STALE_AFTER_MINUTES,
    approveWithinMinutes: data.BATON_APPROVE_WITHIN_MINUTES,
    handoffsEnabled: data.BATON_HANDOFFS_ENABLED,
    contextPressure: data.BATON_CONTEXT_PRESSURE,
    ratePerMinute: ratesIn(data),
    keepDays: data.BATON_KEEP_DAYS,
    archiveFolder: data.BATON_ARCHIVE_DIR,
    eventLog: data.BATON_EVENT_LOG,
    eventLogBytes: data.BATON_EVENT_LOG_MB * 1024 * 1024,
    webhookKey: data.BATON_WEBHOOK_KEY,
    webhookAllow: data.BATON_WEBHOOK_ALLOW,
    persistedOnly: data.BATON_PERSISTED_ONLY,
    demo: data.BATON_DEMO,
    logLevel: data.LOG_LEVEL,
    traces,
    warnings: [...warnings, ...unknownSettings(Object.keys(present), [...Object.keys(variables.shape), ...ofCommands])],
  };
}

function ratesIn(data: Partial<Record<RateName, number>>): RatePerMinute {
  const of = (role: (typeof roles)[number]): RatePerMinute[typeof role] => {
    const { read, write } = limits.rate.perMinute[role];
    return { read: data[`BATON_RATE_${role}_READS`] ?? read, write: data[`BATON_RATE_${role}_WRITES`] ?? write };
  };
  return { ADMIN: of('ADMIN'), OPERATOR: of('OPERATOR'), AGENT: of('AGENT'), ANALYST: of('ANALYST') };
}

function isRedisUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname, pathname } = new URL(text);
  return (protocol === 'redis:' || protocol === 'rediss:') && hostname !== '' && /^(\/\d*)?$/.test(pathname);
}

function isOrigin(text: string): boolean {
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol) && new URL(text).origin === text;
}

function isWebAddress(text: string): boolean {
  return /^https?:\/\//.test(text) && URL.canParse(text);
}

export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(\.(25[0-5]|2[0-4]\d|1?\d?\d)){3}$/.test(host);
}
