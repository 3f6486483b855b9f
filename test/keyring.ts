import type { Pool } from 'pg';
import type { Role } from '../server/core/work.ts';
import { createKey } from '../server/work/keys/createKey.ts';
import { world } from './world.ts';

/** The server requires keys when started with this as BATON_ADMIN_KEY. */
export const adminKey = 'for tests alone: 32 characters or more'.replaceAll(' ', '-');

/** Creates a key and returns its secret. */
export async function secretFor(pool: Pool, role: Role, agentId: string | null = null): Promise<string> {
  return (await world(pool).run(createKey, { role, agentId, name: `a test's ${role}`, expiresAt: null })).secret;
}

export const webhookKey = 'a key of webhooks, as BATON_WEBHOOK_KEY'.replaceAll(' ', '-');
