import { describe, expect, it, onTestFinished } from 'vitest';
import { encodeId, newId } from '../../server/core/ids.ts';
import { atEnd, testDatabase } from '../database.ts';
import { startApp } from '../server.ts';
import { client } from '../graphql.ts';
import { call, type Asked } from './callers.ts';
import { killRound, repeatAll, Victim, type Target } from './kill.ts';
import { lostAnswers } from './lost.ts';
import type { Connection } from './requests.ts';
import { embeddedDatabase, givenDatabase, withDatabaseKilled } from './targets.ts';
import { storedKey } from '../../server/core/work.ts';

const db = await testDatabase();
const seed = 20_260_101;

describe('a server killed while at least 8 clients have a request in flight, and started again', () => {
  const embedded = embeddedDatabase();
  atEnd(() => embedded.remove());

  it.each<[string, number, Target]>([
    ['on a PostgreSQL elsewhere', 1, givenDatabase(db.url)],
    ['on its embedded PostgreSQL, which survives it', 2, embedded],
    ['on its embedded PostgreSQL, which is killed too', 3, withDatabaseKilled(embedded)],
  ])(
    '%s: every answer is stored, every key repeats its answer, and the invariants hold',
    async (_where, number, target) => {
      const victim = new Victim(target);
      onTestFinished(() => victim.kill());
      const round = await killRound(victim, { seed, round: number });
      expect(round.breaches).toEqual([]);
      expect(round.inFlight).toBeGreaterThanOrEqual(8);
      // Enough was going on for it to mean something.
      expect(round.answered).toBeGreaterThan(30);
      await victim.kill('SIGTERM');
    },
    60_000,
  );
});

it('equal seeds give equal requests', async () => {
  const questions = async (...seeds: number[]): Promise<string> => {
    let left = 200;
    const silent: Connection = {
      send: async () => {
        if ((left -= 1) === 0) throw new Error('the connection broke');
        return {};
      },
      close: () => undefined,
    };
    const stage = { agents: ['ada', 'bob'], sessions: ['one', 'two'], handoffs: new Map([['one', 'first']]) };
    return JSON.stringify(await call(silent, stage, seeds, () => undefined));
  };
  expect(await questions(seed, 1, 2)).toBe(await questions(seed, 1, 2));
  expect(await questions(seed, 1, 2)).not.toBe(await questions(seed, 1, 3));
  expect(await questions(seed, 1, 2)).not.toBe(await questions(seed + 1, 1, 2));
});

describe('the check after a kill reports', async () => {
  const { url } = await startApp(db);
  const api = client(url);
  let count = 0;

  async function recorded(): Promise<Asked> {
    const input = { title: 'Work', idempotencyKey: `checker-${(count += 1)}` };
    const { data } = await api.post<{ answer: Asked['answer'] }>(
      'mutation ($input: CreateSessionInput!) { answer: createSession(input: $input) { ... on CreateSessionPayload { session { id version } } } }',
      { input },
    );
    return { mutation: 'createSession', input, answer: data.answer };
  }

  it('nothing when every answer is stored', async () => {
    const asked = [await recorded(), await recorded()];
    expect(await lostAnswers(db.pool, asked)).toEqual([]);
    expect(await repeatAll(url, asked, new Set(), 2)).toEqual([]);
  });

  it('an answer about an unknown session', async () => {
    const invented = { ...(await recorded()), answer: { session: { id: encodeId('session', newId()), version: 1 } } };
    const lines = await lostAnswers(db.pool, [await recorded(), invented]);
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatch(/^createSession was answered, but its session, its event SESSION_CREATED is not there/);
  });

  it('an unknown turn, decision, snapshot or handoff of a known session', async () => {
    const { answer } = await recorded();
    const node = (prefix: 'turn' | 'decision' | 'snapshot' | 'handoff') => ({ id: encodeId(prefix, newId()) });
    const invented: Asked[] = [
      { mutation: 'appendTurn', input: {}, answer: { ...answer, turn: node('turn') } },
      { mutation: 'recordDecision', input: {}, answer: { ...answer, decision: node('decision') } },
      { mutation: 'captureSnapshot', input: {}, answer: { ...answer, snapshot: node('snapshot') } },
      { mutation: 'acceptHandoff', input: {}, answer: { ...answer, handoff: node('handoff') } },
    ];
    const lines = await lostAnswers(db.pool, invented);
    expect(lines.map((line) => /but (.*) is not there/.exec(line)?.[1])).toEqual([
      'its turn, its event TURN_APPENDED',
      'its decision, its event LOG_CHANGED',
      'its snapshot, its event LOG_CHANGED',
      'its handoff, its event HANDOFF_ACCEPTED',
    ]);
  });

  it('a change without an event, an earlier version and a forgotten key', async () => {
    const { answer, input, mutation } = await recorded();
    const lines = await lostAnswers(db.pool, [
      { mutation: 'pauseSession', input: {}, answer: { session: { ...answer!.session!, version: 9 } } },
      { mutation, input: { ...input, idempotencyKey: 'never used' }, answer },
    ]);
    expect(lines[0]).toContain('but the version of its session is not there');
    expect(lines[1]).toContain('but the answer under its key is not there');
  });

  it('a key that repeats another answer', async () => {
    const [one, other] = [await recorded(), await recorded()];
    expect(await repeatAll(url, [{ ...one, answer: other.answer }], new Set(), 1)).toHaveLength(1);
  });

  it('a used key without a stored answer that makes a new record', async () => {
    const { input, mutation } = await recorded();
    await db.pool.query('DELETE FROM idempotency_answers WHERE key = $1', [storedKey(input.idempotencyKey!)]);
    const refused: Asked = { mutation, input: { ...input, agentId: 'nobody' }, answer: null };
    expect(await repeatAll(url, [refused], new Set([input.idempotencyKey!]), 1)).toHaveLength(1);
  });
});
