import fc from 'fast-check';
import { expect, it } from 'vitest';
import { testDatabase } from '../../../test/database.ts';
import { connect } from '../../../test/mcp.ts';
import { runs } from '../../../test/runs.ts';
import { startApp } from '../../../test/server.ts';
import { world } from '../../../test/world.ts';
import { encodeId } from '../../core/ids.ts';

const database = await testDatabase();
const { url } = await startApp(database);
const { agent, session } = world(database.pool);
await agent('target', { maxCapacity: 1_000 });
await agent('source', { maxCapacity: 1_000, collaborators: ['target'] });
const model = await connect(url, '/source');

const at = '2026-04-05T10:00:00.000Z';
const reason = 'Please review';

/** A turn that hands off, as each program writes it: the lines up to the call, and those after it. */
const transcripts = {
  'Claude Code': (n: number, tool: string, input: object) => {
    const entry = (line: number, type: 'user' | 'assistant', message: object) => ({
      type,
      uuid: `l${n}-${line}`,
      sessionId: `s${n}`,
      timestamp: at,
      message: { role: type, ...message },
    });
    const answer = (line: number, block: object) =>
      entry(line, 'assistant', { id: `m${n}-${line}`, model: 'm', content: [block] });
    return [
      entry(1, 'user', { content: 'Mend it.' }),
      answer(2, { type: 'text', text: 'I hand it off.' }),
      answer(3, { type: 'tool_use', id: `call-${n}`, name: `mcp__baton__${tool}`, input }),
      entry(4, 'user', { content: [{ type: 'tool_result', tool_use_id: `call-${n}`, content: 'Handed off.' }] }),
      answer(5, { type: 'text', text: 'Handed over.' }),
    ];
  },
  Codex: (n: number, tool: string, input: object) => {
    const item = (payload: object) => ({ timestamp: at, type: 'response_item', payload });
    const says = (role: string, type: string, text: string) =>
      item({ type: 'message', role, content: [{ type, text }] });
    return [
      { timestamp: at, type: 'session_meta', payload: { id: `s${n}`, cwd: '/srv' } },
      says('user', 'input_text', 'Mend it.'),
      { timestamp: at, type: 'event_msg', payload: { type: 'user_message', message: 'Mend it.' } },
      says('assistant', 'output_text', 'I hand it off.'),
      item({
        type: 'function_call',
        name: tool.replaceAll('-', '_'),
        call_id: `call-${n}`,
        arguments: JSON.stringify(input),
      }),
      item({ type: 'function_call_output', call_id: `call-${n}`, output: 'Handed off.' }),
      says('assistant', 'output_text', 'Handed over.'),
    ];
  },
};
const formats = { 'Claude Code': 'CLAUDE_CODE', Codex: 'CODEX' };

let count = 0;

it('a turn that hands off is in the log once, with its call and its words, in whatever order and parts it is imported', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom<keyof typeof transcripts>('Claude Code', 'Codex'),
      fc.constantFrom('baton_handoff', 'transfer_to_target'),
      // The ends of imports before the call and after it, and whether lines are sent again.
      fc.array(fc.nat({ max: 5 }), { maxLength: 3 }),
      fc.array(fc.nat({ max: 7 }), { maxLength: 3 }),
      fc.boolean(),
      async (program, tool, before, after, tells) => {
        const n = (count += 1);
        const id = await session('source');
        const input = { ...(tool === 'baton_handoff' && { target: 'target' }), reason };
        const lines = transcripts[program](n, tool, input);
        const called = lines.findIndex((line) => JSON.stringify(line).includes(`call-${n}`)) + 1;
        const send = async (end: number): Promise<void> => {
          const body = lines
            .slice(0, end)
            .map((line) => `${JSON.stringify(line)}\n`)
            .join('');
          if (body === '') return;
          const to = `${url}/sessions/${encodeId('session', id)}/transcript?format=${formats[program]}&agentId=source`;
          await fetch(to, { method: 'POST', body });
        };
        for (const end of before.sort((a, b) => a - b)) await send(Math.min(end, called));
        // The hook before the call imports what there is.
        if (tells) await send(called);
        const meta = { [program === 'Codex' ? 'callId' : 'claudecode/toolUseId']: `call-${n}` };
        const result = await model.call(tool, { ...input, session: encodeId('session', id) }, meta);
        expect(result.isError).toBe(false);
        for (const end of [...after.sort((a, b) => a - b), lines.length]) await send(Math.max(end, called));
        const { rows: calls } = await database.pool.query<{ call: string; answered: boolean }>(
          'SELECT call_id AS call, result IS NOT NULL AS answered FROM tool_calls WHERE session_id = $1',
          [id],
        );
        expect(calls).toEqual([{ call: `call-${n}`, answered: true }]);
        const { rows: said } = await database.pool.query<{ content: string }>(
          "SELECT content FROM messages WHERE session_id = $1 AND role IN ('USER', 'ASSISTANT') ORDER BY sequence",
          [id],
        );
        expect(said.map(({ content }) => content)).toEqual(['Mend it.', 'I hand it off.', 'Handed over.']);
        const { rows: context } = await database.pool.query<{ context: string }>(
          'SELECT context::text FROM handoffs WHERE session_id = $1',
          [id],
        );
        expect(context).toHaveLength(1);
        if (!tells) return;
        for (const words of ['Mend it.', 'I hand it off.']) expect(context[0]!.context).toContain(words);
      },
    ),
    { numRuns: runs(60) },
  );
});
