import type { Pool } from 'pg';
import { updateAgent } from '../server/work/agents/updateAgent.ts';
import { acceptHandoff, completeHandoff } from '../server/work/handoffs/changeHandoff.ts';
import { initiateHandoff } from '../server/work/handoffs/initiateHandoff.ts';
import { loadBulk } from '../test/bulk.ts';
import { world } from '../test/world.ts';
import { callers } from './callers.ts';
import { requestsPerSecond } from './httpLoad.ts';
import { startBaton } from './listening.ts';
import type { Place } from './place.ts';
import { atLeast, atMost, spread, type Line } from './report.ts';
import { alternate, ratioOf, type Contestant } from './rounds.ts';

const rounds = 5;
const body = JSON.stringify({
  query:
    '{ handoffGraph(first: 250) { pairCount nodes { agent { id } given received } edges { source { id } target { id } count byStatus { status count } successRate bouncedBack medianAcceptMs p90AcceptMs medianCompleteMs } } }',
});

/** The graph of 10,000 and of 1,000,000 handoffs between the same agents, and what counting costs a handoff. */
export async function graph(place: Place, say: (line: string) => void): Promise<Line[]> {
  const asked = async (sessions: number, handoffs: number): Promise<Contestant> => {
    const { url, pool } = await place.database();
    await loadBulk(url, { sessions, handoffs, agents: 20 });
    const keys = await callers(pool);
    const server = await startBaton({ DATABASE_URL: url });
    place.atEnd(server.stop);
    say(`  ${(sessions * handoffs).toLocaleString('en-US')} handoffs are there`);
    return async () =>
      1_000 / (await requestsPerSecond({ url: `${server.url}/graphql`, body, callers: keys, clients: 1, times: 50 }));
  };
  const { many, few } = await alternate(rounds, { few: await asked(1_000, 10), many: await asked(100_000, 10) });
  const ratio = ratioOf(many, few);
  say(`  ${ratio.median.toFixed(2)}`);
  return [
    {
      what: '`handoffGraph` with success and times, 1,000,000 handoffs between 21 agents',
      figure: spread(many, 'ms'),
      beside: `10,000 handoffs: ${spread(few, 'ms')}`,
      ratio,
      goal: atMost(ratio.median, 1.5),
    },
    await counting(place),
  ];
}

async function counting(place: Place): Promise<Line> {
  const { url, pool, patient } = await place.database();
  await loadBulk(url, { sessions: 2_000, handoffs: 5, agents: 20 });
  const { agent, session, run } = world(pool);
  const pairs = await Promise.all(
    Array.from({ length: 4 }, (_, n) => n).map(async (n) => [await prepare(n), `b-${n}`] as const),
  );
  async function prepare(n: number): Promise<string> {
    for (const id of [`a-${n}`, `b-${n}`]) await agent(id, { maxCapacity: 10_000 });
    await run(updateAgent, { id: `a-${n}`, collaborators: [`b-${n}`] });
    return `a-${n}`;
  }
  const handOff = (setting: (client: Pool) => Promise<unknown>) => async (): Promise<number> => {
    const ids = await Promise.all(
      pairs.map(async ([source]) => Promise.all(Array.from({ length: 40 }, () => session(source)))),
    );
    await setting(patient);
    const started = performance.now();
    await Promise.all(
      pairs.map(async ([, target], n) => {
        for (const sessionId of ids[n]!) {
          const { handoffId } = await run(initiateHandoff, {
            sessionId,
            targetAgentId: target,
            reason: null,
            summary: null,
            priorTurnId: null,
            triggeringToolCallIds: null,
            contextVariables: null,
            metadata: null,
          });
          await run(acceptHandoff, { handoffId: handoffId! });
          await run(completeHandoff, { handoffId: handoffId! });
        }
      }),
    );
    return (pairs.length * 40 * 1_000) / (performance.now() - started);
  };
  const index = 'handoffs_source_agent_id_target_agent_id_initiated_at_id_idx';
  const triggers = (how: string): string =>
    `ALTER TABLE handoffs ${how} TRIGGER handoff_path_of_new, ${how} TRIGGER handoff_path_of_changed; ALTER TABLE agent_sessions ${how} TRIGGER handoff_path_of_tenure`;
  const measured = await alternate(rounds * 3, {
    counted: handOff((client) =>
      client.query(
        `${triggers('ENABLE')}; CREATE INDEX IF NOT EXISTS ${index} ON handoffs (source_agent_id, target_agent_id, initiated_at, id)`,
      ),
    ),
    bare: handOff((client) => client.query(`${triggers('DISABLE')}; DROP INDEX IF EXISTS ${index}`)),
  });
  const ratio = ratioOf(measured.counted, measured.bare);
  return {
    what: `\`${initiateHandoff.name}\`, \`${acceptHandoff.name}\` and \`${completeHandoff.name}\`, 4 at once`,
    figure: spread(measured.counted, 'handoffs a second'),
    beside: `without counts and their index: ${spread(measured.bare, 'handoffs a second')}`,
    ratio,
    goal: atLeast(ratio.median, 0.95),
  };
}
