import type { Pool } from 'pg';
import { statement } from '../../core/changes.ts';
import { decodeId, encodeId } from '../../core/ids.ts';
import type { Work } from '../../core/work.ts';

/** Everybody reads which Agent acted and the name of the key, and who may read it which key: these statements give nothing else of a key. */
const keysOfAgent = statement('SELECT id FROM keys WHERE agent_id = $1');
const agentsById = statement(
  'SELECT id, agent_id AS "agentId" FROM keys WHERE id = ANY ($1::uuid[]) AND agent_id IS NOT NULL',
);

const namesById = statement('SELECT id, name FROM keys WHERE id = ANY ($1::uuid[])');

/** The principals that a filter by actor means: the given one, and those of the keys of the Agent with this id. */
export async function principalsOf(pool: Pool, actor: string): Promise<string[]> {
  const { rows } = await pool.query<{ id: string }>({ ...keysOfAgent, values: [actor] });
  return [actor, ...rows.map(({ id }) => encodeId('key', id))];
}

/** The Agents that keys are bound to, by the ids of the keys. */
export async function agentsOfKeys(pool: Pool, ids: readonly string[]): Promise<Map<string, string>> {
  const { rows } = await pool.query<{ id: string; agentId: string }>({ ...agentsById, values: [ids] });
  return new Map(rows.map(({ id, agentId }) => [id, agentId]));
}

/** The names of keys, by their ids. */
export async function namesOfKeys(pool: Pool, ids: readonly string[]): Promise<Map<string, string>> {
  const { rows } = await pool.query<{ id: string; name: string }>({ ...namesById, values: [ids] });
  return new Map(rows.map(({ id, name }) => [id, name]));
}

/** The name of the key with this principal; the principal itself for callers without a stored key. */
export async function nameOf(work: Work, principal: string): Promise<string> {
  const key = decodeId(principal);
  if (key?.prefix !== 'key') return principal;
  const [row] = await work.query<{ name: string }>(namesById, [[key.uuid]]);
  return row?.name ?? principal;
}

/** The name of the caller's key; null without a stored key. */
export async function callerName(work: Work): Promise<string | null> {
  const { keyId } = work.caller;
  if (keyId === null) return null;
  const [key] = await work.query<{ name: string }>(namesById, [[keyId]]);
  return key?.name ?? null;
}
