import { statement } from '../../core/changes.ts';
import { ConflictError } from '../../core/errors.ts';
import { encodeId } from '../../core/ids.ts';
import type { Work } from '../../core/work.ts';

const findOpen = statement(`SELECT id FROM sessions WHERE external_id = $1 AND status IN ('RUNNING', 'PAUSED')`);

/**
 * (rule: external id) The database refuses a second open Session with an external id too: of two that get one at once, the loser starts
 * again and finds the winner here.
 * @throws ConflictError when an open Session has this external id.
 */
export async function demandFreeExternalId(work: Work, externalId: string): Promise<void> {
  const [found] = await work.query<{ id: string }>(findOpen, [externalId]);
  if (found === undefined) return;
  const sessionId = encodeId('session', found.id);
  throw new ConflictError(
    `External id '${externalId}' is that of the open session '${sessionId}': use that session, end it, or give another external id`,
    null,
    null,
    sessionId,
  );
}
