import { describe, expect, it } from 'vitest';
import { testDatabase } from '../../../test/database.ts';
import { brokenInvariants } from '../../../test/invariants.ts';
import { runRandomStories } from '../../../test/randomStories.ts';
import { world } from '../../../test/world.ts';
import { silentLog } from '../../infra/log.ts';
import { setAgentStatus } from '../agents/setAgentStatus.ts';
import { acceptHandoff, cancelHandoff, failHandoff, rejectHandoff, timeOutHandoff } from '../handoffs/changeHandoff.ts';
import { assignQueued } from '../queue/assign.ts';
import { cancelSession, completeSession, failSession, pauseSession, resumeSession } from '../sessions/changeSession.ts';

const db = await testDatabase();
const { agent, session, pipeline, advance, initiate, reassign, run } = world(db.pool);
for (const [id, role] of [
  ['w1', 'write'],
  ['w2', 'write'],
  ['r1', 'review'],
  ['r2', 'review'],
  ['r3', 'review'],
  ['s1', 'sign'],
  ['x', 'other'],
] as const)
  await agent(id, { role, maxCapacity: 10 });
await pipeline('story', ['write DONE review', 'review APPROVE end', 'review REJECT write']);
for (const [slug, escalateTo] of [
  ['to-agent', { agentId: 'x', role: null, operators: false }],
  ['to-operators', { agentId: null, role: null, operators: true }],
] as const) {
  await pipeline(slug, ['write DONE sign', 'sign APPROVE end', 'sign REJECT write'], { sign: { escalateTo } });
}

const lastHandoff = async (sessionId: string): Promise<string> =>
  (await db.prisma.session.findUniqueOrThrow({ where: { id: sessionId } })).lastHandoffId ?? sessionId;
const accept = async (id: string) => run(acceptHandoff, { handoffId: await lastHandoff(id) });
const plain = (sessionId: string) => ({
  sessionId,
  expectedVersion: null,
  result: null,
  summary: null,
  reason: 'because',
});

/** What a Session in each kind of stage has behind it. */
const states = {
  start: async () => session(null, { pipeline: 'story' }),
  waiting: async () => {
    const id = await states.start();
    await advance(id);
    return id;
  },
  taken: async () => {
    const id = await states.waiting();
    await accept(id);
    return id;
  },
  paused: async () => {
    const id = await states.taken();
    await run(pauseSession, plain(id));
    return id;
  },
  again: async () => {
    const id = await states.taken();
    await advance(id, 'REJECT');
    await accept(id);
    return id;
  },
  moved: async () => {
    const id = await states.taken();
    await reassign(id, { agentId: 'r2' });
    return id;
  },
  unheld: async () => {
    const id = await states.waiting();
    await run(setAgentStatus, { id: 'w1', status: 'OFFLINE' });
    await run(rejectHandoff, { handoffId: await lastHandoff(id), reason: 'no' });
    return id;
  },
  finished: async () => {
    const id = await states.taken();
    await advance(id, 'APPROVE');
    return id;
  },
  /** With the only agent of a stage that escalates to 'x'. */
  lastTry: async () => {
    const id = await session(null, { pipeline: 'to-agent' });
    await advance(id);
    return id;
  },
  escalated: async () => {
    const id = await session(null, { pipeline: 'to-operators' });
    await advance(id);
    await run(timeOutHandoff, { handoffId: await lastHandoff(id) });
    return id;
  },
};

const acts: Record<string, (id: string) => Promise<unknown>> = {
  'advance DONE': (id) => advance(id, 'DONE'),
  'advance REJECT': (id) => advance(id, 'REJECT'),
  'advance APPROVE': (id) => advance(id, 'APPROVE'),
  'initiate to r3': (id) => initiate(id, 'r3'),
  'initiate to w2': (id) => initiate(id, 'w2'),
  'reassign to r3': (id) => reassign(id, { agentId: 'r3' }),
  'reassign to w1': (id) => reassign(id, { agentId: 'w1' }),
  'reassign to w2': (id) => reassign(id, { agentId: 'w2' }),
  'reassign by type': (id) => reassign(id, { agentType: 'CLAUDE' }),
  'skip to r3': (id) => reassign(id, { agentId: 'r3', skipHandoff: true }),
  'leave for x': (id) => reassign(id, { agentId: 'x', leavePipeline: true }),
  accept,
  reject: async (id) => run(rejectHandoff, { handoffId: await lastHandoff(id), reason: 'no' }),
  cancel: async (id) => run(cancelHandoff, { handoffId: await lastHandoff(id), reason: null }),
  fail: async (id) => run(failHandoff, { handoffId: await lastHandoff(id), reason: 'no' }),
  'time out': async (id) => run(timeOutHandoff, { handoffId: await lastHandoff(id) }),
  pause: (id) => run(pauseSession, plain(id)),
  resume: (id) => run(resumeSession, plain(id)),
  complete: (id) => run(completeSession, plain(id)),
  'fail session': (id) => run(failSession, plain(id)),
};

/** The stage, the holder and its tenure, after the act: or the code of its refusal. */
async function after(id: string, act: (id: string) => Promise<unknown>): Promise<string> {
  try {
    await act(id);
  } catch (error) {
    return (error as { code?: string }).code ?? String(error);
  }
  const { stage, agentId, status, lastAgentSession } = await db.prisma.session.findUniqueOrThrow({
    where: { id },
    include: { lastAgentSession: true },
  });
  const open = status === 'RUNNING' || status === 'PAUSED';
  return open
    ? `${stage ?? '-'} ${agentId ?? 'nobody'}${agentId === null ? '' : ` ${lastAgentSession?.state}`}`
    : `${stage ?? '-'} ${status}`;
}

/** Stage, holder and its tenure after each act, in the order of `states`; or the code of its refusal. */
const table: [act: string, after: string[]][] = [
  [
    'advance DONE',
    [
      'review r1 PENDING',
      'INVALID_STATE',
      'TRANSITION_NOT_ALLOWED',
      'TRANSITION_NOT_ALLOWED',
      'review r1 PENDING',
      'INVALID_STATE',
      'INVALID_STATE',
      'INVALID_STATE',
      'INVALID_STATE',
      'INVALID_STATE',
    ],
  ],
  [
    'advance REJECT',
    [
      'TRANSITION_NOT_ALLOWED',
      'INVALID_STATE',
      'write w1 PENDING',
      'write w1 PENDING',
      'TRANSITION_NOT_ALLOWED',
      'INVALID_STATE',
      'INVALID_STATE',
      'INVALID_STATE',
      'INVALID_STATE',
      'INVALID_STATE',
    ],
  ],
  [
    'advance APPROVE',
    [
      'TRANSITION_NOT_ALLOWED',
      'INVALID_STATE',
      '- COMPLETED',
      '- COMPLETED',
      'TRANSITION_NOT_ALLOWED',
      'INVALID_STATE',
      'INVALID_STATE',
      'INVALID_STATE',
      'INVALID_STATE',
      'INVALID_STATE',
    ],
  ],
  [
    'initiate to r3',
    [
      'review r3 PENDING',
      'INVALID_STATE',
      'TRANSITION_NOT_ALLOWED',
      'INVALID_STATE',
      'review r3 PENDING',
      'INVALID_STATE',
      'INVALID_STATE',
      'INVALID_STATE',
      'INVALID_STATE',
      'INVALID_STATE',
    ],
  ],
  [
    'initiate to w2',
    [
      'TRANSITION_NOT_ALLOWED',
      'INVALID_STATE',
      'write w2 PENDING',
      'INVALID_STATE',
      'TRANSITION_NOT_ALLOWED',
      'INVALID_STATE',
      'INVALID_STATE',
      'INVALID_STATE',
      'INVALID_STATE',
      'INVALID_STATE',
    ],
  ],
  [
    'reassign to r3',
    [
      'AGENT_ROLE_MISMATCH',
      'review r3 PENDING',
      'review r3 PENDING',
      'review r3 PENDING',
      'AGENT_ROLE_MISMATCH',
      'review r3 PENDING',
      'AGENT_ROLE_MISMATCH',
      'INVALID_STATE',
      'AGENT_ROLE_MISMATCH',
      'AGENT_ROLE_MISMATCH',
    ],
  ],
  [
    'reassign to w1',
    [
      'ALREADY_ASSIGNED',
      'write w1 ACTIVE',
      'AGENT_ROLE_MISMATCH',
      'AGENT_ROLE_MISMATCH',
      'ALREADY_ASSIGNED',
      'AGENT_ROLE_MISMATCH',
      'AGENT_UNAVAILABLE',
      'INVALID_STATE',
      'write w1 ACTIVE',
      'AGENT_ROLE_MISMATCH',
    ],
  ],
  [
    'reassign to w2',
    [
      'write w2 PENDING',
      'AGENT_ROLE_MISMATCH',
      'AGENT_ROLE_MISMATCH',
      'AGENT_ROLE_MISMATCH',
      'write w2 PENDING',
      'AGENT_ROLE_MISMATCH',
      'write w2 PENDING',
      'INVALID_STATE',
      'AGENT_ROLE_MISMATCH',
      'AGENT_ROLE_MISMATCH',
    ],
  ],
  [
    'reassign by type',
    [
      'write w2 PENDING',
      'review r2 PENDING',
      'review r2 PENDING',
      'review r2 PENDING',
      'write w2 PENDING',
      'review r3 PENDING',
      'write w2 PENDING',
      'INVALID_STATE',
      'NO_AGENT_AVAILABLE',
      'sign s1 PENDING',
    ],
  ],
  [
    'skip to r3',
    [
      'AGENT_ROLE_MISMATCH',
      'review r3 ACTIVE',
      'review r3 ACTIVE',
      'review r3 PAUSED',
      'AGENT_ROLE_MISMATCH',
      'review r3 ACTIVE',
      'AGENT_ROLE_MISMATCH',
      'INVALID_STATE',
      'AGENT_ROLE_MISMATCH',
      'AGENT_ROLE_MISMATCH',
    ],
  ],
  [
    'leave for x',
    [
      '- x PENDING',
      '- x PENDING',
      '- x PENDING',
      '- x PENDING',
      '- x PENDING',
      '- x PENDING',
      '- x PENDING',
      'INVALID_STATE',
      '- x PENDING',
      '- x PENDING',
    ],
  ],
  [
    'accept',
    [
      'NOT_FOUND',
      'review r1 ACTIVE',
      'review r1 ACTIVE',
      'review r1 PAUSED',
      'write w1 ACTIVE',
      'review r2 ACTIVE',
      'INVALID_STATE',
      '- COMPLETED',
      'sign s1 ACTIVE',
      'INVALID_STATE',
    ],
  ],
  [
    'reject',
    [
      'NOT_FOUND',
      'write w1 ACTIVE',
      'INVALID_STATE',
      'INVALID_STATE',
      'INVALID_STATE',
      'review r1 ACTIVE',
      'write nobody',
      'INVALID_STATE',
      'write w1 ACTIVE',
      'INVALID_STATE',
    ],
  ],
  [
    'cancel',
    [
      'NOT_FOUND',
      'write w1 ACTIVE',
      'INVALID_STATE',
      'INVALID_STATE',
      'INVALID_STATE',
      'review r1 ACTIVE',
      'INVALID_STATE',
      'INVALID_STATE',
      'write w1 ACTIVE',
      'INVALID_STATE',
    ],
  ],
  [
    'fail',
    [
      'NOT_FOUND',
      'write w1 ACTIVE',
      'write w1 ACTIVE',
      'write w1 PAUSED',
      'review r1 ACTIVE',
      'review r1 ACTIVE',
      'INVALID_STATE',
      'INVALID_STATE',
      'write w1 ACTIVE',
      'INVALID_STATE',
    ],
  ],
  [
    'time out',
    [
      'NOT_FOUND',
      'review r2 PENDING',
      'INVALID_STATE',
      'INVALID_STATE',
      'INVALID_STATE',
      'review r1 ACTIVE',
      'INVALID_STATE',
      'INVALID_STATE',
      'sign x PENDING',
      'sign nobody',
    ],
  ],
  [
    'pause',
    [
      'write w1 PAUSED',
      'review r1 PENDING',
      'review r1 PAUSED',
      'review r1 PAUSED',
      'write w1 PAUSED',
      'review r2 PENDING',
      'write nobody',
      'INVALID_STATE',
      'sign s1 PENDING',
      'sign nobody',
    ],
  ],
  [
    'resume',
    [
      'INVALID_STATE',
      'INVALID_STATE',
      'INVALID_STATE',
      'review r1 ACTIVE',
      'INVALID_STATE',
      'INVALID_STATE',
      'INVALID_STATE',
      'INVALID_STATE',
      'INVALID_STATE',
      'INVALID_STATE',
    ],
  ],
  [
    'complete',
    [
      'write COMPLETED',
      'review COMPLETED',
      'review COMPLETED',
      'review COMPLETED',
      'write COMPLETED',
      'review COMPLETED',
      'write COMPLETED',
      '- COMPLETED',
      'sign COMPLETED',
      'sign COMPLETED',
    ],
  ],
  [
    'fail session',
    [
      'write FAILED',
      'review FAILED',
      'review FAILED',
      'review FAILED',
      'write FAILED',
      'review FAILED',
      'write FAILED',
      'INVALID_STATE',
      'sign FAILED',
      'sign FAILED',
    ],
  ],
];

const cells = table.flatMap(([act, expected]) =>
  (Object.keys(states) as (keyof typeof states)[]).map((state, index) => [act, state, expected[index]!] as const),
);

describe('each act in each kind of stage', () => {
  it.each(cells)('%s in %s gives %s', async (act, state, expected) => {
    const id = await states[state]();
    const got = await after(id, acts[act]!);
    // The next case begins with all agents free.
    await run(cancelSession, plain(id)).catch(() => undefined);
    await run(setAgentStatus, { id: 'w1', status: 'AVAILABLE' });
    expect(got).toBe(expected);
  });

  it('breaks no invariant', async () => {
    expect(Object.keys(acts)).toEqual(table.map(([act]) => act));
    expect(await brokenInvariants(db.pool)).toEqual([]);
  });

  it('of a session in a stage that a time-out exhausts puts it back to its source', async () => {
    const id = await states.waiting();
    const held: string[] = [];
    for (let n = 0; n < 3; n += 1) {
      held.push((await db.prisma.session.findUniqueOrThrow({ where: { id } })).agentId!);
      await run(timeOutHandoff, { handoffId: await lastHandoff(id) });
    }
    expect(held).toEqual(['r1', 'r2', 'r3']);
    expect(await db.prisma.session.findUniqueOrThrow({ where: { id } })).toMatchObject({
      agentId: 'w1',
      stage: 'write',
    });
    expect(
      await db.prisma.handoff.findMany({
        where: { sessionId: id },
        select: { sourceAgentId: true, via: true, status: true },
      }),
    ).toEqual(Array.from({ length: 3 }, () => ({ sourceAgentId: 'w1', via: 'PIPELINE', status: 'TIMED_OUT' })));
    await run(cancelSession, plain(id));
  });
});

describe('a stage whose agents are full', () => {
  const sessionOf = (id: string) =>
    db.prisma.session.findUniqueOrThrow({ where: { id }, include: { queueEntry: true, lastHandoff: true } });

  it('queues the session, and the handoff that is made at its turn goes back to the finisher when it is declined', async () => {
    for (const [id, role] of [
      ['q1', 'draft'],
      ['p1', 'print'],
    ] as const)
      await agent(id, { role, maxCapacity: 1 });
    await pipeline('print', ['draft DONE print', 'print DONE end']);
    const first = await session(null, { pipeline: 'print' });
    await advance(first);
    await accept(first);
    const second = await session(null, { pipeline: 'print' });
    expect(await advance(second, 'DONE', { payload: { pages: 3 } })).toMatchObject({ handoffId: null });
    expect(await sessionOf(second)).toMatchObject({
      stage: 'print',
      agentId: null,
      status: 'PAUSED',
      queueEntry: { role: 'print', agentType: null, sourceAgentId: 'q1' },
    });
    // The finisher's place is free.
    const third = await session(null, { pipeline: 'print' });
    expect(await sessionOf(third)).toMatchObject({ agentId: 'q1', stage: 'draft' });
    const fourth = await session(null, { pipeline: 'print' });
    expect(await sessionOf(fourth)).toMatchObject({ agentId: null, stage: 'draft', queueEntry: { role: 'draft' } });

    await advance(first);
    expect(await sessionOf(second)).toMatchObject({
      agentId: 'p1',
      stage: 'print',
      queueEntry: null,
      lastHandoff: { sourceAgentId: 'q1', via: 'PIPELINE' },
    });
    const { context } = await db.prisma.handoff.findUniqueOrThrow({ where: { id: await lastHandoff(second) } });
    expect((context as { contextVariables: unknown }).contextVariables).toEqual(
      expect.arrayContaining([expect.objectContaining({ name: '_handoff_payload', value: { pages: 3 } })]),
    );
    await run(cancelSession, plain(third));
    await run(cancelSession, plain(fourth));
    await run(rejectHandoff, { handoffId: await lastHandoff(second), reason: 'no' });
    expect(await sessionOf(second)).toMatchObject({ agentId: 'q1', stage: 'draft', status: 'RUNNING' });
    expect(await brokenInvariants(db.pool)).toEqual([]);
  });

  it('queues a session that its source cannot take back, for another agent than the one that declined', async () => {
    const id = await states.unheld();
    expect(await sessionOf(id)).toMatchObject({
      stage: 'write',
      agentId: null,
      queueEntry: { role: 'write', sourceAgentId: 'r1' },
    });
    await assignQueued({ pool: db.pool, log: silentLog });
    expect(await sessionOf(id)).toMatchObject({ stage: 'write', agentId: 'w2', status: 'RUNNING' });
    await run(cancelSession, plain(id));
    await run(setAgentStatus, { id: 'w1', status: 'AVAILABLE' });
    expect(await brokenInvariants(db.pool)).toEqual([]);
  });
});

it('loses none of 50 random sessions in random pipelines, and has none in two stages', async () => {
  await runRandomStories(db, 50);
}, 60_000);
