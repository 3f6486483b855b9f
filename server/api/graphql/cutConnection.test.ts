import { describe, expect, it } from 'vitest';
import { cutter } from '../../../test/cutter.ts';
import { atEnd, testDatabase } from '../../../test/database.ts';
import { client } from '../../../test/graphql.ts';
import { hashAllTables } from '../../../test/hash.ts';
import { brokenInvariants } from '../../../test/invariants.ts';
import { startApp } from '../../../test/server.ts';
import { world } from '../../../test/world.ts';
import { encodeId } from '../../core/ids.ts';
import { silentLog } from '../../infra/log.ts';
import { createDatabase } from '../../infra/prisma.ts';

const db = await testDatabase();
const { agent, session } = world(db.pool);
const line = await cutter(db.url);
const behind = createDatabase(line.url, silentLog);
atEnd(() => behind.close());
// Nothing but what is asked here goes over the line: positions of events wait until the end.
const { url } = await startApp({ ...db, ...behind }, { pace: { idleStampMs: 3_600_000 } });
const api = client(url);
await agent('ada', { maxCapacity: 1_000 });
await agent('bob', { maxCapacity: 1_000 });

const reassign = (sessionId: string, idempotencyKey: string, fields = 'message') =>
  api.post<{ reassignSession: { message?: string; code?: string } } | null>(
    `mutation ($input: ReassignSessionInput!) { reassignSession(input: $input) { ... on ReassignSessionPayload { ${fields} } ... on Error { code } } }`,
    { input: { sessionId: encodeId('session', sessionId), agentId: 'bob', idempotencyKey } },
  );
// BEGIN with the lock, custody, the answer under the key, the log, what is written, COMMIT.
const questions = 6;

describe.each(['before', 'after'] as const)('when the connection breaks %s PostgreSQL receives', (when) => {
  it.each(Array.from({ length: questions }, (_, n) => n + 1))(
    `statement %i of ${questions}, the mutation returns UNAVAILABLE, writes all or nothing, and its key settles it`,
    async (nth) => {
      const id = await session('ada');
      const key = `${when}-${nth}`;
      const cutsBefore = line.cuts();
      const before = await hashAllTables(db.pool);
      line.cut(nth, when);
      const { errors } = await reassign(id, key);
      expect(line.cuts() - cutsBefore).toBe(1);
      expect(errors).toMatchObject([{ extensions: { code: 'UNAVAILABLE' } }]);

      const committing = nth === questions;
      const written = committing && when === 'after';
      expect(errors?.[0]?.message).toMatch(
        committing
          ? /repeat the request with the same idempotency key, or read the record/
          : /nothing was changed, try again/,
      );
      const after = await hashAllTables(db.pool);
      if (written) expect(after).not.toEqual(before);
      else expect(after).toEqual(before);

      const again = await reassign(id, key);
      expect(again.data?.reassignSession.message).toContain("'bob' holds the session now (before: 'ada')");
      expect(await db.prisma.handoff.count({ where: { sessionId: id } })).toBe(1);
      expect(await brokenInvariants(db.pool)).toEqual([]);
    },
  );
});

it('a query whose connection breaks returns UNAVAILABLE, and the next one succeeds', async () => {
  for (const when of ['before', 'after'] as const) {
    line.cut(1, when);
    expect(await api.post('{ agents { totalCount } }')).toMatchObject({
      errors: [{ extensions: { code: 'UNAVAILABLE' } }],
    });
    expect(await api.post('{ agents { totalCount } }')).toMatchObject({ data: { agents: { totalCount: 2 } } });
  }
});

it('when the connection breaks while the payload is read, the change stays and the error does not deny it', async () => {
  const id = await session('ada');
  line.cut(questions + 1, 'before');
  const { errors } = await reassign(id, 'payload', 'message session { id }');
  expect(await db.prisma.handoff.count({ where: { sessionId: id } })).toBe(1);
  expect(errors).toMatchObject([{ path: ['reassignSession', 'session'], extensions: { code: 'UNAVAILABLE' } }]);
  expect(errors?.[0]?.message).not.toContain('nothing was changed');
});
