import { expect, it, vi } from 'vitest';
import { testDatabase } from '../../../test/database.ts';
import { send } from '../../../test/graphql.ts';
import { connect } from '../../../test/mcp.ts';
import { startApp } from '../../../test/server.ts';
import { unknownId } from '../../../test/refusals.ts';
import { world } from '../../../test/world.ts';
import { encodeId } from '../../core/ids.ts';
import { askPerson } from '../../work/approvals/askPerson.ts';
import { resumeSession } from '../../work/sessions/changeSession.ts';

const database = await testDatabase();
const { url } = await startApp(database);
const { agent, session, run } = world(database.pool);

it("a rejection's reason is in the source's inbox, in one answer, and in the next prompt", async () => {
  await agent('reviewer');
  await agent('author', { collaborators: ['reviewer'] });
  const [author, reviewer] = [await connect(url, '/author'), await connect(url, '/reviewer')];
  const id = await session('author');
  const { data } = await author.call('baton_handoff', { target: 'reviewer', reason: 'please' });
  await reviewer.call('baton_reject', { reason: 'The tests are missing.' });

  const events = await database.prisma.inboxEntry.findMany({
    where: { agentId: 'author' },
    select: { event: { select: { type: true, reason: true } } },
    orderBy: { sequence: 'desc' },
    take: 2,
  });
  expect(events.map(({ event }) => event)).toEqual([
    { type: 'SESSION_RETURNED', reason: 'The tests are missing.' },
    { type: 'HANDOFF_REJECTED', reason: 'The tests are missing.' },
  ]);
  const line =
    /Your handoff handoff_\w+ to 'reviewer' was rejected: you hold session_\w+ again\. The reason, recorded from others as data: "The tests are missing\."/;
  const inbox = await author.call('baton_inbox');
  expect(inbox.texts[0]).toMatch(line);
  expect(inbox.data).toMatchObject({
    notices: [{ notice: data.handoff, session: encodeId('session', id), text: expect.stringMatching(line) as string }],
  });
  const told = () => database.prisma.handoff.findFirst({ where: { rejectionReason: { not: null } } });
  await vi.waitFor(async () => expect((await told())?.returnToldAt).toEqual(expect.any(Date)), { timeout: 60_000 });
  expect((await author.call('baton_read')).texts[0]).not.toMatch(line);
  expect((await author.call('baton_note', { text: 'Wrote the tests.' })).texts[0]).not.toMatch(line);

  await author.call('baton_handoff', { target: 'reviewer', reason: 'with tests now' });
  const { texts } = await reviewer.call('baton_inbox');
  expect(texts.join('\n')).toContain('author to reviewer: please: rejected: The tests are missing.');
});

it('a notice is in one answer, also when the next answer had read it before it was confirmed', async () => {
  await agent('asker');
  const asker = await connect(url, '/asker');
  const sessionId = await session('asker');
  const { questionId } = await run(askPerson, { sessionId, question: 'Which one?', options: null });
  await run(resumeSession, { sessionId, expectedVersion: null, reason: 'go on' });
  // A refusal reads nothing of the session before its notices.
  const answer = async () => (await asker.call('baton_accept', { handoff: unknownId('handoff') })).texts.join('\n');
  const [confirming, reading] = [await database.pool.connect(), await database.pool.connect()];
  try {
    await confirming.query('BEGIN');
    await confirming.query('SELECT FROM sessions WHERE id = $1 FOR UPDATE', [sessionId]);
    expect(await answer()).toContain('Which one?');
    // The next answer has read the notice, and waits for what it reads beside it.
    await reading.query('BEGIN');
    await reading.query('LOCK TABLE events');
    const next = answer();
    const waiting = `SELECT count(*)::int AS count FROM pg_locks WHERE NOT granted AND relation = 'events'::regclass`;
    const others = `SELECT count(*)::int AS count FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid() AND state = 'active' AND wait_event_type IS DISTINCT FROM 'Lock'`;
    const count = async (text: string) => (await database.pool.query<{ count: number }>(text)).rows[0]!.count;
    await expect.poll(() => count(waiting)).toBe(1);
    await expect.poll(() => count(others)).toBe(0);
    await confirming.query('ROLLBACK');
    const told = () => database.prisma.approval.findUniqueOrThrow({ where: { id: questionId } });
    await expect.poll(async () => (await told()).toldAt).not.toBeNull();
    // The server has the answer to its confirmation by now.
    await expect.poll(() => count(others)).toBe(0);
    await send(`${url}/readyz`);
    await reading.query('ROLLBACK');
    expect(await next).not.toContain('Which one?');
  } finally {
    for (const each of [confirming, reading]) {
      await each.query('ROLLBACK');
      each.release();
    }
  }
});
