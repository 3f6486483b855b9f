import { expect, it } from 'vitest';
import { testDatabase } from '../../../test/database.ts';
import { brokenInvariants } from '../../../test/invariants.ts';
import { agentCaller, operator, world } from '../../../test/world.ts';
import { DomainError, ForbiddenError } from '../../core/errors.ts';
import { acceptHandoff, cancelHandoff, rejectHandoff } from '../handoffs/changeHandoff.ts';
import { cancelSession, pauseSession, resumeSession } from '../sessions/changeSession.ts';
import { answerQuestion } from './answerQuestion.ts';
import { approveHandoff } from './approveHandoff.ts';
import { askPerson } from './askPerson.ts';
import { declineHandoff } from './declineHandoff.ts';

/** Acts of all clients together; `BATON_APPROVAL_ACTS` sets another number. */
const acts = Number(process.env['BATON_APPROVAL_ACTS'] ?? 2_000);
const clients = 20;

const db = await testDatabase();
const { agent, session, initiate, reassign, turn, run } = world(db.pool);
const agents = ['a', 'b', 'c', 'd', 'e', 'f'];

// Numbers that repeat: a failure is seen again with the same ones, as far as the order of commits is.
let seed = 20_261_129;
const random = (below: number): number => {
  seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
  return Math.floor((seed / 2_147_483_648) * below);
};
const oneOf = <T>(list: readonly T[]): T => list[random(list.length)]!;

interface Seen {
  id: string;
  agentId: string | null;
  handoffId: string | null;
  status: string | null;
  target: string | null;
  questionId: string | null;
}

const look = async (id: string): Promise<Seen> =>
  (
    await db.pool.query<Seen>(
      `SELECT s.id, s.agent_id AS "agentId", h.id AS "handoffId", h.status, h.target_agent_id AS target,
         (SELECT p.id FROM approvals p WHERE p.session_id = s.id AND p.kind = 'QUESTION' ORDER BY p.requested_at DESC LIMIT 1) AS "questionId"
       FROM sessions s LEFT JOIN handoffs h ON h.id = s.last_handoff_id WHERE s.id = $1`,
      [id],
    )
  ).rows[0]!;

const someone = { caller: { ...operator, principal: 'another operator' } };
const change = (sessionId: string) => ({ sessionId, expectedVersion: null, reason: 'because' });
const approval = (handoffId: string, edits: object | null) => ({
  handoffId,
  expectedContentHash: null,
  edits,
  note: null,
});

/** What a client may do with what it saw a moment ago; others have acted since. */
function actOn({ id, agentId, handoffId, status, target, questionId }: Seen): () => Promise<unknown> {
  const holder = agentCaller(agentId ?? 'a');
  const handoff = handoffId ?? '';
  const all: [weight: number, () => Promise<unknown>][] = [
    [5, () => initiate(id, oneOf(agents), { reason: `r${random(1_000)}` }, { caller: holder })],
    [2, () => turn(id, { messages: [{ role: 'ASSISTANT', content: `w${random(1_000)}` }] }, { caller: holder })],
    [1, () => run(askPerson, { sessionId: id, question: 'Which?', options: null }, { caller: holder })],
    [1, () => reassign(id, { agentId: oneOf(agents), skipHandoff: random(2) === 0 })],
    [1, () => run(pauseSession, change(id))],
    [2, () => run(resumeSession, change(id), someone)],
    ...(questionId === null
      ? []
      : [[2, () => run(answerQuestion, { questionId, answer: 'This' })] as [number, () => Promise<unknown>]]),
    ...(status !== 'PROPOSED'
      ? []
      : ([
          [6, () => run(approveHandoff, approval(handoff, null))],
          [
            3,
            () => run(approveHandoff, approval(handoff, { targetAgentId: oneOf(agents), reason: 'edited' }), someone),
          ],
          [3, () => run(declineHandoff, { handoffId: handoff, reason: 'no' })],
          [2, () => run(cancelHandoff, { handoffId: handoff, reason: null }, { caller: holder })],
        ] as [number, () => Promise<unknown>][])),
    ...(status !== 'INITIATED'
      ? []
      : ([
          [6, () => run(acceptHandoff, { handoffId: handoff }, { caller: agentCaller(target ?? 'a') })],
          [1, () => run(rejectHandoff, { handoffId: handoff, reason: 'no' }, { caller: agentCaller(target ?? 'a') })],
        ] as [number, () => Promise<unknown>][])),
  ];
  let at = random(all.reduce((sum, [weight]) => sum + weight, 0));
  return (all.find(([weight]) => (at -= weight) < 0) ?? all[0]!)[1];
}

it('20 clients that propose, approve, edit, decline, cancel, reassign, ask, pause and end at once leave everything exact', async () => {
  for (const id of agents) await agent(id, { maxCapacity: 6, collaborators: [] });
  await db.pool.query(
    `INSERT INTO agent_collaborators (agent_id, collaborator_id, position) SELECT a.id, b.id, 0 FROM agents a, agents b WHERE a.id <> b.id`,
  );
  const begin = () => session(oneOf(agents), { handoffApproval: 'REQUIRED', maxHandoffs: 1_000_000 });
  const ids = await Promise.all(Array.from({ length: 15 }, begin));
  const outcomes: Record<string, number> = {};
  let left = acts;
  const client = async (): Promise<void> => {
    while ((left -= 1) >= 0) {
      const place = random(ids.length);
      const act =
        random(60) === 0
          ? async () => {
              await run(cancelSession, change(ids[place]!));
              ids[place] = await begin();
            }
          : actOn(await look(ids[place]!));
      const outcome = await act().then(
        () => 'done',
        (error: unknown) => {
          if (error instanceof DomainError || error instanceof ForbiddenError) return error.code;
          throw error;
        },
      );
      outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
    }
  };
  await Promise.all(Array.from({ length: clients }, client));
  expect(await brokenInvariants(db.pool)).toEqual([]);
  // It was a race: acts were done, and acts came too late.
  expect(outcomes['done']).toBeGreaterThan(acts / 10);
  expect(outcomes['INVALID_STATE']).toBeGreaterThan(0);
  const { rows } = await db.pool.query<{ decision: string; count: number }>(
    'SELECT decision::text, count(*)::int FROM approvals WHERE decision IS NOT NULL GROUP BY 1 ORDER BY 1',
  );
  expect(rows.map(({ decision }) => decision)).toEqual(['ANSWERED', 'APPROVED', 'CANCELLED', 'DECLINED']);
}, 600_000);
