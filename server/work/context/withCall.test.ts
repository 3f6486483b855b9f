import { expect, it } from 'vitest';
import { testDatabase } from '../../../test/database.ts';
import { toolCall, world } from '../../../test/world.ts';
import { readerOf } from '../../api/tools/schema.ts';
import { Custody } from '../custody/custody.ts';
import { lockSession } from '../custody/demand.ts';
import { appendCall } from '../log/appendTurn.ts';
import { pendingCall, readCall } from '../tools/executeCall.ts';
import { findToolCall } from '../tools/findToolCall.ts';
import { readSources, type Sources } from './sources.ts';
import { withCall } from './withCall.ts';

const { pool } = await testDatabase();
const { agent, session, turn, run } = world(pool);
await agent('bob', { maxCapacity: 100 });
await agent('ada', { maxCapacity: 100, collaborators: ['bob'] });

/** The sources with a pending call, and those that are read when it is written. */
async function both(sessionId: string, given: object): Promise<[Sources, Sources]> {
  const name = 'transfer_to_bob';
  const call = await findToolCall(readerOf({ pool }), 'ada', { toolName: name, arguments: given, callId: 'c9' });
  let sources: [Sources, Sources] | undefined;
  await run(async (work) => {
    await lockSession(work, sessionId);
    const custody = await Custody.of(work, sessionId, { agents: ['bob'] });
    const read = await readCall(custody, call, null);
    const before = (await readSources(work, sessionId))!;
    const appended = {
      callId: 'c9',
      name,
      arguments: given,
      result: "Handed off to 'bob', which goes on with the work: stop here.",
    };
    const expected = withCall(before, pendingCall(appended, appendCall(custody, appended), read));
    await work.flush();
    sources = [expected, (await readSources(work, sessionId))!];
    return {};
  }, {});
  return sources!;
}

it.each([
  ['in an empty log', []],
  [
    'after calls of other tools',
    [[toolCall('c1', 'Bash', { arguments: { command: 'npm test' } }), toolCall('c2', 'Read', { error: 'gone' })]],
  ],
  [
    'after a call of the same tool',
    [
      [toolCall('c1', 'transfer_to_bob'), toolCall('c2', 'Read')],
      [toolCall('c3', 'Write', { filesModified: ['a.ts'] })],
    ],
  ],
])('a pending call gives the sources that are read when it is in the log: %s', async (_when, turns) => {
  const sessionId = await session('ada');
  for (const toolCalls of turns) await turn(sessionId, { toolCalls });
  const [expected, read] = await both(sessionId, {
    reason: 'because é',
    variables: { long: 'x'.repeat(3_000), a: [1, { b: null }] },
  });
  const withoutIndex = (sources: Sources): object => ({
    ...sources,
    calls: sources.calls.map((call) => ({ ...call, index: 0 })),
  });
  expect(withoutIndex(expected)).toEqual(withoutIndex(read));
});
