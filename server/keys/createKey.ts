import { lockAgent } from '../agents/demandAgent.ts';
import { BadUserInputError, NotFoundError } from '../core/errors.ts';
import { encodeId } from '../core/ids.ts';
import type { Role, Work } from '../core/work.ts';
import { hashOf, newSecret } from './secret.ts';

export interface CreateKeyInput {
  role: Role;
  /** The agent that an AGENT's key is bound to; null for the other roles. */
  agentId: string | null;
  name: string;
  expiresAt: Date | null;
}

export interface CreateKeyAnswer {
  keyId: string;
  /** Nobody else is told: what is kept is its hash. */
  secret: string;
}

/** What is wrong with a role and the agent that a key is to be bound to; null when they fit. */
export function misfit({ role, agentId }: Pick<CreateKeyInput, 'role' | 'agentId'>): string | null {
  if (role === 'AGENT') return agentId === null ? 'A key of role AGENT is bound to an agent: name it' : null;
  return agentId === null ? null : `A key of role ${role} is bound to no agent: leave agentId out, or make it one of role AGENT`;
}

/** Lets somebody in, as one agent or in one role, until the key expires or is revoked. */
export async function createKey(work: Work, { role, agentId, name, expiresAt }: CreateKeyInput): Promise<CreateKeyAnswer> {
  const wrong = misfit({ role, agentId });
  if (wrong !== null) throw bad(wrong, 'agentId');
  if (agentId === null) await work.begin();
  else {
    const agent = await lockAgent(work, agentId);
    if (agent === null) throw new NotFoundError('agent', agentId);
    if (agent.archivedAt !== null) throw bad(`Agent '${agentId}' is archived: name another`, 'agentId');
  }
  if (expiresAt !== null && expiresAt <= work.now) throw bad('A key that has expired lets nobody in: give a moment in the future', 'expiresAt');
  const secret = newSecret();
  const keyId = work.newId();
  work.insert('keys', {
    id: keyId,
    name,
    role,
    agentId,
    secretHash: hashOf(secret),
    createdBy: work.caller.principal,
    createdAt: work.now,
    expiresAt,
    revokedAt: null,
  });
  work.afterCommit(() => work.log.info({ key: encodeId('key', keyId), role, agent: agentId, by: work.caller.principal }, 'key_created'));
  return { keyId, secret };
}

const bad = (message: string, field: string): BadUserInputError => new BadUserInputError(message, ['input', field]);
