import pg from 'pg';
import { encodeId } from '../../../server/core/ids.ts';
import { acceptHandoff } from '../../../server/work/handoffs/changeHandoff.ts';
import { createKey } from '../../../server/work/keys/createKey.ts';
import { toolCall, world } from '../../world.ts';
import type { Target } from './attack.ts';

/** Records prepared in the database before the server starts, because the API has rate limits. */
export interface Prepared {
  target: Omit<Target, 'url'>;
  /** A key per honest writer. */
  writers: string[];
  /** A key for each of two groups of subscribers. */
  subscribers: string[];
  /** Unused keys: each is used once, while others guess. */
  idle: string[];
}

const largeMessages = 228;
const largeBytes = 250_000;

export async function prepareStage(databaseUrl: string, writers: number): Promise<Prepared> {
  const pool = new pg.Pool({ connectionString: databaseUrl, max: 2 });
  try {
    const { agent, session, turn, reassign, run } = world(pool, 600);
    const key = async (
      role: 'AGENT' | 'OPERATOR' | 'ANALYST',
      name: string,
      agentId: string | null = null,
    ): Promise<string> => (await run(createKey, { role, agentId, name, expiresAt: null })).secret;
    const keys = (count: number, ...given: Parameters<typeof key>): Promise<string[]> =>
      Promise.all(Array.from({ length: count }, () => key(...given)));
    await agent('mallory', { maxCapacity: 1_000 });
    await agent('trudy', { maxCapacity: 1_000 });

    const large = await session('mallory');
    await turn(large);
    await pool.query(
      `INSERT INTO messages (id, session_id, sequence, role, content, turn_id, agent_session_id, created_at)
       SELECT gen_random_uuid(), m.session_id, n + 1, m.role, n || repeat(' plain words', $2), m.turn_id, m.agent_session_id, now()
       FROM messages m, generate_series(1, $3::int) n WHERE m.session_id = $1 AND m.sequence = 1`,
      [large, Math.round(largeBytes / 12), largeMessages],
    );
    await pool.query('UPDATE sessions SET message_count = $2 WHERE id = $1', [large, largeMessages + 1]);

    const busy = await session('mallory');
    for (let n = 0; n < 8; n += 1) {
      await turn(busy, {
        messages: [
          { role: 'ASSISTANT', content: `Step ${n}: ${'and so on, with _marks_ and `code` in it. '.repeat(200)}` },
        ],
        toolCalls: Array.from({ length: 20 }, (_, call) => ({
          ...toolCall(`call-${n}-${call}`, `Tool${call}`, { filesModified: [`src/garden/bed-${n}-${call}.ts`] }),
          result: `line of what it printed, src/bed-${call}.ts\n`.repeat(60),
        })),
      });
    }
    let handoff = '';
    for (let n = 0; n < 100; n += 1) {
      handoff = (await reassign(busy, { agentId: n % 2 === 0 ? 'trudy' : 'mallory' })).handoffId!;
      // Without acceptance, the next reassign would take this handoff back instead of creating one.
      await run(acceptHandoff, { handoffId: handoff });
    }

    return {
      target: {
        keys: await keys(10, 'AGENT', 'an attacker', 'mallory'),
        agentId: 'mallory',
        largeSessionId: encodeId('session', large),
        uploadSessionId: encodeId('session', await session('mallory')),
        handoffId: encodeId('handoff', handoff),
      },
      writers: await keys(writers, 'OPERATOR', 'a writer'),
      subscribers: await keys(2, 'ANALYST', 'a subscriber'),
      idle: await keys(100, 'ANALYST', 'idle'),
    };
  } finally {
    await pool.end();
  }
}
