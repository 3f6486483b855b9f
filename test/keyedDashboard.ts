import { encodeId } from '../server/core/ids.ts';
import { openBrowser, type Visit } from './browser.ts';
import { testDatabase } from './database.ts';
import { adminKey, secretFor } from './keyring.ts';
import { startServer, type ServerProcess } from './server.ts';
import { world } from './world.ts';

interface KeyedDashboard {
  server: ServerProcess;
  adminKey: string;
  /** Secrets: of `codex-1` (AGENT), `claude-1` (SOURCE), an ANALYST and an OPERATOR. */
  keys: Record<'AGENT' | 'SOURCE' | 'ANALYST' | 'OPERATOR', string>;
  /** A Session that `claude-1` handed off to `codex-1`, which has not answered. */
  movedId: string;
  visit(path: string): Promise<Visit>;
  signIn(path: string, key: string): Promise<Visit>;
}

/** A server with keys that answers the dashboard's own operations only: the dashboard needs no others. */
export async function keyedDashboard(): Promise<KeyedDashboard> {
  const db = await testDatabase();
  const { agent, session, turn, reassign } = world(db.pool);
  await agent('claude-1');
  await agent('codex-1', { type: 'CODEX' });
  const moved = await session('claude-1', { title: 'Add rate limits' });
  await turn(moved, {
    messages: [
      { role: 'USER', content: 'Add limits, please' },
      { role: 'ASSISTANT', content: 'Half of it is done.' },
    ],
  });
  await reassign(moved, { agentId: 'codex-1', reason: 'Go' });
  await session('claude-1', { title: 'Not for codex' });
  await session(null, { title: 'Nobody has it', agentType: 'GEMINI', queue: true });

  const keys = {
    AGENT: await secretFor(db.pool, 'AGENT', 'codex-1'),
    SOURCE: await secretFor(db.pool, 'AGENT', 'claude-1'),
    ANALYST: await secretFor(db.pool, 'ANALYST'),
    OPERATOR: await secretFor(db.pool, 'OPERATOR'),
  };

  const server = await startServer({
    databaseUrl: db.url,
    env: { BATON_ADMIN_KEY: adminKey, BATON_PERSISTED_ONLY: '1' },
  });
  const { visit } = await openBrowser(server.url);
  const signIn = async (path: string, key: string): Promise<Visit> => {
    const visited = await visit(path);
    await visited.page.getByLabel('Key').fill(key);
    await visited.page.getByRole('button', { name: 'Sign in' }).click();
    return visited;
  };
  return { server, adminKey, keys, movedId: encodeId('session', moved), visit, signIn };
}
