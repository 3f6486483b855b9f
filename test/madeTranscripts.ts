import type { TranscriptFormat } from '../server/log/transcripts/transcript.ts';

/** What a made transcript holds: the words of a person, a call with its output, and the model's answer. */
export interface Texts {
  said?: string;
  output?: string;
  answer?: string;
}

const whole = ({ said = 'Mend the fence.', output = 'ok', answer = 'It is mended.' }: Texts): Required<Texts> => ({
  said,
  output,
  answer,
});
const at = (second: number): string => `2026-03-02T09:00:${String(second).padStart(2, '0')}.000Z`;
const lines = (entries: object[]): string => `${entries.map((entry) => JSON.stringify(entry)).join('\n')}\n`;
const command = { command: 'npm test' };

function claudeCode(texts: Texts): string {
  const { said, output, answer } = whole(texts);
  const entry = (second: number, type: 'user' | 'assistant', message: object) => ({
    type,
    sessionId: 's',
    uuid: `u${second}`,
    timestamp: at(second),
    message: { role: type, ...message },
  });
  return lines([
    entry(1, 'user', { content: said }),
    entry(2, 'assistant', { id: 'm1', content: [{ type: 'tool_use', id: 'c1', name: 'Bash', input: command }] }),
    entry(3, 'user', { content: [{ type: 'tool_result', tool_use_id: 'c1', content: output }] }),
    entry(4, 'assistant', { id: 'm2', content: [{ type: 'text', text: answer }] }),
  ]);
}

function codex(texts: Texts): string {
  const { said, output, answer } = whole(texts);
  const entry = (second: number, type: string, payload: object) => ({ timestamp: at(second), type, payload });
  const message = (role: string, type: string, text: string) => ({ type: 'message', role, content: [{ type, text }] });
  return lines([
    entry(0, 'session_meta', { id: 's', cwd: '/fence' }),
    entry(1, 'response_item', message('user', 'input_text', said)),
    entry(1, 'event_msg', { type: 'user_message', message: said }),
    entry(2, 'response_item', {
      type: 'function_call',
      call_id: 'c1',
      name: 'shell',
      arguments: JSON.stringify(command),
    }),
    entry(3, 'response_item', { type: 'function_call_output', call_id: 'c1', output }),
    entry(4, 'response_item', message('assistant', 'output_text', answer)),
  ]);
}

const geminiMessages = (texts: Texts) => {
  const { said, output, answer } = whole(texts);
  const result = [{ functionResponse: { id: 'c1', response: { output } } }];
  return [
    { id: 'm1', timestamp: at(1), type: 'user', content: said },
    {
      id: 'm2',
      timestamp: at(2),
      type: 'gemini',
      content: '',
      toolCalls: [{ id: 'c1', name: 'run_shell_command', args: command, status: 'success', timestamp: at(3), result }],
    },
    { id: 'm3', timestamp: at(4), type: 'gemini', content: answer, model: 'gemini-3-pro' },
  ];
};
const geminiHead = { sessionId: 's', projectHash: 'h', startTime: at(0), lastUpdated: at(4) };

/** A transcript of each format. */
export const made: Record<TranscriptFormat, (texts: Texts) => string> = {
  CLAUDE_CODE: claudeCode,
  CODEX: codex,
  GEMINI_CLI: (texts) => JSON.stringify({ ...geminiHead, messages: geminiMessages(texts) }, null, 2),
};

export const madeFormats = Object.keys(made) as TranscriptFormat[];
