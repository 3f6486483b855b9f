import { agentCaller, world } from '../test/world.ts';
import type { Place } from './place.ts';
import { atLeast, spread, type Line } from './report.ts';
import { alternate, ratioOf } from './rounds.ts';

const clients = 8;
const each = 25;
const turns = 2;
const goal = 0.8;

/** advancePipeline, which chooses among 20 agents, beside initiateHandoff to a named one. */
export async function pipelines(place: Place): Promise<Line[]> {
  const { pool } = await place.database();
  const { agent, session, turn, initiate, advance, pipeline } = world(pool);
  // Each client has its own agents and pipeline: else they would wait for each other's locks, longer for a longer transaction.
  const sources = Array.from({ length: clients }, (_, client) => `source-${client}`);
  const targetsOf = (source: string): string[] => Array.from({ length: 20 }, (_, index) => `${source}-to-${index}`);
  for (const source of sources) {
    for (const id of targetsOf(source)) await agent(id, { maxCapacity: 100_000, role: `review of ${source}` });
    await agent(source, { maxCapacity: 100_000, role: `write of ${source}`, collaborators: targetsOf(source) });
    await pipeline(source, ['write DONE review', 'review DONE end', 'review REJECT write'], {
      write: { role: `write of ${source}` },
      review: { role: `review of ${source}` },
    });
  }

  /** Every round has its own Sessions, which the measurement does not count. */
  const perSecond = async (
    inPipeline: boolean,
    handOff: (sessionId: string, source: string, target: string) => Promise<unknown>,
  ): Promise<number> => {
    const ids = await Promise.all(
      Array.from({ length: clients * each }, async (_, n) =>
        session(sources[n % clients]!, inPipeline ? { pipeline: sources[n % clients]! } : {}),
      ),
    );
    for (const id of ids) for (let n = 0; n < turns; n += 1) await turn(id);
    const started = performance.now();
    await Promise.all(
      Array.from({ length: clients }, async (_, client) => {
        for (let n = 0; n < each; n += 1)
          await handOff(ids[n * clients + client]!, sources[client]!, targetsOf(sources[client]!)[n % 20]!);
      }),
    );
    return (ids.length * 1_000) / (performance.now() - started);
  };
  const reason = 'because';
  const { advanced, initiated } = await alternate(5, {
    advanced: () =>
      perSecond(true, (sessionId, source) =>
        advance(sessionId, 'DONE', { reason, payload: { files: ['a.ts'] } }, { caller: agentCaller(source) }),
      ),
    initiated: () =>
      perSecond(false, (sessionId, source, target) =>
        initiate(sessionId, target, { reason }, { caller: agentCaller(source) }),
      ),
  });
  const ratio = ratioOf(advanced, initiated);
  return [
    {
      what: `\`advancePipeline\` to the least loaded of 20 agents, ${clients} clients`,
      figure: spread(advanced, 'a second'),
      beside: `\`initiateHandoff\`: ${spread(initiated, 'a second')}`,
      ratio,
      goal: atLeast(ratio.median, goal),
    },
  ];
}
