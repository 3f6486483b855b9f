import type { Pool } from 'pg';
import { recordDecision, setTasks } from '../server/work/log/addToLog.ts';
import { toolCall, world } from './world.ts';

const text = (characters: number, words: string): string =>
  words.repeat(Math.ceil(characters / words.length)).slice(0, characters);

/** A session with a long log and `handoffs` Handoffs back and forth of about 250 KB each. Returns the Session's id. */
export async function largeContexts(pool: Pool, handoffs: number): Promise<string> {
  const { agent, session, turn, reassign, run } = world(pool);
  const instructions = text(30_000, 'You write code that others can read. ');
  await agent('ada', { maxCapacity: 100, instructions });
  await agent('bob', { maxCapacity: 100, instructions });
  const sessionId = await session('ada');
  for (let n = 0; n < 30; n += 1) {
    await turn(sessionId, {
      messages: [
        { role: 'USER', content: text(6_000, `Please look at part ${n} again, it is not done. `) },
        {
          role: 'ASSISTANT',
          content: text(8_000, `I have changed **part ${n}** in \`src/part.ts\` – and tested it.\n`),
        },
      ],
      toolCalls: Array.from({ length: 5 }, (_, call) => ({
        ...toolCall(`call-${n}-${call}`, `tool_${(n * 5 + call) % 40}`, {
          arguments: { command: text(800, 'grep -rn part src; ') },
          filesModified: [`/home/ada/project/src/part${n}/file${call}.ts`],
        }),
        result: text(4_000, `src/part.ts:${n}: a line that was found\n`),
      })),
    });
  }
  for (let n = 0; n < 40; n += 1)
    await run(recordDecision, { sessionId, text: text(500, `Decision ${n}: we keep it simple. `) });
  await run(setTasks, {
    sessionId,
    tasks: Array.from({ length: 200 }, (_, n) => ({
      content: text(300, `Task ${n}: look at it again. `),
      status: 'PENDING' as const,
    })),
  });
  const contextVariables = Object.fromEntries(
    Array.from({ length: 30 }, (_, n) => [`variable_${n}`, text(1_500, 'some value, ')]),
  );
  for (let n = 0; n < handoffs; n += 1)
    await reassign(sessionId, {
      agentId: n % 2 === 0 ? 'bob' : 'ada',
      contextVariables,
      reason: text(4_000, 'It needs another pair of eyes. '),
      summary: text(30_000, 'What was done so far. '),
    });
  return sessionId;
}
