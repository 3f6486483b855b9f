import { expect, it, vi } from 'vitest';
import { testDatabase } from '../../../test/database.ts';
import { connect } from '../../../test/mcp.ts';
import { startApp } from '../../../test/server.ts';
import { world } from '../../../test/world.ts';
import { encodeId } from '../../core/ids.ts';

const database = await testDatabase();
const { url } = await startApp(database);
const { agent, session } = world(database.pool);

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
