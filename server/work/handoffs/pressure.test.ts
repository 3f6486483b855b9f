import { Readable } from 'node:stream';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { client } from '../../../test/graphql.ts';
import { imports } from '../../../test/imports.ts';
import { brokenInvariants } from '../../../test/invariants.ts';
import { startApp } from '../../../test/server.ts';
import { agentCaller } from '../../../test/world.ts';
import { encodeId } from '../../core/ids.ts';
import { setAgentStatus } from '../agents/setAgentStatus.ts';
import { pauseSession } from '../sessions/changeSession.ts';
import { acceptHandoff } from './changeHandoff.ts';
import { pressureAfter } from './pressure.ts';

const judged = { contextWindow: 100, percent: 80, isFull: false, proposed: false };

describe('pressureAfter', () => {
  it.each<[string, Partial<Parameters<typeof pressureAfter>[0]>, ReturnType<typeof pressureAfter>]>([
    ['nothing reported', { tokens: [] }, null],
    ['at the limit', { tokens: [80] }, null],
    ['over the limit', { tokens: [81] }, 'PROPOSE'],
    ['over the limit a second time', { tokens: [81, 90] }, 'PROPOSE'],
    ['over the limit, after it was proposed', { tokens: [95], proposed: true }, null],
    ['fallen to the limit', { tokens: [80], proposed: true }, 'RELIEVE'],
    ['a compaction', { tokens: [0], proposed: true }, 'RELIEVE'],
    ['fallen and over again', { tokens: [20, 90], proposed: true }, 'PROPOSE'],
    ['over and fallen again', { tokens: [90, 20] }, null],
    ['over, a compaction, and over again', { tokens: [90, 0, 90], proposed: true }, 'PROPOSE'],
    ['a compaction that is about to come', { tokens: [], isFull: true }, 'PROPOSE'],
    ['a compaction that is about to come below the limit', { tokens: [10], isFull: true }, 'PROPOSE'],
    ['a compaction that is about to come, after it was proposed', { tokens: [90], isFull: true, proposed: true }, null],
    ['a window of unknown size', { tokens: [10 ** 9], contextWindow: null }, null],
    [
      'a window of unknown size that is about to be compacted',
      { tokens: [7], contextWindow: null, isFull: true },
      'PROPOSE',
    ],
    [
      'usage of a window of unknown size, after it was proposed',
      { tokens: [7], contextWindow: null, proposed: true },
      null,
    ],
    ['a compaction of a window of unknown size', { tokens: [0], contextWindow: null, proposed: true }, 'RELIEVE'],
    ['any usage while it is turned off', { tokens: [100], percent: 0, isFull: true }, null],
    ['usage beyond the window', { tokens: [2 ** 31 - 1], contextWindow: 2 ** 31 - 1, percent: 99 }, 'PROPOSE'],
  ])('%s', (_what, given, act) => {
    expect(pressureAfter({ tokens: [], ...judged, ...given })).toBe(act);
  });

  const usages = fc.array(fc.integer({ min: 0, max: 120 }), { maxLength: 30 });

  it('proposes once for each crossing, whatever the usages are', () => {
    fc.assert(
      fc.property(usages, fc.integer({ min: 1, max: 99 }), (tokens, percent) => {
        const crossings = tokens.filter(
          (used, at) => used > percent && (at === 0 || tokens[at - 1]! <= percent),
        ).length;
        let [proposed, proposals] = [false, 0];
        for (const used of tokens) {
          const act = pressureAfter({ ...judged, percent, tokens: [used], proposed });
          if (act !== null) proposed = act === 'PROPOSE';
          if (act === 'PROPOSE') proposals += 1;
          expect(proposed).toBe(used > percent);
        }
        expect(proposals).toBe(crossings);
      }),
    );
  });

  it('ends in the same state, however the reports are divided', () => {
    const after = (batches: number[][]): boolean =>
      batches.reduce((proposed: boolean, tokens) => {
        const act = pressureAfter({ ...judged, tokens, proposed });
        return act === null ? proposed : act === 'PROPOSE';
      }, false);
    fc.assert(fc.property(fc.array(usages, { maxLength: 6 }), (parts) => after(parts) === after([parts.flat()])));
  });
});

const { db, agent, session, turn, reassign, initiate, run, pipeline, here, load } = await imports();
await agent('mate', { maxCapacity: 100 });
await agent('busy', { maxCapacity: 1 });
await session('busy');
await agent('gone');
await run(setAgentStatus, { id: 'gone', status: 'DRAINING' });

let count = 0;
/** A Session of an agent whose window has 1,000 tokens. */
async function held(fields: Parameters<typeof agent>[1] = {}): Promise<{ id: string; holder: string }> {
  const holder = `holder-${(count += 1)}`;
  await agent(holder, { contextWindow: 1_000, collaborators: ['mate', 'busy', 'gone'], ...fields });
  return { id: await session(holder), holder };
}
const usage = (inputTokens: number) => ({
  usage: { inputTokens, outputTokens: null, cacheCreationInputTokens: null, cacheReadInputTokens: null, model: null },
});
const proposals = (sessionId: string) =>
  db.prisma.event.findMany({
    where: { sessionId, type: 'HANDOFF_PROPOSED' },
    orderBy: { sessionSequence: 'asc' },
    include: { inboxes: true },
  });
const stands = async (sessionId: string): Promise<boolean> =>
  (await db.prisma.agentSession.findFirstOrThrow({ where: { sessionId }, orderBy: { id: 'desc' } })).proposalEventId !==
  null;

describe('a turn', () => {
  it('over the limit writes one event into the inbox of the holder, and moves and stores nothing else', async () => {
    const { id, holder } = await held();
    await turn(id, usage(800));
    const before = await db.prisma.session.findUniqueOrThrow({
      where: { id },
      select: { version: true, agentId: true, handoffCount: true, status: true },
    });
    const snapshots = () => db.prisma.contextSnapshot.count({ where: { sessionId: id } });
    const captured = await snapshots();
    await turn(id, usage(801));
    const [event, ...more] = await proposals(id);
    expect(more).toEqual([]);
    expect(event).toMatchObject({
      agentId: holder,
      handoffId: null,
      actorPrincipal: 'operator',
      inboxes: [{ agentId: holder }],
    });
    const { free } = (
      await db.pool.query<{ free: number }>("SELECT max_capacity - current_load AS free FROM agents WHERE id = 'mate'")
    ).rows[0]!;
    expect(event!.metadata).toEqual({
      windowTokens: 801,
      contextWindow: 1_000,
      compaction: false,
      targets: [{ agentId: 'mate', freePlaces: free, outcome: null }],
    });
    expect(
      await db.prisma.session.findUniqueOrThrow({
        where: { id },
        select: { version: true, agentId: true, handoffCount: true, status: true },
      }),
    ).toEqual(before);
    expect(await snapshots()).toBe(captured);
  });

  it('proposes again only after the usage fell to the limit, or after a truncation', async () => {
    const { id } = await held();
    for (const [tokens, truncated, number, standing] of [
      [900, false, 1, true],
      [950, false, 1, true],
      [100, false, 1, false],
      [900, false, 2, true],
      [900, true, 3, true],
      [10, true, 3, false],
    ] as const) {
      await turn(id, { ...usage(tokens), truncated });
      expect([tokens, (await proposals(id)).length, await stands(id)]).toEqual([tokens, number, standing]);
    }
  });

  it('proposes anew in a new tenure, and nothing for an agent whose window is not known', async () => {
    const { id, holder } = await held();
    await turn(id, usage(900));
    await reassign(id, { agentId: 'mate', skipHandoff: true });
    await turn(id, usage(900));
    expect(await proposals(id)).toHaveLength(1);
    await reassign(id, { agentId: holder, skipHandoff: true });
    expect(await stands(id)).toBe(false);
    await turn(id, usage(900));
    expect((await proposals(id)).map(({ inboxes }) => inboxes.map(({ agentId }) => agentId))).toEqual([
      [holder],
      [holder],
    ]);
  });

  it('proposes once when ten writers report at the same time', async () => {
    const { id } = await held();
    await Promise.all(Array.from({ length: 10 }, (_, n) => turn(id, usage(900 + n))));
    expect(await proposals(id)).toHaveLength(1);
  });

  it('that completes a handoff proposes too', async () => {
    const { id } = await held();
    const { holder: next } = await held();
    const { handoffId } = await reassign(id, { agentId: next });
    await run(acceptHandoff, { handoffId: handoffId! });
    await turn(id, usage(900));
    const events = await db.prisma.event.findMany({
      where: { sessionId: id },
      orderBy: { sessionSequence: 'asc' },
      select: { type: true },
    });
    expect(events.map(({ type }) => type).slice(-3)).toEqual([
      'TURN_APPENDED',
      'HANDOFF_COMPLETED',
      'HANDOFF_PROPOSED',
    ]);
  });

  it('of no agent, or without usage, proposes nothing', async () => {
    const { id } = await held();
    await turn(id, { messages: [{ role: 'USER', content: 'Well?' }], ...usage(900) });
    await turn(id);
    expect(await proposals(id)).toEqual([]);
  });
});

describe('the targets', () => {
  const targets = async (id: string) =>
    (await proposals(id)).map(({ metadata }) => (metadata as { targets: object[] }).targets);

  it('include the agent from which the session came', async () => {
    const { id, holder } = await held();
    const { holder: next } = await held({ collaborators: [] });
    await initiate(id, 'mate');
    await run(acceptHandoff, {
      handoffId: (await db.prisma.handoff.findFirstOrThrow({ where: { sessionId: id } })).id,
    });
    await reassign(id, { agentId: next, skipHandoff: true });
    await turn(id, usage(900));
    expect(await targets(id)).toMatchObject([[{ agentId: 'mate' }]]);
    expect(holder).not.toBe(next);
  });

  it('are none when the session may not be handed off', async () => {
    const { holder } = await held();
    for (const fields of [{ handoffsEnabled: false }, { maxHandoffs: 0 }]) {
      const id = await session(holder, fields);
      await turn(id, usage(900));
      expect(await targets(id)).toEqual([[]]);
    }
  });

  it('fit the next stages in a pipeline, each with its outcome', async () => {
    await agent('reviews', { role: 'review', maxCapacity: 50 });
    const { holder } = await held({ role: 'write' });
    await pipeline(`line-${count}`, ['write DONE review', 'review APPROVE end', 'review REJECT write']);
    const id = await session(holder, { pipeline: `line-${count}` });
    await turn(id, usage(900));
    expect(await targets(id)).toEqual([[{ agentId: 'reviews', freePlaces: 50, outcome: 'DONE' }]]);
  });
});

describe('an import', () => {
  let lines = 0;
  const line = (fields: object): string =>
    `${JSON.stringify({ uuid: `u${(lines += 1)}`, sessionId: 's', timestamp: '2026-01-01T00:00:00Z', ...fields })}\n`;
  const user = (text: string): string => line({ type: 'user', message: { role: 'user', content: text } });
  const said = (tokens: number, isSidechain = false): string =>
    line({
      type: 'assistant',
      isSidechain,
      message: {
        id: `m${lines}`,
        role: 'assistant',
        content: [{ type: 'text', text: 'Said.' }],
        usage: { input_tokens: tokens },
      },
    });
  const compacted = (): string =>
    line({ type: 'system', subtype: 'compact_boundary', content: 'Conversation compacted' });
  const read = (sessionId: string, text: string, how = {}) => load(Readable.from([text]), { sessionId, ...how });

  it('proposes for the usage at its end, once for each crossing', async () => {
    const { id } = await held();
    let file = user('go') + said(900) + said(950);
    await read(id, file);
    expect(await proposals(id)).toHaveLength(1);
    await read(id, file);
    await read(id, (file += said(960)));
    expect(await proposals(id)).toHaveLength(1);
    await read(id, (file += compacted()));
    expect([(await proposals(id)).length, await stands(id)]).toEqual([1, false]);
    await read(id, (file += said(100) + said(900) + compacted() + said(10)));
    expect([(await proposals(id)).length, await stands(id)]).toEqual([1, false]);
    await read(id, (file += said(990)));
    expect([(await proposals(id)).length, await stands(id)]).toEqual([2, true]);
  });

  it('counts no usage of sub-agents', async () => {
    const { id } = await held();
    await read(id, user('go') + said(100) + said(990, true));
    await read(id, user('the whole file of a sub-agent') + said(990), { sidechain: true });
    await load(Readable.from([codex(990, 1_000)]), { sessionId: id, sidechain: true });
    expect(await proposals(id)).toEqual([]);
  });

  const codex = (tokens: number, size: number): string =>
    [
      { type: 'session_meta', payload: { id: `c${tokens}`, cwd: '/garden' } },
      { type: 'event_msg', payload: { type: 'user_message', message: 'Dig.' } },
      {
        type: 'event_msg',
        payload: {
          type: 'token_count',
          info: {
            total_token_usage: { input_tokens: tokens },
            last_token_usage: { input_tokens: tokens },
            model_context_window: size,
          },
        },
      },
    ]
      .map((entry) => `${JSON.stringify({ timestamp: '2026-01-01T00:00:00Z', ...entry })}\n`)
      .join('');

  it("takes the window that the transcript states, unless the agent's own is known", async () => {
    await load(Readable.from([codex(900, 1_000)]));
    expect((await proposals(here.id)).map(({ metadata }) => metadata)).toMatchObject([
      { windowTokens: 900, contextWindow: 1_000, targets: [] },
    ]);
    const { id } = await held({ contextWindow: 2_000 });
    await load(Readable.from([codex(901, 1_000)]), { sessionId: id });
    expect(await proposals(id)).toEqual([]);
  });

  it('of a tenure that ended, of one that is paused, or before it is accepted proposes nothing', async () => {
    const { id, holder } = await held();
    await reassign(id, { agentId: 'mate' });
    await read(id, user('go') + said(990), { agentId: holder });
    await read(id, user('go') + said(991));
    const paused = (await held()).id;
    await run(pauseSession, { sessionId: paused, expectedVersion: null });
    await read(paused, user('go') + said(990));
    expect([await proposals(id), await proposals(paused)]).toEqual([[], []]);
  });
});

describe('over HTTP', async () => {
  const { url } = await startApp(db);
  const { post } = client(url);
  const found = async (id: string) =>
    (
      await post<{ session: object }>(
        `{ session(id: "${encodeId('session', id)}") { agent { contextWindow } agentSession { proposal { type metadata agent { id } handoff { id } } } } }`,
      )
    ).data.session;

  it('takes the size of a window, and a compaction that is about to come, also without new lines', async () => {
    const { id, holder } = await held();
    await post(`mutation { updateAgent(input: { id: "${holder}", contextWindow: 500 }) { __typename } }`);
    expect(await found(id)).toEqual({ agent: { contextWindow: 500 }, agentSession: { proposal: null } });
    const upload = (query: string, body: string) =>
      fetch(`${url}/sessions/${encodeId('session', id)}/transcript?format=CLAUDE_CODE${query}`, {
        method: 'POST',
        body,
      });
    const body = `${JSON.stringify({ type: 'user', uuid: 'x', sessionId: 's', message: { role: 'user', content: 'Dig.' } })}\n`;
    expect((await upload('', body)).status).toBe(200);
    expect(await found(id)).toMatchObject({ agentSession: { proposal: null } });
    for (const again of ['', body]) {
      expect((await upload('&windowFull=true', again)).status).toBe(200);
      expect(await found(id)).toEqual({
        agent: { contextWindow: 500 },
        agentSession: {
          proposal: {
            type: 'HANDOFF_PROPOSED',
            agent: { id: holder },
            handoff: null,
            metadata: {
              windowTokens: null,
              contextWindow: 500,
              compaction: true,
              targets: [{ agentId: 'mate', freePlaces: expect.any(Number) as number, outcome: null }],
            },
          },
        },
      });
    }
    expect(await proposals(id)).toHaveLength(1);
    await turn(id, usage(10), { caller: agentCaller(holder) });
    expect(await found(id)).toMatchObject({ agentSession: { proposal: null } });
    expect(await brokenInvariants(db.pool)).toEqual([]);
  });

  it('proposes nothing while BATON_CONTEXT_PRESSURE is 0', async () => {
    const off = await startApp(db, { variables: { BATON_CONTEXT_PRESSURE: '0' } });
    const { id } = await held();
    await client(off.url).post(
      `mutation { appendTurn(input: { sessionId: "${encodeId('session', id)}", messages: [{ role: ASSISTANT, content: "Dug." }], usage: { inputTokens: 990 } }) { __typename } }`,
    );
    await client(url).post(
      `mutation { appendTurn(input: { sessionId: "${encodeId('session', id)}", messages: [{ role: ASSISTANT, content: "Dug." }], usage: { inputTokens: 800 } }) { __typename } }`,
    );
    expect(await proposals(id)).toEqual([]);
  });
});
