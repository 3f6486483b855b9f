import { describe, expect, it } from 'vitest';
import { testDatabase } from '../../../test/database.ts';
import { client } from '../../../test/graphql.ts';
import { connect } from '../../../test/mcp.ts';
import { startApp } from '../../../test/server.ts';
import { world } from '../../../test/world.ts';
import { encodeId } from '../../core/ids.ts';
import { acceptHandoff } from './changeHandoff.ts';

const database = await testDatabase();
const { pool, prisma } = database;
const { url } = await startApp(database);
const { agent, session, pipeline, advance, turn, reassign, run } = world(pool);
const api = client(url);

/** The code of the refusal of a handoff by the holder; null when it succeeds. */
async function handOff(id: string, targetAgentId: string): Promise<string | null> {
  const { data } = await api.post<{ answer: { code?: string } }>(
    'mutation ($input: InitiateHandoffInput!) { answer: initiateHandoff(input: $input) { ... on Error { code } } }',
    { input: { sessionId: encodeId('session', id), targetAgentId } },
  );
  const { lastHandoffId } = await prisma.session.findUniqueOrThrow({ where: { id } });
  if (data.answer.code === undefined) await run(acceptHandoff, { handoffId: lastHandoffId! });
  return data.answer.code ?? null;
}
const stuck = (sessionId: string) =>
  prisma.event.findMany({
    where: { sessionId, type: 'SESSION_STUCK' },
    select: { reason: true, metadata: true, inboxes: { select: { agentId: true } } },
    orderBy: { sessionSequence: 'asc' },
  });

await agent('bob', { maxCapacity: 50 });
await agent('ada', { maxCapacity: 50, collaborators: ['bob'] });

describe('a limit that is reached', () => {
  it('maxHandoffs: is an Event with its reason in the inbox of the holder, once until an operator acts', async () => {
    const id = await session('ada', { maxHandoffs: 1 });
    expect(await handOff(id, 'bob')).toBeNull();
    for (let times = 0; times < 3; times += 1) expect(await handOff(id, 'ada')).toBe('MAX_HANDOFFS_REACHED');
    const event = {
      reason: expect.stringMatching(/an operator has to reassign it/) as string,
      metadata: { code: 'MAX_HANDOFFS_REACHED' },
      inboxes: [{ agentId: 'bob' }],
    };
    expect(await stuck(id)).toEqual([event]);
    const { texts } = await (await connect(url, '/bob')).call('baton_inbox');
    expect(texts[0]).toContain(`${encodeId('session', id)} `);
    expect(texts[0]).toContain('It is stuck until an operator acts: MAX_HANDOFFS.');
    await reassign(id, { agentId: 'ada', skipHandoff: true });
    expect(await handOff(id, 'bob')).toBeNull();
    expect(await handOff(id, 'ada')).toBe('MAX_HANDOFFS_REACHED');
    expect(await stuck(id)).toEqual([event, event]);
  });

  it('loop: is an Event with what to do, and again after the next work', async () => {
    const id = await session('ada');
    await handOff(id, 'bob');
    await handOff(id, 'ada');
    expect(await handOff(id, 'bob')).toBe('HANDOFF_LOOP');
    expect(await stuck(id)).toEqual([
      {
        reason: expect.stringMatching(/do some work first/) as string,
        metadata: { code: 'HANDOFF_LOOP' },
        inboxes: [{ agentId: 'ada' }],
      },
    ]);
    await turn(id);
    expect(await handOff(id, 'bob')).toBeNull();
  });

  it('an escalation to operators says in its Event what they have to do', async () => {
    await agent('w', { role: 'e-write' });
    await agent('r', { role: 'e-review' });
    await pipeline('e', ['write DONE review', 'review DONE end'], {
      write: { role: 'e-write' },
      review: { role: 'e-review', escalateTo: { agentId: null, role: null, operators: true } },
    });
    const id = await session(null, { pipeline: 'e' });
    const { handoffId } = await advance(id);
    await api.post('mutation ($id: ID!) { timeOutHandoff(input: { handoffId: $id }) { __typename } }', {
      id: encodeId('handoff', handoffId!),
    });
    expect(await prisma.event.findFirstOrThrow({ where: { sessionId: id, type: 'HANDOFF_ESCALATED' } })).toMatchObject({
      reason: expect.stringMatching(/^No agent of stage 'review' accepted.*an operator has to choose/) as string,
    });
  });
});
