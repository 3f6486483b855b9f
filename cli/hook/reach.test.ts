import { createServer } from 'node:http';
import { expect, it, vi } from 'vitest';
import { listen } from '../../test/hooks.ts';
import { StillAway, TooSlow, whileToolWaits } from './reach.ts';
import { post } from './request.ts';
import { Memory } from './state.ts';
import { temporaryFolder } from '../../test/temporary.ts';

it('counts a server that was slow as too slow, not as away, when a wait ends before its sign of life is due', async () => {
  const state = temporaryFolder('baton-reach');
  vi.stubEnv('XDG_STATE_HOME', state);
  const server = { url: await listen(createServer(() => undefined)), key: undefined };
  const seen = new Memory<object>(server.url, '', 'seen');
  let probes = 0;
  const ask = (mostMs: number): Promise<unknown> =>
    whileToolWaits(
      server,
      { mostMs, silenceMs: 20 },
      () => (probes += 1),
      (signal) => post(server, '/graphql', 'application/json', '{}', signal),
    );
  seen.write({ at: Date.now(), answeredInMs: 300_000 });
  for (let n = 1; n < 3; n += 1) {
    await expect(ask(20)).rejects.toThrow(TooSlow);
    expect(probes).toBe(n);
  }
  // Of one that was never slow nothing comes in time: the next hooks do not ask.
  seen.write({ at: 0, answeredInMs: null });
  await expect(ask(300_000)).rejects.toThrow(/did not answer in time/);
  await expect(ask(300_000)).rejects.toThrow(StillAway);
});
