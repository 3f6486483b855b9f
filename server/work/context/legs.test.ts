import fc from 'fast-check';
import { beforeAll, expect, it, vi } from 'vitest';
import { testDatabase } from '../../../test/database.ts';
import { calls, entry, resultOf } from '../../../test/hooks.ts';
import { world } from '../../../test/world.ts';
import { importTranscript } from '../log/importTranscript.ts';
import { prepareImport } from '../log/prepareImport.ts';
import { piecesOf } from '../log/transcripts/lines.ts';
import { buildContext } from './build.ts';
import { itemsOf } from './items.ts';
import { pack } from './pack.ts';
import { moveOf } from './preview.ts';
import { readSources } from './sources.ts';

vi.setConfig({ testTimeout: 240_000 });

const { pool } = await testDatabase();
const { agent, session, reassign, run } = world(pool);
const agents = Array.from({ length: 6 }, (_, n) => `agent-${n}`);
beforeAll(async () => {
  for (const id of agents) await agent(id, { maxCapacity: 1_000, collaborators: agents.filter((other) => other < id) });
});

/** How a leg learns a fact: the lines of its transcript, and what a later prompt has to say. `n` is in nothing else, and `name` tells commands and files apart. */
const learned: Record<string, (n: number, name: string) => { lines: object[]; says: string }> = {
  'from a person': (n) => ({ lines: [entry('user', `Keep the old name of table ${n}.`)], says: `table ${n}` }),
  'by a decision': (n) => ({
    lines: [entry('assistant', [{ type: 'text', text: `I decided to keep column ${n} until the end.` }])],
    says: `column ${n}`,
  }),
  'as a task': (n) => ({
    lines: [
      calls('TaskCreate', `task-${n}`, { subject: `Mend ${n}`, description: `Acceptance: ${n} runs pass` }),
      resultOf(`task-${n}`, `Task #${n} created`, { task: { id: String(n), subject: `Mend ${n}` } }),
    ],
    says: `${n} runs pass`,
  }),
  'from a failure': (n) => ({
    lines: ran(`./probe ${n}`, `Exit code 1\nError: no disk dm-${n}`, true),
    says: `dm-${n}`,
  }),
  'from a result that a later command uses': (n, name) => ({
    lines: [...ran(`./start ${name}`, `warming up\nlistens on ${n} now`), ...ran(`curl localhost:${n}`, 'ok')],
    says: `listens on ${n}`,
  }),
  'from a warning': (n, name) => ({
    lines: ran(`./deploy ${name}`, `done\nwarning: node-${n} is slow`),
    says: `node-${n} is slow`,
  }),
  'from a file': (n, name) => ({
    lines: [
      calls('Read', `read-${n}`, { file_path: `/shop/${name}.toml` }),
      resultOf(`read-${n}`, `     1→slot = ${n}`),
    ],
    says: `slot = ${n}`,
  }),
  'from a file in the shell': (n, name) => ({
    lines: ran(`cat conf-${name}.toml`, `seed = 7${n}`),
    says: `seed = 7${n}`,
  }),
  'from an output': (n, name) => ({ lines: ran(`./where ${name}`, `vault: box-${n}`), says: `vault: box-${n}` }),
  'by changing a file in the shell': (n) => ({ lines: ran(`echo x > made-${n}.txt`, ''), says: `made-${n}.txt` }),
};
let made = 0;
function ran(command: string, result: string, fails = false): object[] {
  made += 1;
  const answer = { type: 'tool_result', tool_use_id: `ran-${made}`, content: result, is_error: fails };
  return [calls('Bash', `ran-${made}`, { command }), entry('user', [answer])];
}
const kinds = Object.keys(learned);

/** Hands a session on after each leg, and returns the prompt of the last handoff. */
async function promptAfter(legs: { lines: object[]; reason: string }[]): Promise<string> {
  const sessionId = await session(agents[0]!, { title: 'Legs' });
  for (const [n, { lines }] of legs.entries()) {
    if (n > 0) await reassign(sessionId, { agentId: agents[n]!, reason: legs[n - 1]!.reason });
    const text = lines.map((line) => `${JSON.stringify(line)}\n`).join('');
    const chunks = piecesOf(text);
    const transcript = await prepareImport(pool, { sessionId, format: 'CLAUDE_CODE', sidechain: false, chunks });
    await run(importTranscript, { sessionId, agentId: agents[n]!, transcript });
  }
  const reader = {
    query: async (prepared: { name: string; text: string }, values: unknown[]) =>
      (await pool.query<object>({ ...prepared, values })).rows,
  };
  const { reason } = legs.at(-1)!;
  const sources = (await readSources(reader, sessionId))!;
  const target = agents[legs.length]!;
  const context = buildContext(sources, {
    summary: null,
    variables: {},
    instructions: null,
    passage: { to: target, depth: legs.length, reason, tool: { name: `transfer_to_${target}`, instructions: null } },
  });
  const move = moveOf(context, { title: 'Legs', sourceAgentId: sources.sourceAgentId, targetAgentId: target });
  return pack(itemsOf(context, { reason }), move, { maxTokens: 4_000, maxCharacters: null }).text;
}

it('a prompt of 4,000 tokens tells what each of up to five legs learned, in whichever way, and each reason', async () => {
  const leg = fc.uniqueArray(fc.constantFrom(...kinds), { minLength: 1, maxLength: 4 });
  await fc.assert(
    fc.asyncProperty(fc.array(leg, { minLength: 2, maxLength: 5 }), fc.nat(30), async (legs, others) => {
      let number = 4_100;
      const facts: string[] = [];
      const text = await promptAfter(
        legs.map((ways, n) => {
          const routine = Array.from({ length: others }, (_, k) => [
            calls('Read', `routine-${n}-${k}`, { file_path: `/shop/src/${k}.ts` }),
            resultOf(`routine-${n}-${k}`, 'const a = b(1234);\n'.repeat(150)),
          ]).flat();
          const found = ways.map((way) => {
            number += 7;
            return learned[way]!(number, `${'abcde'[n]}-${way.replaceAll(' ', '-')}`);
          });
          facts.push(...found.map(({ says }) => says), `Reason ${n} of leg`);
          return {
            lines: [
              entry('user', `Please do part ${n}.`),
              ...found.flatMap(({ lines }) => lines),
              ...routine,
              entry('assistant', [{ type: 'text', text: `Part ${n} is done.` }]),
            ],
            reason: `Reason ${n} of leg`,
          };
        }),
      );
      expect([facts.filter((fact) => !text.includes(fact)), text]).toEqual([[], text]);
    }),
    { numRuns: 25, endOnFailure: true },
  );
});
