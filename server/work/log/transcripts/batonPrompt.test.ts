import { expect, test } from 'vitest';
import { readText, saidIn } from '../../../../test/readTranscripts.ts';
import { batonPrompt } from './batonPrompt.ts';

const prompt = `${batonPrompt('codex-1', 'session_01m82tr1mafdfaeqqchwj6dz55', 'handoff_01m82tr28ceyasx65gfkrd9xkj')} Do the work.\n\n# Handoff`;
const read = async (...entries: object[]) =>
  saidIn(await readText(entries.map((entry) => JSON.stringify(entry)).join('\n')));
const expected = [`0 SYSTEM: ${prompt}`, '0 ASSISTANT: Done.', '1 USER: Thank you.'];

test('takes the prompt of baton watch in a transcript of Claude Code as SYSTEM, not as a request of a person', async () => {
  const line = (uuid: string, type: 'user' | 'assistant', content: string) => ({
    type,
    sessionId: 's',
    uuid,
    message: { role: type, ...(type === 'assistant' && { id: uuid }), content },
  });
  expect(
    await read(line('1', 'user', prompt), line('2', 'assistant', 'Done.'), line('3', 'user', 'Thank you.')),
  ).toEqual(expected);
});

test.each(['item first', 'event first'])('takes it in a rollout of Codex as SYSTEM, once (%s)', async (order) => {
  const item = (role: string, text: string) => ({
    type: 'response_item',
    payload: { type: 'message', role, content: [{ type: role === 'user' ? 'input_text' : 'output_text', text }] },
  });
  const event = (message: string) => ({ type: 'event_msg', payload: { type: 'user_message', message } });
  const said = (text: string) =>
    order === 'item first' ? [item('user', text), event(text)] : [event(text), item('user', text)];
  const meta = { type: 'session_meta', payload: { id: 'x', cwd: '/a' } };
  expect(await read(meta, ...said(prompt), item('assistant', 'Done.'), ...said('Thank you.'))).toEqual(expected);
});
