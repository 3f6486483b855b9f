import { encodeId } from '../server/core/ids.ts';
import { updateAgent } from '../server/work/agents/updateAgent.ts';
import { testDatabase } from './database.ts';
import { client, type Client } from './graphql.ts';
import { adminKey, secretFor, webhookKey } from './keyring.ts';
import { startApp } from './server.ts';
import { world } from './world.ts';

// For the permission matrix: the contract's table of rights, repeated in tests without code from server/api/access.

export const roles = ['AGENT', 'OPERATOR', 'ANALYST', 'ADMIN'] as const;
export type Asker = (typeof roles)[number];
/**
 * The AGENT key belongs to ada. A record is `own` (ada holds it, received it or gave it), `seen` (of a Session that ada held
 * before) or `foreign`.
 */
export type Whose = 'own' | 'seen' | 'foreign';

/** Ids of Sessions and Handoffs; the group is the prefix. */
export const sessionOrHandoff = /(session|handoff)_[0-9a-z]{26}/g;

/** A server with keys, a client of each role, and Sessions and Handoffs of ada, bob and eve. */
export async function askersOf() {
  const db = await testDatabase();
  const { url } = await startApp(db, { variables: { BATON_ADMIN_KEY: adminKey, BATON_WEBHOOK_KEY: webhookKey } });
  const story = world(db.pool);
  const { agent, session, reassign, initiate, run } = story;

  const pool = ['ada', 'bob', 'eve'];
  for (const id of pool) await agent(id, { maxCapacity: 1_000, instructions: `what ${id} is told` });
  for (const id of pool)
    await run(updateAgent, { id, collaborators: pool.filter((other) => other !== id), metadata: { of: id } });
  const askers = {} as Record<Asker, Client>;
  const secrets = {} as Record<Asker, string>;
  for (const role of roles) {
    secrets[role] = role === 'ADMIN' ? adminKey : await secretFor(db.pool, role, role === 'AGENT' ? 'ada' : null);
    askers[role] = client(url, { key: secrets[role] });
  }

  const held = async (whose: Whose): Promise<string> => {
    if (whose !== 'seen') return session(whose === 'own' ? 'ada' : 'bob');
    const id = await session('ada');
    await reassign(id, { agentId: 'bob', skipHandoff: true });
    return id;
  };
  /** The UUID of a Handoff: to ada, in a Session that ada held before, or unrelated to ada. */
  const addressed = async (whose: Whose): Promise<string> =>
    (await initiate(await held(whose === 'own' ? 'foreign' : whose), whose === 'own' ? 'ada' : 'eve')).handoffId;

  return {
    ...story,
    db,
    url,
    askers,
    secrets,
    held,
    addressed,
    sessionInput: async (whose: Whose) => ({ sessionId: encodeId('session', await held(whose)) }),
    handoffInput: async (whose: Whose) => ({ handoffId: encodeId('handoff', await addressed(whose)) }),
  };
}
