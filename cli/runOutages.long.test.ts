import { expect, it, vi } from 'vitest';
import { atEnd } from '../test/database.ts';
import { servingPid } from '../server/infra/postgres/server.ts';
import { fiveHandoffs, steps } from '../test/fiveHandoffs.ts';
import { ownPostgres } from '../test/ownPostgres.ts';
import { freePort } from '../test/ports.ts';
import { startServer } from '../test/server.ts';

/** Issue-sized: BATON_OUTAGES=20. */
const outages = Number(process.env['BATON_OUTAGES'] ?? 3);

const postgres = await ownPostgres();
const port = await freePort();
const start = () => startServer({ databaseUrl: postgres.url, env: { PORT: String(port) } });
let server = await start();
atEnd(() => server.kill('SIGKILL').then(() => undefined));
const { begin, demandAtRest, demandExact, reset, run } = await fiveHandoffs({ url: server.url, pool: postgres.pool });

const kinds: Record<string, () => Promise<void>> = {
  'the server': async () => {
    await server.kill('SIGKILL');
    server = await start();
  },
  // Its owner starts it again.
  PostgreSQL: async () => {
    const pid = await servingPid(postgres.base);
    process.kill(pid!, 'SIGKILL');
  },
};

it.each(Object.keys(kinds))(
  `a runner goes on exactly after kill -9 of %s, ${outages} times at random points of five handoffs`,
  async (kind) => {
    for (let round = 0; round < outages; round += 1) {
      reset();
      const id = await begin('a');
      const runner = await run('a', 'b');
      const reached = Math.floor((round / outages) * steps.length);
      await vi.waitFor(
        () => {
          expect(runner.lines).not.toEqual([]);
          expect(runner.lines.filter(({ event }) => event === 'step').length).toBeGreaterThanOrEqual(reached);
        },
        { timeout: 90_000, interval: 1 },
      );
      // Anywhere within the step.
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 150));
      await kinds[kind]!();
      expect(await demandExact(id)).toEqual({ done: 6, unknown: 0 });
      runner.kill('SIGTERM');
      expect(await runner.exited).toBe(0);
    }
    await demandAtRest();
  },
  3_600_000,
);
