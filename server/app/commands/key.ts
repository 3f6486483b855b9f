import { isAgentId, decodeId, encodeId } from '../../core/ids.ts';
import { runWork } from '../../core/runWork.ts';
import type { Caller, Role } from '../../core/work.ts';
import { readEnv } from '../../infra/env.ts';
import { createLog, silentLog } from '../../infra/log.ts';
import { migrateUp, requireMigrated } from '../../infra/migrate.ts';
import { commandLine } from '../../core/place.ts';
import { borrowPostgres } from '../../infra/postgres/postgres.ts';
import { createDatabase, type Database } from '../../infra/prisma.ts';
import { createKey } from '../../work/keys/createKey.ts';
import { revokeKey } from '../../work/keys/revokeKey.ts';
import { redactInput } from '../../work/redaction/redact.ts';
import { readArguments, UsageError, type Command } from '../../../cli/command.ts';
import { print, printLine, tell } from '../../../cli/output.ts';

const usage = `${commandLine('key create')} --role <role> --name <name> [--agent <id>] [--expires <when>]
${commandLine('key list')}
${commandLine('key revoke')} <key id>

Creates, lists and revokes keys.

  --role <role>     agent, operator, analyst or admin
  --name <name>     the name of the key, 1 to 200 characters
  --agent <id>      the id of the agent that the key is bound to; only for role agent
  --expires <when>  when the key expires: a duration (12h, 30d, 8w) or a date (2027-01-31); default: never

Uses the database in DATABASE_URL, or the embedded database in BATON_DATA, with or without a running server.
Prints a new secret once, on standard output. Other messages go to standard error.`;

const operator: Caller = { principal: 'npm run key', role: 'ADMIN', agentId: null, keyId: null, expiresAt: null };
const roles: readonly string[] = ['AGENT', 'OPERATOR', 'ANALYST', 'ADMIN'] satisfies Role[];

async function run([verb, ...rest]: string[]): Promise<void> {
  if (verb === 'create') return create(rest);
  if (verb === 'list' && rest.length === 0) return onDatabase(list);
  if (verb === 'revoke' && rest.length === 1) return onDatabase((database) => revoke(database, rest[0]!));
  throw new UsageError();
}

async function create(args: string[]): Promise<void> {
  const text = { type: 'string' } as const;
  const { role, name, agent, expires } = readArguments({
    args,
    options: { role: text, name: text, agent: text, expires: text },
  }).values;
  if (role === undefined || !roles.includes(role.toUpperCase()))
    throw new UsageError('--role must be agent, operator, analyst or admin');
  if (name === undefined || name.trim() === '' || name.length > 200)
    throw new UsageError('--name must be 1 to 200 characters');
  if (agent !== undefined && !isAgentId(agent))
    throw new UsageError(`--agent must be the id of an agent, such as claude-1, not '${agent}'`);
  const input = redactInput({
    role: role.toUpperCase() as Role,
    name,
    agentId: agent ?? null,
    expiresAt: expires === undefined ? null : momentOf(expires),
  });
  await onDatabase(async ({ pool }) => {
    const { keyId, secret } = await runWork(
      { pool, log: silentLog, caller: operator, mutation: 'createKey', input },
      (work) => createKey(work, input),
    );
    tell(
      `Key ${encodeId('key', keyId)} was created. Its secret is shown this once; send it as "Authorization: Bearer <secret>".`,
    );
    tell('A server that was started without keys requires them after its next start.');
    print(secret);
  });
}

const hours: Record<string, number> = { h: 1, d: 24, w: 7 * 24 };

function momentOf(expires: string): Date {
  const [, count, unit] = /^(\d{1,5})([hdw])$/.exec(expires) ?? [];
  const at =
    count !== undefined && unit !== undefined
      ? new Date(Date.now() + Number(count) * hours[unit]! * 3_600_000)
      : dateOf(expires);
  if (Number.isNaN(at.getTime()) || at.getUTCFullYear() > 9999)
    throw new UsageError(`--expires must be like 12h, 30d, 8w or 2027-01-31, not '${expires}'`);
  return at;
}

const dateOf = (text: string): Date => new Date(/^\d{4}-\d\d-\d\d(T.+)?$/.test(text) ? text : Number.NaN);

async function list({ prisma }: Database): Promise<void> {
  const keys = await prisma.key.findMany({ orderBy: [{ createdAt: 'asc' }, { id: 'asc' }] });
  if (keys.length === 0) return tell('There are no keys.');
  const now = new Date();
  for (const { id, name, role, agentId, createdAt, expiresAt, revokedAt } of keys) {
    const ended =
      revokedAt !== null
        ? `revoked ${shown(revokedAt)}`
        : expiresAt === null
          ? 'never expires'
          : `${expiresAt <= now ? 'expired' : 'expires'} ${shown(expiresAt)}`;
    printLine(
      [
        encodeId('key', id),
        role.toLowerCase().padEnd(8),
        (agentId ?? '-').padEnd(16),
        `created ${shown(createdAt)}`,
        ended,
        name,
      ].join('  '),
    );
  }
}

const shown = (at: Date): string => at.toISOString().slice(0, 16).replace('T', ' ');

async function revoke({ pool }: Database, id: string): Promise<void> {
  const decoded = decodeId(id);
  if (decoded?.prefix !== 'key')
    throw new UsageError(`'${id}' is not the id of a key: ${commandLine('key list')} shows the ids`);
  const input = { keyId: decoded.uuid };
  const settings = { keyRevoked: () => undefined };
  await runWork({ pool, log: silentLog, caller: operator, mutation: 'revokeKey', input }, (work) =>
    revokeKey(work, input, settings),
  );
  tell(`Key ${id} is revoked. Running servers reject it within 10 seconds.`);
}

async function onDatabase(work: (database: Database) => Promise<void>): Promise<void> {
  const env = readEnv(process.env);
  const log = createLog({ level: 'warn' });
  const embedded =
    env.databaseUrl === undefined
      ? await borrowPostgres({ folder: env.dataFolder, database: 'baton', log: silentLog })
      : undefined;
  try {
    const url = embedded?.url ?? env.databaseUrl!;
    // A running server has migrated its database. Without one, this command must.
    if (embedded?.ours === true) await migrateUp(url);
    else await requireMigrated(url);
    const database = createDatabase(url, log, env);
    await work(database).finally(() => database.close());
  } finally {
    await embedded?.stop();
  }
}

export const key: Command = { usage, run };
