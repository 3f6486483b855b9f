import { execFileSync } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { atEnd } from '../../../test/database.ts';
import { client, send } from '../../../test/graphql.ts';
import { startServer } from '../../../test/server.ts';
import { stopAbandoned } from './postgres.ts';
import { temporaryFolder } from '../../../test/temporary.ts';

/** A disk of its own, which only root can make. */
const disk = temporaryFolder('baton-disk');
const isMounted = mount('-t', 'tmpfs', '-o', 'size=96m,mode=755', 'tmpfs', disk);
const folder = join(disk, 'data');
atEnd(async () => {
  await stopAbandoned(folder).catch(() => undefined);
  if (isMounted) execFileSync('umount', ['-l', disk]);
});

function mount(...args: string[]): boolean {
  try {
    execFileSync('mount', args, { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

const start = () => startServer({ env: { BATON_DATA: folder, BATON_DEMO: '0' } });
/** PostgreSQL compresses them little. */
const numbers = Array.from({ length: 40_000 }, () => randomInt(100_000)).join(' ');
type Made = { answer: { session?: { id: string } } };

test.runIf(isMounted)(
  'on a full disk every acknowledged turn is kept, and a write is UNAVAILABLE',
  { timeout: 120_000 },
  async () => {
    const server = await start();
    const api = client(server.url);
    await api.post('mutation { registerAgent(input: { id: "ada", type: "CLAUDE" }) { __typename } }');
    const { data } = await api.post<Made>(
      'mutation { answer: createSession(input: { title: "Long", agentId: "ada" }) { ... on CreateSessionPayload { session { id } } ... on Error { code message } } }',
    );
    expect(data.answer).toHaveProperty('session');
    const sessionId = data.answer.session!.id;
    const append = (n: number) =>
      api.post<{ answer: { __typename: string } } | null>(
        'mutation ($input: AppendTurnInput!) { answer: appendTurn(input: $input) { __typename } }',
        {
          input: {
            sessionId,
            messages: Array.from({ length: 4 }, (_, part) => ({
              role: 'ASSISTANT',
              content: `${n}/${part} ${numbers}`,
            })),
          },
        },
      );

    let acknowledged = 0;
    let refusal: unknown;
    for (let n = 0; n < 2_000 && refusal === undefined; n += 1) {
      const { data, errors } = await append(n);
      if (data?.answer.__typename === 'AppendTurnPayload') acknowledged += 1;
      else refusal = errors;
    }
    expect(acknowledged).toBeGreaterThan(5);
    expect(refusal).toMatchObject([{ extensions: { code: 'UNAVAILABLE' } }]);

    execFileSync('mount', ['-o', 'remount,size=400m', disk]);
    await server.kill();
    const next = await start();
    expect((await send(`${next.url}/readyz`)).status).toBe(200);
    const found = await client(next.url).post<{ session: { turns: { totalCount: number } } }>(
      'query ($id: ID!) { session(id: $id) { turns { totalCount } } }',
      { id: sessionId },
    );
    // A turn whose answer was lost may be there too.
    expect([acknowledged, acknowledged + 1]).toContain(found.data.session.turns.totalCount);
    await next.kill();
  },
);
