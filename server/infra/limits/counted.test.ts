import { expect, it } from 'vitest';
import { testDatabase } from '../../../test/database.ts';
import { webhookKey } from '../../../test/keyring.ts';
import { world } from '../../../test/world.ts';
import { limits } from '../../core/limits.ts';
import type { Work } from '../../core/work.ts';
import { createHandoffTool } from '../../work/tools/changeTool.ts';
import { createWebhook } from '../../work/webhooks/changeWebhook.ts';

const db = await testDatabase();
const { agent, run } = world(db.pool);
for (const id of ['ada', 'bob']) await agent(id);

/** Each command that counts what exists and then adds to it, with the count that it may reach. */
const counted = {
  webhooks: {
    limit: limits.counts.webhooks,
    add: (work: Work) =>
      createWebhook(work, { url: 'https://example.com/', description: null, types: [] }, { webhookKey }),
    count: 'SELECT count(*)::int AS count FROM webhooks',
  },
  'tools of an agent': {
    limit: limits.counts.toolsOfAgent,
    add: (work: Work, { number }: { number: number }) =>
      createHandoffTool(work, {
        name: `tool_${number}`,
        targetAgentId: 'bob',
        agentIds: ['ada'],
        description: 'x',
        variables: [],
        instructions: '',
      }),
    count: `SELECT count(*)::int AS count FROM handoff_tool_offers WHERE agent_id = 'ada'`,
  },
} as Record<string, { limit: number; add: (work: Work, input: { number: number }) => Promise<object>; count: string }>;

it.each(Object.entries(counted))(
  '%s: many at once make no more than the limit',
  async (_name, { limit, add, count }) => {
    const tries = Array.from({ length: limit + 30 }, (_, number) => run(add, { number }));
    const refused = (await Promise.allSettled(tries)).filter(({ status }) => status === 'rejected');
    expect((await db.pool.query<{ count: number }>(count)).rows[0]!.count).toBe(limit);
    expect(refused).toHaveLength(30);
  },
);
