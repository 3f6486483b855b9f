import fc from 'fast-check';
import { request } from 'node:http';
import { hostname } from 'node:os';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { testDatabase } from '../../test/database.ts';
import { workplace } from '../../test/hooks.ts';
import { connect } from '../../test/mcp.ts';
import { startApp } from '../../test/server.ts';
import { agentCaller, world } from '../../test/world.ts';
import { answerQuestion } from '../../server/work/approvals/answerQuestion.ts';
import { approveHandoff } from '../../server/work/approvals/approveHandoff.ts';
import { askPerson } from '../../server/work/approvals/askPerson.ts';
import { declineHandoff } from '../../server/work/approvals/declineHandoff.ts';
import { cancelHandoff, failHandoff, rejectHandoff, timeOutHandoff } from '../../server/work/handoffs/changeHandoff.ts';
import { updateSession } from '../../server/work/sessions/updateSession.ts';
import { workspaceIn } from './work.ts';

// Every step starts a process or opens a connection.
vi.setConfig({ testTimeout: 240_000 });

const database = await testDatabase();
const { url } = await startApp(database);
const { agent, initiate, run } = world(database.pool);
beforeAll(async () => {
  await agent('codex-1', { type: 'CODEX', maxCapacity: 1_000 });
  await agent('claude-1', { maxCapacity: 1_000, collaborators: ['codex-1'] });
});

const reason = 'Why "so".';
const proposed = async (id: string): Promise<string> => {
  await run(updateSession, { sessionId: id, expectedVersion: null, handoffApproval: 'REQUIRED' });
  return (await initiate(id, 'codex-1', {}, { caller: agentCaller('claude-1') })).handoffId;
};
const returned = (end: (handoffId: string) => Promise<unknown>) => async (id: string) => {
  const { handoffId } = await initiate(id, 'codex-1');
  await end(handoffId);
  return handoffId;
};
const decided = (decide: (handoffId: string) => Promise<unknown>) => async (id: string) => {
  const handoffId = await proposed(id);
  await decide(handoffId);
  return handoffId;
};
/** What others decide about a session of claude-1: each returns the id of what the agent has to hear. */
const endings = {
  "to 'codex-1' was rejected": returned((handoffId) => run(rejectHandoff, { handoffId, reason })),
  "to 'codex-1' failed": returned((handoffId) => run(failHandoff, { handoffId, reason })),
  "to 'codex-1' was cancelled": returned((handoffId) => run(cancelHandoff, { handoffId, reason })),
  "to 'codex-1' was not accepted in time": returned((handoffId) => run(timeOutHandoff, { handoffId })),
  "to 'codex-1' was declined by a person": decided((handoffId) => run(declineHandoff, { handoffId, reason })),
  "to 'codex-1' was approved by nobody in time": decided((handoffId) => run(timeOutHandoff, { handoffId })),
  "to 'codex-1' was approved by a person": decided((handoffId) =>
    run(approveHandoff, { handoffId, expectedContentHash: null, edits: null, note: reason }),
  ),
  'A person answered your question': async (sessionId: string) => {
    const { questionId } = await run(askPerson, { sessionId, question: 'Why?', options: null });
    await run(answerQuestion, { questionId, answer: reason });
    return questionId;
  },
};

describe('what others decided', () => {
  it('is told once, by the first hook or answer of MCP in its folder whose text arrives, in any order of them', async () => {
    const step = fc.constantFrom('prompt', 'unread prompt', 'call', 'inbox', 'broken call', 'start');
    const ending = fc.constantFrom(...(Object.keys(endings) as (keyof typeof endings)[]));
    await fc.assert(
      fc.asyncProperty(ending, fc.array(step, { minLength: 1, maxLength: 5 }), async (how, steps) => {
        const place = workplace(url);
        await place.hook('SessionStart');
        const { rows } = await database.pool.query<{ id: string }>('SELECT id FROM sessions WHERE external_id = $1', [
          `${hostname()}:${place.folder}#main`,
        ]);
        const noticeId = await endings[how](rows[0]!.id);
        const path = `/claude-1?workspace=${workspaceIn(place.folder).id}`;
        const here = await connect(url, path);
        const elsewhere = await connect(url, `/claude-1?workspace=ws_${'0'.repeat(20)}`);
        const textOf: Record<(typeof steps)[number], () => Promise<string>> = {
          prompt: async () => (await place.hook('UserPromptSubmit')).context ?? '',
          start: async () => (await place.hook('SessionStart', { source: 'startup' })).context ?? '',
          'unread prompt': async () =>
            (await place.hook('UserPromptSubmit', {}, { closed: true })).code === 0 ? '' : 'a fault',
          call: async () => (await here.call('baton_read')).texts[0]!,
          inbox: async () => (await here.call('baton_inbox')).texts[0]!,
          'broken call': () => brokenCall(path),
        };
        let times = 0;
        const take = async (name: (typeof steps)[number]): Promise<void> => {
          if (!(await textOf[name]()).includes(how)) return;
          times += 1;
          // It is recorded after the answer was sent.
          await vi.waitFor(
            async () => {
              const asked = `SELECT FROM handoffs WHERE id = $1 AND return_told_at IS NOT NULL
                UNION ALL SELECT FROM approvals WHERE id = $1 AND told_at IS NOT NULL`;
              expect((await database.pool.query(asked, [noticeId])).rowCount).toBe(1);
            },
            { timeout: 10_000 },
          );
        };
        expect((await elsewhere.call('baton_accept')).texts[0]).not.toContain(how);
        for (const name of steps) await take(name);
        // An answer that never arrives may be under way.
        await vi.waitFor(
          async () => {
            if (times === 0) await take('call');
            expect(times).toBe(1);
          },
          { timeout: 60_000 },
        );
        for (const name of ['prompt', 'call', 'inbox'] as const) await take(name);
        expect(times).toBe(1);
      }),
      {
        numRuns: 10,
        examples: [
          ["to 'codex-1' failed", ['broken call', 'broken call']],
          ["to 'codex-1' was declined by a person", ['unread prompt', 'start', 'inbox']],
          ["to 'codex-1' was approved by a person", ['prompt', 'call']],
          ["to 'codex-1' was approved by a person", ['call', 'prompt']],
          ['A person answered your question', ['broken call', 'prompt', 'inbox']],
        ],
      },
    );
  });
});

/** Sends a call, and is gone before its answer: nothing reads handoffs until the server has seen the end of the connection. */
async function brokenCall(path: string): Promise<string> {
  const lock = await database.pool.connect();
  try {
    await lock.query('BEGIN; LOCK TABLE handoffs IN ACCESS EXCLUSIVE MODE');
    const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
    const sent = request(`${url}/mcp${path}`, { method: 'POST', headers });
    const closed = new Promise((resolve) => void sent.on('error', () => undefined).on('close', resolve));
    const params = { name: 'baton_read', arguments: {} };
    sent.end(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }));
    const waiting = `SELECT FROM pg_locks WHERE NOT granted AND relation = 'handoffs'::regclass`;
    await vi.waitFor(async () => expect((await lock.query(waiting)).rowCount).toBeGreaterThan(0), { timeout: 60_000 });
    sent.destroy();
    await closed;
    // Another connection is served after the end of that one was.
    await fetch(`${url}/livez`);
    return '';
  } finally {
    await lock.query('ROLLBACK');
    lock.release();
  }
}
