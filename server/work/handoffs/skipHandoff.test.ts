import { describe, expect, it } from 'vitest';
import { testDatabase } from '../../../test/database.ts';
import { client } from '../../../test/graphql.ts';
import { brokenInvariants } from '../../../test/invariants.ts';
import { startApp } from '../../../test/server.ts';
import { world } from '../../../test/world.ts';
import { encodeId } from '../../core/ids.ts';
import { rejectHandoff } from './changeHandoff.ts';

const db = await testDatabase();
const { url } = await startApp(db);
const { post } = client(url);
const { agent, session, reassign, initiate, run } = world(db.pool);
await agent('b', { maxCapacity: 100 });
await agent('a', { maxCapacity: 100, collaborators: ['b'] });

const said = { reason: 'b knows the parser', summary: 'The lexer is done', metadata: { ticket: 7 } };
interface Told {
  type: string;
  reason: string | null;
  summary: string | null;
  metadata: unknown;
}
const fields = 'type reason summary metadata';
const events = async (sessionId: string): Promise<Told[]> =>
  (
    await post<{ sessionEvents: { nodes: Told[] } }>(
      `{ sessionEvents(sessionId: "${encodeId('session', sessionId)}") { nodes { ${fields} } } }`,
    )
  ).data.sessionEvents.nodes;
const tenures = async (sessionId: string) =>
  (
    await post<{ session: { agentSessions: { nodes: { agent: { id: string }; startedBy: Told | null }[] } } }>(
      `{ session(id: "${encodeId('session', sessionId)}") { agentSessions { nodes { agent { id } startedBy { ${fields} } } } } }`,
    )
  ).data.session.agentSessions.nodes;

describe('a move without a handoff', () => {
  it('stores reason, summary and metadata on its event, and the tenure that it begins names the event (rule: skip)', async () => {
    const id = await session('a');
    await reassign(id, { agentId: 'b', skipHandoff: true, ...said });
    expect((await events(id)).at(-1)).toEqual({ type: 'SESSION_REASSIGNED', ...said });
    expect(await tenures(id)).toEqual([
      { agent: { id: 'b' }, startedBy: { type: 'SESSION_REASSIGNED', ...said } },
      { agent: { id: 'a' }, startedBy: { type: 'SESSION_CREATED', reason: null, summary: null, metadata: null } },
    ]);
    expect(await brokenInvariants(db.pool)).toEqual([]);
  });

  it('stores them also when it takes the session back to the source of a waiting handoff', async () => {
    const id = await session('a');
    await initiate(id, 'b');
    await reassign(id, { agentId: 'a', ...said });
    expect((await events(id)).slice(-2)).toEqual([
      { type: 'HANDOFF_CANCELLED', reason: said.reason, summary: null, metadata: null },
      { type: 'SESSION_RETURNED', ...said },
    ]);
  });

  it('redacts secrets in them', async () => {
    const id = await session('a');
    const secret = `ghp_${'a1B2c3D4e5F6g7H8i9J0'.repeat(2).slice(0, 36)}`;
    const { data } = await post<{ answer: { __typename: string } }>(
      'mutation ($input: ReassignSessionInput!) { answer: reassignSession(input: $input) { __typename } }',
      {
        input: {
          sessionId: encodeId('session', id),
          agentId: 'b',
          skipHandoff: true,
          reason: secret,
          summary: secret,
          metadata: { note: secret },
        },
      },
    );
    expect(data.answer.__typename).toBe('ReassignSessionPayload');
    const event = await db.prisma.event.findFirstOrThrow({ where: { sessionId: id, type: 'SESSION_REASSIGNED' } });
    expect(JSON.stringify(event)).not.toContain(secret);
    expect(event).toMatchObject({ reason: expect.stringContaining('[redacted') as string });
  });
});

it('a move with a handoff stores summary and metadata on the handoff', async () => {
  const id = await session('a');
  const { handoffId } = await initiate(id, 'b', said);
  await run(rejectHandoff, { handoffId, reason: 'busy' });
  expect(await events(id)).toEqual([
    { type: 'SESSION_CREATED', reason: null, summary: null, metadata: null },
    { type: 'HANDOFF_INITIATED', reason: said.reason, summary: null, metadata: null },
    { type: 'SESSION_REASSIGNED', reason: said.reason, summary: null, metadata: null },
    { type: 'HANDOFF_REJECTED', reason: 'busy', summary: null, metadata: null },
    { type: 'SESSION_RETURNED', reason: 'busy', summary: null, metadata: null },
  ]);
});
