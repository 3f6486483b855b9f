import { graphql } from 'graphql';
import { contexts } from '../server/api/graphql/context.ts';
import { schema } from '../server/api/graphql/schema.ts';
import { silentLog } from '../server/infra/log.ts';
import { loopback } from '../server/work/keys/authenticate.ts';
import { executeCall, type ExecuteInput } from '../server/work/tools/executeCall.ts';
import { assumedCall } from '../server/work/tools/findToolCall.ts';
import { toolCall, world } from '../test/world.ts';
import type { Place } from './place.ts';
import { atLeast, spread, type Line } from './report.ts';
import { alternate, ratioOf } from './rounds.ts';

const clients = 8;
const each = 25;
const turns = 2;
const goals = { execute: 0.85, define: 0.8 };

/** Handoff tools: a call of one beside initiateHandoff, and the definitions of an agent with 20 collaborators beside a list of 20. */
export async function tools(place: Place): Promise<Line[]> {
  const { pool, prisma } = await place.database();
  const { agent, session, turn, initiate, run } = world(pool);
  // Each client has its own agents: else they would wait for each other's locks, longer for a longer transaction.
  const sources = Array.from({ length: clients }, (_, client) => `source-${client}`);
  const targetsOf = (source: string): string[] => Array.from({ length: 20 }, (_, index) => `${source}-to-${index}`);
  for (const source of sources) {
    for (const id of targetsOf(source)) await agent(id, { maxCapacity: 100_000 });
    await agent(source, { maxCapacity: 100_000, collaborators: targetsOf(source) });
  }
  /** Every round has its own Sessions, which the measurement does not count. */
  const perSecond = async (
    handOff: (sessionId: string, source: string, target: string) => Promise<unknown>,
  ): Promise<number> => {
    const ids = await Promise.all(
      Array.from({ length: clients * each }, async (_, n) => session(sources[n % clients]!)),
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
  const execute = async (sessionId: string, _source: string, target: string) => {
    const call = assumedCall({ toolName: `transfer_to_${target}`, arguments: { reason: 'because' }, callId: 'c1' });
    if (call === null) throw new Error('the name is that of a generated tool');
    return run((work, input: ExecuteInput, settings) => executeCall(work, input, call, settings), {
      sessionId,
      agentId: null,
    });
  };
  const { tool, api, two } = await alternate(3, {
    tool: () => perSecond(execute),
    api: () => perSecond((sessionId, _source, target) => initiate(sessionId, target, { reason: 'because' })),
    two: () =>
      perSecond(async (sessionId, _source, target) => {
        await turn(sessionId, { messages: [], toolCalls: [toolCall('c1', `transfer_to_${target}`)] });
        await initiate(sessionId, target, { reason: 'because' });
      }),
  });

  const contextFor = contexts({ prisma, pool, env: { staleAfterMinutes: 30, handoffsEnabled: true }, log: silentLog });
  const times = async (source: string): Promise<number> => {
    const started = performance.now();
    for (let n = 0; n < 200; n += 1) {
      const { errors } = await graphql({ schema, source, contextValue: contextFor(loopback) });
      if (errors !== undefined) throw errors[0]!;
    }
    return 200_000 / (performance.now() - started);
  };
  const { definitions, list } = await alternate(5, {
    definitions: () => times('{ agent(id: "source-0") { handoffToolDefinitions(format: OPENAI_RESPONSES) } }'),
    list: () =>
      times(
        '{ agents(first: 20) { nodes { id type name role description status currentLoad maxCapacity freePlaces } } }',
      ),
  });
  const [executed, ofBoth, defined] = [ratioOf(tool, api), ratioOf(tool, two), ratioOf(definitions, list)];
  const what = `\`executeHandoffTool\` of a call that is not in the log, ${clients} clients`;
  return [
    {
      what,
      figure: spread(tool, 'a second'),
      beside: `\`initiateHandoff\`: ${spread(api, 'a second')}`,
      ratio: executed,
      goal: atLeast(executed.median, goals.execute),
    },
    {
      what,
      figure: spread(tool, 'a second'),
      beside: `\`appendTurn\` and \`initiateHandoff\`: ${spread(two, 'a second')}`,
      ratio: ofBoth,
      goal: atLeast(ofBoth.median, 1),
    },
    {
      what: '`handoffToolDefinitions` of an agent with 20 collaborators',
      figure: spread(definitions, 'a second'),
      beside: `a list of 20 agents: ${spread(list, 'a second')}`,
      ratio: defined,
      goal: atLeast(defined.median, goals.define),
    },
  ];
}
