import { hostname } from 'node:os';
import { beforeAll, expect, vi } from 'vitest';
import { testDatabase } from './database.ts';
import { startApp } from './server.ts';
import { world } from './world.ts';

interface Found {
  id: string;
  title: string;
  holder: string | null;
  messages: string[];
  calls: string[];
  turns: number;
  tasks: string[];
}

const find = `SELECT s.id, title, agent_id AS holder, turn_count AS turns,
  ARRAY(SELECT content FROM messages WHERE session_id = s.id ORDER BY sequence) AS messages,
  ARRAY(SELECT call_id || ': ' || coalesce(result, 'open') FROM tool_calls WHERE session_id = s.id ORDER BY index) AS calls,
  ARRAY(SELECT content || ': ' || status FROM tasks WHERE session_id = s.id ORDER BY position) AS tasks
  FROM sessions s WHERE external_id = $1`;

/** A server with the agents claude-1 and codex-1 for the hooks of a test file, each of which is a process. */
export async function hookServer() {
  vi.setConfig({ testTimeout: 120_000 });
  const database = await testDatabase();
  const { url } = await startApp(database);
  const story = world(database.pool);
  beforeAll(async () => {
    await story.agent('codex-1', { type: 'CODEX', maxCapacity: 1_000 });
    await story.agent('claude-1', { maxCapacity: 1_000, collaborators: ['codex-1'] });
  });

  /** The session of a folder. */
  async function sessionOf({ folder }: { folder: string }, branch = 'main'): Promise<Found | null> {
    const { rows } = await database.pool.query<Found>(find, [`${hostname()}:${folder}#${branch}`]);
    expect(rows.length).toBeLessThan(2);
    return rows[0] ?? null;
  }
  const { agent, initiate, reassign, run } = story;
  return {
    database,
    url,
    ...{ agent, initiate, reassign, run },
    sessionOf,
    idOf: async (place: { folder: string }): Promise<string> => (await sessionOf(place))!.id,
    /** Imports go on in the background: waits until the session is as expected. */
    eventually: (place: { folder: string }, expected: object): Promise<void> =>
      vi.waitFor(async () => expect(await sessionOf(place)).toMatchObject(expected), {
        timeout: 60_000,
        interval: 100,
      }),
  };
}
