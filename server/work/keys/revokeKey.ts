import { statement } from '../../core/changes.ts';
import { NotFoundError } from '../../core/errors.ts';
import { encodeId } from '../../core/ids.ts';
import type { Work } from '../../core/work.ts';

export interface RevokeKeyAnswer {
  keyId: string;
}

type KeyRevoked = (keyId: string) => void;

const lockKey = statement(
  'SELECT clock_timestamp() AS now, id, revoked_at FROM (SELECT id, revoked_at FROM keys WHERE id = $1 FOR UPDATE) k',
);

/** Revokes a key: in this process at once, in others when they receive the announcement. Repeatable. May be the caller's own key. */
export async function revokeKey(
  work: Work,
  { keyId }: { keyId: string },
  { keyRevoked }: { keyRevoked: KeyRevoked },
): Promise<RevokeKeyAnswer> {
  await work.begin();
  const [key] = await work.query<{ now: Date; id: string; revoked_at: Date | null }>(lockKey, [keyId]);
  if (key === undefined) throw new NotFoundError('key', encodeId('key', keyId));
  work.now = key.now;
  if (key.revoked_at === null) stageRevocation(work, { id: keyId }, keyRevoked);
  return { keyId };
}

/** The key must be locked and not revoked. */
export function stageRevocation(work: Work, key: { id: string }, keyRevoked: KeyRevoked): void {
  work.change('keys', key, { revokedAt: work.now });
  work.afterCommit(() => {
    keyRevoked(key.id);
    work.log.info({ key: encodeId('key', key.id), by: work.caller.principal }, 'key_revoked');
  });
}
