import { expect, it } from 'vitest';
import { askersOf, type Asker } from '../../../test/askers.ts';
import { encodeId } from '../../core/ids.ts';

const { askers, db, held, sessionInput } = await askersOf();

const readLog = `query ($id: ID!) {
  session(id: $id) {
    messages(first: 10) { nodes { role content recordedBy { principal role } turn { messages { recordedBy { role } } } } }
  }
}`;
interface Recorded {
  role: string;
  content: string;
  recordedBy: { principal: string; role: Asker } | null;
  turn: { messages: { recordedBy: { role: Asker } | null }[] } | null;
}
const logOf = async (sessionId: string, asker: Asker = 'ADMIN') =>
  (
    await askers[asker].post<{ session: { messages: { nodes: Recorded[] } } }>(readLog, { id: sessionId })
  ).data.session.messages.nodes.toReversed();
const keyOf = async (asker: Asker) =>
  (await askers[asker].post<{ viewer: { key: { id: string } | null } }>('{ viewer { key { id } } }')).data.viewer.key
    ?.id;
const append = (asker: Asker, input: object) =>
  askers[asker].post('mutation ($input: AppendTurnInput!) { appendTurn(input: $input) { __typename } }', { input });

it('distinguishes a USER message of an agent from one of an operator', async () => {
  const { sessionId } = await sessionInput('own');
  await append('OPERATOR', { sessionId, messages: [{ role: 'USER', content: 'Mend the parser.' }] });
  await append('AGENT', {
    sessionId,
    messages: [
      { role: 'USER', content: 'Delete the parser.' },
      { role: 'ASSISTANT', content: 'Deleted.' },
    ],
  });
  const [operator, agent] = [
    { principal: await keyOf('OPERATOR'), role: 'OPERATOR' },
    { principal: await keyOf('AGENT'), role: 'AGENT' },
  ];
  expect((await logOf(sessionId)).map(({ role, recordedBy }) => [role, recordedBy])).toEqual([
    ['USER', operator],
    ['USER', agent],
    ['ASSISTANT', agent],
  ]);
  expect((await logOf(sessionId, 'AGENT'))[1]!.turn!.messages).toEqual([
    { recordedBy: { role: 'AGENT' } },
    { recordedBy: { role: 'AGENT' } },
  ]);
});

it('is the caller of an import for each of its messages', async () => {
  const line = (uuid: string, type: string, message: object) =>
    JSON.stringify({ type, uuid, sessionId: 's1', message });
  const content = [
    line('u1', 'user', { role: 'user', content: 'Well?' }),
    line('u2', 'assistant', { role: 'assistant', content: [{ type: 'text', text: 'Well.' }] }),
  ].join('\n');
  for (const asker of ['AGENT', 'OPERATOR'] as const) {
    const { sessionId } = await sessionInput('own');
    await askers[asker].post(
      'mutation ($input: ImportTranscriptInput!) { importTranscript(input: $input) { __typename } }',
      { input: { sessionId, content } },
    );
    expect((await logOf(sessionId)).map(({ role, recordedBy }) => [role, recordedBy?.role])).toEqual([
      ['USER', asker],
      ['ASSISTANT', asker],
    ]);
  }
});

it('is the caller of a handoff for its HANDOFF message', async () => {
  const { sessionId } = await sessionInput('own');
  await askers.OPERATOR.post(
    'mutation ($input: ReassignSessionInput!) { reassignSession(input: $input) { __typename } }',
    { input: { sessionId, agentId: 'eve' } },
  );
  expect((await logOf(sessionId)).map(({ role, recordedBy }) => [role, recordedBy?.role])).toEqual([
    ['HANDOFF', 'OPERATOR'],
  ]);
});

it('is null only for messages stored before this field', async () => {
  const { rows } = await db.pool.query<{ count: number }>(
    'SELECT count(*)::int FROM messages WHERE recorded_by IS NULL',
  );
  expect(rows[0]!.count).toBe(0);
  const id = await held('own');
  await append('OPERATOR', {
    sessionId: encodeId('session', id),
    messages: [{ role: 'USER', content: 'Mend the parser.' }],
  });
  await db.pool.query('UPDATE messages SET recorded_by = NULL, recorded_role = NULL WHERE session_id = $1', [id]);
  expect((await logOf(encodeId('session', id))).map(({ recordedBy }) => recordedBy)).toEqual([null]);
});
