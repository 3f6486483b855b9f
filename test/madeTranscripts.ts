import type { TranscriptFormat } from '../server/work/log/transcripts/transcript.ts';

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

const geminiLines = (texts: Texts): string => {
  const [said, called, answered] = geminiMessages(texts) as [object, { toolCalls: object[] }, object];
  const [call] = called.toolCalls;
  return lines([
    { ...geminiHead, kind: 'main' },
    said,
    { $set: { lastUpdated: at(1) } },
    // A message is written again with each call, each change of a call, and its tokens.
    { ...called, toolCalls: [] },
    { ...called, toolCalls: [{ ...call, status: 'executing', result: null }] },
    { ...called, tokens: { input: 30, output: 4, cached: 10, total: 34 } },
    called,
    answered,
  ]);
};

const openCodeSession = { id: 'ses_1', directory: '/fence', title: 'Mend the fence', version: '1.19.3' };
const openCodeMessages = (texts: Texts): object[] => {
  const { said, output, answer } = whole(texts);
  const time = (second: number): number => Date.parse(at(second));
  const message = (id: string, second: number, fields: object) => ({
    id,
    sessionID: 'ses_1',
    time: { created: time(second) },
    ...fields,
  });
  const model = {
    role: 'assistant',
    modelID: 'claude-opus-5',
    providerID: 'anthropic',
    path: { cwd: '/fence', root: '/fence' },
    tokens: { input: 20, output: 3, reasoning: 1, cache: { read: 5, write: 2 } },
  };
  const part = (id: string, messageID: string, fields: object) => ({ id, messageID, sessionID: 'ses_1', ...fields });
  return [
    {
      info: message('msg_1', 1, { role: 'user', agent: 'build' }),
      parts: [
        part('prt_1', 'msg_1', { type: 'text', text: said }),
        part('prt_2', 'msg_1', { type: 'text', text: 'Called the Read tool', synthetic: true }),
      ],
    },
    {
      info: message('msg_2', 2, model),
      parts: [
        part('prt_3', 'msg_2', { type: 'step-start' }),
        part('prt_4', 'msg_2', {
          type: 'tool',
          callID: 'c1',
          tool: 'bash',
          state: {
            status: 'completed',
            input: command,
            output,
            title: '',
            metadata: { exit: 0 },
            time: { start: time(2), end: time(3) },
          },
        }),
      ],
    },
    {
      info: message('msg_3', 4, {
        ...model,
        tokens: { input: 1, output: 1, reasoning: 0, cache: { read: 0, write: 0 } },
      }),
      parts: [part('prt_5', 'msg_3', { type: 'text', text: answer })],
    },
  ];
};
const openCode = (texts: Texts): string =>
  JSON.stringify({ info: openCodeSession, messages: openCodeMessages(texts) }, null, 2);

function copilot(texts: Texts): string {
  const { said, output, answer } = whole(texts);
  const event = (second: number, type: string, data: object) => ({
    type,
    data,
    id: `${type}-${second}`,
    timestamp: at(second),
    parentId: second === 0 ? null : `e${second - 1}`,
  });
  return lines([
    event(0, 'session.start', { sessionId: 's', version: 1, producer: 'copilot-agent', context: { cwd: '/fence' } }),
    event(1, 'user.message', { content: said, attachments: [] }),
    event(2, 'assistant.turn_start', { turnId: '0' }),
    event(2, 'assistant.message', {
      messageId: 'm1',
      content: '',
      toolRequests: [{ toolCallId: 'c1', name: 'bash', arguments: command, type: 'function' }],
    }),
    event(2, 'tool.execution_start', { toolCallId: 'c1', toolName: 'bash', arguments: command }),
    event(3, 'tool.execution_complete', { toolCallId: 'c1', success: true, result: { content: output } }),
    event(4, 'assistant.message', { messageId: 'm2', content: answer, model: 'gpt-5.4', outputTokens: 7 }),
  ]);
}

function cursor(texts: Texts): string {
  const { said, output, answer } = whole(texts);
  const event = (type: string, fields: object) => ({ type, ...fields, session_id: 's' });
  const message = (role: string, text: string) => ({ message: { role, content: [{ type: 'text', text }] } });
  const call = { call_id: 'c1', model_call_id: 'mc1' };
  return lines([
    event('system', {
      subtype: 'init',
      apiKeySource: 'login',
      cwd: '/fence',
      model: 'Auto',
      permissionMode: 'default',
    }),
    event('user', message('user', said)),
    event('tool_call', {
      subtype: 'started',
      ...call,
      tool_call: { shellToolCall: { args: command } },
      timestamp_ms: Date.parse(at(2)),
    }),
    event('tool_call', {
      subtype: 'completed',
      ...call,
      tool_call: {
        shellToolCall: { args: command, result: { success: { exitCode: 0, stdout: output }, isBackground: false } },
      },
      timestamp_ms: Date.parse(at(3)),
    }),
    event('assistant', message('assistant', answer)),
    event('result', { subtype: 'success', is_error: false, result: answer }),
  ]);
}

function aider(texts: Texts): string {
  const { said, output, answer } = whole(texts);
  return [
    '',
    '# aider chat started at 2026-03-02 09:00:00',
    '',
    '> Aider v0.86.1  ',
    '> Main model: gpt-5.4 with diff edit format, infinite output  ',
    '',
    ...said.split('\n').map((line) => `#### ${line}  `),
    '',
    answer,
    '',
    '> Tokens: 3.4k sent, 1.2k cache hit, 200 received. Cost: $0.01 message, $0.01 session.  ',
    '> Applied edit to fence.ts  ',
    ...output.split('\n').map((line) => `> ${line}  `),
    '',
  ].join('\n');
}

/** A transcript of each format. */
export const made: Record<TranscriptFormat, (texts: Texts) => string> = {
  CLAUDE_CODE: claudeCode,
  CODEX: codex,
  GEMINI_CLI: (texts) => JSON.stringify({ ...geminiHead, messages: geminiMessages(texts) }, null, 2),
  OPENCODE: openCode,
  COPILOT_CLI: copilot,
  CURSOR_CLI: cursor,
  AIDER: aider,
};

/** Other ways in which the programs write the same. */
export const madeOtherwise: readonly [TranscriptFormat, (texts: Texts) => string][] = [
  ['GEMINI_CLI', geminiLines],
  ['GEMINI_CLI', (texts) => JSON.stringify({ ...geminiHead, messages: geminiMessages(texts) })],
  ['OPENCODE', (texts) => JSON.stringify({ info: openCodeSession, messages: openCodeMessages(texts) })],
];

export const madeFormats = Object.keys(made) as TranscriptFormat[];
