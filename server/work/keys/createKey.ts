import { BadUserInputError, NotFoundError } from '../../core/errors.ts';
import { encodeId } from '../../core/ids.ts';
import type { Role, Work } from '../../core/work.ts';
import { findAndLockAgent } from '../agents/lockAgent.ts';
import { hashOf, newSecret } from './secret.ts';

export interface CreateKeyInput {
  role: Role;
  /** The agent that a key of role AGENT is bound to; null for other roles. */
  agentId: string | null;
  name: string;
  expiresAt: Date | null;
}

export interface CreateKeyAnswer {
  keyId: string;
  /** Only its hash is stored. */
  secret: string;
}

/** @throws BadUserInputError for input that is wrong in every state of the database */
export function demandKeyInput({ role, agentId, expiresAt }: CreateKeyInput, now: Date): void {
  if (role === 'AGENT' && agentId === null) throw bad('A key of role AGENT is bound to an agent: name it', 'agentId');
  if (role !== 'AGENT' && agentId !== null)
    throw bad(`A key of role ${role} is bound to no agent: leave agentId out, or make it one of role AGENT`, 'agentId');
  if (expiresAt !== null && expiresAt <= now)
    throw bad('A key that has expired lets nobody in: give a moment in the future', 'expiresAt');
}

export async function createKey(work: Work, input: CreateKeyInput): Promise<CreateKeyAnswer> {
  const { role, agentId, name, expiresAt } = input;
  const agent = agentId === null ? await work.begin() : await findAndLockAgent(work, agentId);
  demandKeyInput(input, work.now);
  if (agent === null) throw new NotFoundError('agent', agentId!);
  if (agent?.archivedAt != null) throw bad(`Agent '${agentId}' is archived: name another`, 'agentId');
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
  work.afterCommit(() =>
    work.log.info({ key: encodeId('key', keyId), role, agent: agentId, by: work.caller.principal }, 'key_created'),
  );
  return { keyId, secret };
}

const bad = (message: string, field: string): BadUserInputError => new BadUserInputError(message, ['input', field]);
