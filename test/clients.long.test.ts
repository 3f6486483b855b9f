import { execFile } from 'node:child_process';
import { cp, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { encodeId } from '../server/core/ids.ts';
import { testDatabase } from './database.ts';
import { adminKey } from './keyring.ts';
import { startApp } from './server.ts';
import { world } from './world.ts';
import { temporaryFolder } from './temporary.ts';

// The clients of docs/frontend.md, as published, in programs like those that frontend developers write.
const run = promisify(execFile);
const root = fileURLToPath(new URL('..', import.meta.url));
const database = await testDatabase();
const { agent, session } = world(database.pool);
const { url } = await startApp(database, { variables: { BATON_ADMIN_KEY: adminKey, BATON_BASE_PATH: '/baton' } });
const folder = temporaryFolder('baton-clients');
let sessionId: string;

const node = (...args: string[]) => run(process.execPath, args, { cwd: folder, timeout: 100_000 });
const bin = (path: string): string => join(folder, 'node_modules', path);

/** Runs a program of test/clients and returns what it prints. */
async function program(name: string): Promise<Record<string, unknown>> {
  const env = { PATH: process.env['PATH'], BATON_URL: url, BATON_KEY: adminKey, SESSION_ID: sessionId };
  const { stdout } = await run(process.execPath, ['--import', import.meta.resolve('tsx'), name], {
    cwd: folder,
    env,
    timeout: 50_000,
  });
  return JSON.parse(stdout) as Record<string, unknown>;
}

beforeAll(async () => {
  await cp(join(root, 'test', 'clients'), folder, { recursive: true });
  await cp(join(root, 'schema.graphql'), join(folder, 'schema.graphql'));
  await mkdir(join(folder, 'made'));
  await mkdir(join(folder, 'relay', 'made'));
  await run('npm', ['ci', '--ignore-scripts', '--prefer-offline', '--no-audit', '--no-fund'], { cwd: folder });
  await agent('ada', { maxCapacity: 100 });
  await agent('codex-1', { type: 'CODEX', maxCapacity: 100 });
}, 300_000);

beforeEach(async () => {
  sessionId = encodeId('session', await session('ada', { title: 'For a client' }));
  await session('ada');
});

const queried = { queried: true };
const mutated = { mutated: 'ReassignSessionPayload' };
const heard = { heard: expect.arrayContaining(['READY', 'HANDOFF_INITIATED']) as string[] };

describe('Programs that use Baton', () => {
  test('as Relay: the compiler accepts the schema, connections, refetches, mutations and subscriptions, and what it makes runs', async () => {
    const { stdout } = await node(bin('relay-compiler/cli.js'));
    expect(stdout).toMatch(/Done\./);
    expect(await program('relay.mjs')).toEqual({ ...queried, ...mutated, ...heard });
  }, 120_000);

  test('as Apollo Client: queries, mutations, a socket, and persisted queries that are tried once', async () => {
    expect(await program('apollo.mjs')).toEqual({
      ...queried,
      ...mutated,
      ...heard,
      refused: 'ALREADY_ASSIGNED',
      sent: ['hash', 'text', 'text', 'text', 'text'],
    });
  });

  test('as graphql-request: queries, mutations, and errors with their codes', async () => {
    expect(await program('graphqlRequest.mjs')).toEqual({
      ...queried,
      ...mutated,
      refused: 'GRAPHQL_VALIDATION_FAILED',
    });
  });

  test('as gql.tada: documents are typed by the schema, and wrong fields are refused', async () => {
    await node(bin('gql.tada/bin/cli.js'), 'generate-output');
    await node(bin('typescript/bin/tsc'));
    expect(await program('tada.ts')).toEqual({ ...queried, ...mutated });
  }, 120_000);

  test('as a plain WebSocket', async () => {
    expect(await program('webSocket.mjs')).toEqual({ ...mutated, ...heard });
  });

  test('as graphql-sse: mutations and subscriptions with a connection for each; one for all is refused', async () => {
    expect(await program('graphqlSse.mjs')).toEqual({ ...mutated, ...heard, refused: 405 });
  });

  test('as plain Server-Sent Events', async () => {
    expect(await program('serverSentEvents.mjs')).toEqual({ ...mutated, ...heard });
  });
});
