import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { askersOf, roles, type Asker } from '../../../test/askers.ts';
import { hashAllTables } from '../../../test/hash.ts';
import { brokenInvariants } from '../../../test/invariants.ts';
import { documentOf, unknownId, type Said } from '../../../test/refusals.ts';
import { runs } from '../../../test/runs.ts';
import { agentCaller } from '../../../test/world.ts';
import { encodeId } from '../../core/ids.ts';
import { archiveAgent } from '../../work/agents/archiveAgent.ts';
import { setAgentStatus } from '../../work/agents/setAgentStatus.ts';
import { answerQuestion } from '../../work/approvals/answerQuestion.ts';
import { approveHandoff } from '../../work/approvals/approveHandoff.ts';
import { askPerson } from '../../work/approvals/askPerson.ts';
import { declineHandoff } from '../../work/approvals/declineHandoff.ts';
import { cancelHandoff, timeOutHandoff } from '../../work/handoffs/changeHandoff.ts';
import {
  cancelSession,
  completeSession,
  failSession,
  pauseSession,
  resumeSession,
} from '../../work/sessions/changeSession.ts';
import { updateSession } from '../../work/sessions/updateSession.ts';

const { db, askers, agent, session, initiate, reassign, turn, run } = await askersOf();

interface Case {
  sessionId: string;
  /** Of the Handoff, or of the question. */
  id: string;
  kind: 'HANDOFF' | 'QUESTION';
  target: string;
}

let count = 0;
/** A Session of ada that waits for a person. */
async function waiting(kind: Case['kind']): Promise<Case> {
  const target = `target-${(count += 1)}`;
  await agent(target, { maxCapacity: 2 });
  const sessionId = await session('ada', { handoffApproval: 'REQUIRED' });
  await db.pool.query(`INSERT INTO agent_collaborators (agent_id, collaborator_id, position) VALUES ('ada', $1, $2)`, [
    target,
    100 + count,
  ]);
  const as = { caller: agentCaller('ada') };
  const id =
    kind === 'HANDOFF'
      ? (await initiate(sessionId, target, { reason: 'Review it' }, as)).handoffId
      : (await run(askPerson, { sessionId, question: 'Which port?', options: null }, as)).questionId;
  return { sessionId, id, kind, target };
}

const change = (sessionId: string) => ({ sessionId, expectedVersion: null, reason: null });
/** What may happen before the decision. */
const events: Record<string, (of: Case) => Promise<unknown>> = {
  'it is approved': ({ id }) =>
    run(approveHandoff, { handoffId: id, expectedContentHash: null, edits: null, note: null }),
  'it is declined': ({ id }) => run(declineHandoff, { handoffId: id, reason: 'No' }),
  'it is answered': ({ id }) => run(answerQuestion, { questionId: id, answer: 'That' }),
  'the agent takes it back': ({ id }) =>
    run(cancelHandoff, { handoffId: id, reason: null }, { caller: agentCaller('ada') }),
  'it times out': ({ id }) => run(timeOutHandoff, { handoffId: id }),
  'the session is paused': ({ sessionId }) => run(pauseSession, change(sessionId)),
  'the session is resumed': ({ sessionId }) => run(resumeSession, change(sessionId)),
  'the session is completed': ({ sessionId }) =>
    run(completeSession, { sessionId, expectedVersion: null, result: null, summary: null }),
  'the session fails': ({ sessionId }) => run(failSession, { sessionId, expectedVersion: null, reason: 'No' }),
  'the session is cancelled': ({ sessionId }) => run(cancelSession, change(sessionId)),
  'the session moves': ({ sessionId }) => reassign(sessionId, { agentId: 'eve', skipHandoff: true }),
  'handoffs are disabled': ({ sessionId }) =>
    run(updateSession, { sessionId, expectedVersion: null, handoffsEnabled: false }),
  'the agent goes on': ({ sessionId }) => turn(sessionId),
  'the target drains': ({ target }) => run(setAgentStatus, { id: target, status: 'DRAINING' }),
  'the target is archived': ({ target }) => run(archiveAgent, { id: target }),
};

const large = (bytes: number): string => 'é'.repeat(bytes / 2 + 1);
const KB = 1024;
/** Edits, and whether they are within the limits. */
const allEdits: [object | null, boolean][] = [
  [null, true],
  [{}, true],
  [{ reason: null, summary: null, instructions: null, contextVariables: null, carry: null }, true],
  [{ reason: 'Look at the tests', summary: 'é'.repeat(16 * KB), instructions: 'é'.repeat(16 * KB) }, true],
  [{ targetAgentId: 'bob' }, true],
  [{ targetAgentId: 'ada' }, true],
  [{ targetAgentId: 'nobody-at-all' }, true],
  [{ carry: { tasks: false, maxTokens: 200 } }, true],
  [{ carry: { maxTokens: 199 } }, false],
  [{ contextVariables: { note: 'é'.repeat(30 * KB) } }, true],
  [{ reason: large(4 * KB) }, false],
  [{ summary: large(32 * KB) }, false],
  [{ instructions: large(32 * KB) }, false],
  [{ contextVariables: { note: large(64 * KB) } }, false],
  [{ contextVariables: [1] }, false],
  [{ contextVariables: { ['n'.repeat(129)]: 1 } }, false],
  [{ targetAgentId: '' }, false],
  [{ targetAgentId: unknownId('session') }, false],
];

type Act = 'approveHandoff' | 'declineHandoff' | 'answerQuestion';
const acts: Act[] = ['approveHandoff', 'declineHandoff', 'answerQuestion'];

const inputOf = (act: Act, { id, kind }: Case, edits: object | null): object => {
  const given = encodeId(kind === 'HANDOFF' ? 'handoff' : 'question', id);
  if (act === 'approveHandoff') return { handoffId: given, edits };
  return act === 'declineHandoff' ? { handoffId: given, reason: 'Not yet' } : { questionId: given, answer: 'This' };
};

async function send(as: Asker, act: Act, input: object): Promise<Said> {
  const { data, errors } = await askers[as].post<{ answer: Said } | null>(documentOf(act), { input });
  if (errors !== undefined || data === null)
    return {
      __typename: 'TopLevel',
      code: errors?.[0]?.extensions.code ?? 'none',
      message: errors?.[0]?.message ?? '',
    };
  return data.answer;
}

const decisionOf = async (id: string): Promise<string | null> =>
  (await db.prisma.approval.findUniqueOrThrow({ where: { id } })).decision;

/** The refusal that has to come, whatever else is wrong; null: none, and undefined: one of the guards of a move may come. */
function expected(
  as: Asker,
  act: Act,
  of: Case,
  decision: string | null,
  isWithin: boolean,
): string | null | undefined {
  if ((act === 'answerQuestion') !== (of.kind === 'QUESTION')) return 'BAD_USER_INPUT';
  if (act === 'approveHandoff' && !isWithin) return 'BAD_USER_INPUT';
  if (as === 'AGENT' || as === 'ANALYST') return 'FORBIDDEN';
  if (decision !== null) return 'INVALID_STATE';
  return act === 'approveHandoff' ? undefined : null;
}

describe('a decision', () => {
  it('is made once by an operator while something waits, whatever happened before; every refusal has its type, says what to do, and changes nothing', async () => {
    const given = fc.record({
      kind: fc.constantFrom<Case['kind']>('HANDOFF', 'HANDOFF', 'QUESTION'),
      before: fc.array(fc.constantFrom(...Object.keys(events)), { maxLength: 3 }),
      as: fc.constantFrom<Asker>(...roles, 'OPERATOR', 'OPERATOR', 'OPERATOR'),
      act: fc.constantFrom(...acts, 'approveHandoff' as const),
      edits: fc.constantFrom(...allEdits),
    });
    await fc.assert(
      fc.asyncProperty(given, async ({ kind, before, as, act, edits: [edits, isWithin] }) => {
        const of = await waiting(kind);
        for (const event of before) await events[event]!(of).catch(() => undefined);
        const decision = await decisionOf(of.id);
        const wanted = expected(as, act, of, decision, isWithin);
        const tables = await hashAllTables(db.pool);
        const said = await send(as, act, inputOf(act, of, edits));
        if (wanted === null) expect(said).toMatchObject({ __typename: expect.stringMatching(/Payload$/) as string });
        if (said.code === undefined) {
          expect(wanted).not.toEqual(expect.any(String));
          expect(await decisionOf(of.id)).toBe(
            { approveHandoff: 'APPROVED', declineHandoff: 'DECLINED', answerQuestion: 'ANSWERED' }[act],
          );
          // The same once more changes nothing; with edits it is another decision.
          const after = await hashAllTables(db.pool);
          const again = await send(as, act, inputOf(act, of, edits));
          if (act === 'approveHandoff' && edits !== null) expect(again).toMatchObject({ code: 'INVALID_STATE' });
          else expect(again).toEqual(said);
          expect(await hashAllTables(db.pool)).toEqual(after);
        } else {
          if (wanted !== undefined) expect([said, said.code]).toEqual([said, wanted]);
          expect(said.code).not.toMatch(/INTERNAL|VALIDATION/);
          // "The handoff is DECLINED and waits for no approval: nobody decided by ...", and no more of a long value than is needed.
          expect(said.message).toMatch(/: \S/u);
          expect(said.message!.length).toBeLessThan(600);
          expect(await hashAllTables(db.pool)).toEqual(tables);
          expect(await decisionOf(of.id)).toBe(decision);
        }
      }),
      { numRuns: runs(160) },
    );
    expect(await brokenInvariants(db.pool)).toEqual([]);
  });
});
