import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Pool } from 'pg';
import { expect, vi } from 'vitest';
import { createApi } from '../client/api/request.ts';
import { encodeId } from '../server/core/ids.ts';
import { packageFolder } from '../server/core/place.ts';
import { brokenInvariants } from './invariants.ts';
import { runFolder, startRun, type Running } from './running.ts';
import { world } from './world.ts';

const call = (name: string, given: object = {}) => ({ name, arguments: given });

/** Five handoffs: each time a note and an effect, then on to the other. */
export const tenures = ['a0', 'b0', 'a1', 'b1', 'a2', 'b2'];
/** What each step says. */
export const steps = tenures.flatMap((tenure) => [`${tenure} works`, `${tenure} ends`]);

const answersOf = (agent: string): object[][] =>
  tenures
    .filter((tenure) => tenure.startsWith(agent))
    .map((tenure) => [
      {
        text: `${tenure} works`,
        waitMs: 20,
        calls: [call('mcp__effect__do', { id: tenure }), call('note', { decision: tenure })],
      },
      {
        text: `${tenure} ends`,
        waitMs: 20,
        calls: [
          tenure === tenures.at(-1)
            ? call('finish', { result: 'All is done' })
            : call(`transfer_to_${agent === 'a' ? 'b' : 'a'}`, { reason: tenure }),
        ],
      },
    ]);

const sdk = join(packageFolder, 'node_modules/@modelcontextprotocol/sdk/dist/esm/server');
const zod = join(packageFolder, 'node_modules/zod/index.js');
/** A server of tools whose effect can be counted. */
const effectServer = `
import { appendFileSync } from 'node:fs';
import { McpServer } from '${sdk}/mcp.js';
import { StdioServerTransport } from '${sdk}/stdio.js';
import { z } from '${zod}';
const server = new McpServer({ name: 'effect', version: '1' });
server.registerTool('do', { inputSchema: { id: z.string() } }, ({ id }) => {
  appendFileSync('effects.txt', id + '\\n');
  return { content: [{ type: 'text', text: 'done' }] };
});
await server.connect(new StdioServerTransport());
`;

const definition = (id: string, more: string, text: string) => ({
  path: `${id}.md`,
  content: `---\nname: ${id}\ntype: SCRIPT\nmodel: script/answers.json\n${more}---\nYou are ${id}.\n${text}`,
});
const servers = `mcpServers:\n  effect:\n    command: ${process.execPath}\n    args: [effect.mjs]\n`;

interface Read {
  status: string;
  result: unknown;
  decisions: { text: string }[];
  turns: {
    nodes: {
      index: number;
      messages: { content: string }[];
      toolCalls: { result: string | null; error: string | null }[];
    }[];
  };
}

/** A team of `a` and `b` whose work goes to and fro by scripts, and what has to hold whatever was killed meanwhile. */
export async function fiveHandoffs({ url, pool }: { url: string; pool: Pool }) {
  const ask = createApi({ url });
  const { agent, session } = world(pool);
  const folder = runFolder({
    'answers.json': {
      a: answersOf('a'),
      b: answersOf('b'),
      busy: [
        [
          ...['one', 'two', 'three'].map((decision) => ({ waitMs: 200, calls: [call('note', { decision })] })),
          { waitMs: 200, calls: [call('finish', { result: 1 })] },
        ],
      ],
    },
    'effect.mjs': effectServer,
  });
  const effects = join(folder, 'effects.txt');
  for (const id of ['a', 'b', 'busy']) await agent(id, { type: 'SCRIPT', maxCapacity: 60 });
  const imported = await fetch(`${url}/agents/import`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      files: [
        definition('a', servers, '\n## Collaborations\n- b: then'),
        definition('b', servers, '\n## Collaborations\n- a: then'),
        definition('busy', '', ''),
      ],
    }),
  });
  expect(await imported.json()).toMatchObject({ problems: [] });

  const read = async (id: string): Promise<Read> =>
    (
      await ask<{ session: Read }>(
        `query ($id: ID!) { session(id: $id) { status result decisions { text }
          turns(last: 20) { nodes { index messages { content } toolCalls { result error } } } } }`,
        { id },
      )
    ).session;
  const untilDone = (id: string): Promise<Read> =>
    vi.waitFor(
      async () => {
        const found = await read(id);
        expect(found.status).toBe('COMPLETED');
        return found;
      },
      { timeout: 60_000, interval: 50 },
    );

  return {
    read,
    untilDone,
    begin: async (agentId: string): Promise<string> => encodeId('session', await session(agentId)),
    run: (...args: string[]): Promise<Running> => startRun(folder, ['--url', url, ...args]),
    /** No effect has happened yet. */
    reset: () => rmSync(effects, { force: true }),

    /** As 30 s after the last sign of life of a runner. */
    lapse: () =>
      pool.query(
        "UPDATE agent_sessions SET claim_ends_at = now() - interval '1 second' WHERE claim_ends_at IS NOT NULL",
      ),

    /** Waits for the result. Every step once and in order, every effect at most once, every act of Baton once. */
    async demandExact(id: string): Promise<{ done: number; unknown: number }> {
      const { result, decisions, turns } = await untilDone(id);
      expect(result).toBe('All is done');
      const said = turns.nodes.toSorted((x, y) => x.index - y.index).map(({ messages }) => messages[0]?.content);
      expect(said).toEqual(steps);
      expect(decisions.map(({ text }) => text)).toEqual(tenures);
      const calls = turns.nodes.flatMap(({ toolCalls }) => toolCalls);
      expect(calls.every((each) => each.result !== null || each.error !== null)).toBe(true);
      const happened = existsSync(effects) ? readFileSync(effects, 'utf8').trim().split('\n') : [];
      expect(new Set(happened).size).toBe(happened.length);
      return { done: happened.length, unknown: calls.filter(({ error }) => error !== null).length };
    },

    /** Custody is exact, and nobody holds anything. */
    async demandAtRest(): Promise<void> {
      expect(await brokenInvariants(pool)).toEqual([]);
      const { agents } = await ask<{ agents: { nodes: { currentLoad: number }[] } }>(
        '{ agents { nodes { currentLoad } } }',
        {},
      );
      expect(agents.nodes.every(({ currentLoad }) => currentLoad === 0)).toBe(true);
    },
  };
}
