/** A transcript as large as a long day's work in a realistic form: mostly results, and progress that is not stored. */
export function workTranscript(bytes: number): string {
  const lines: string[] = [];
  const add = (entry: object): number =>
    lines.push(
      JSON.stringify({ sessionId: 'load', uuid: `u${lines.length}`, timestamp: '2026-03-02T09:00:00Z', ...entry }),
    );
  const words = (count: number): string =>
    Array.from(
      { length: count },
      (_, n) => `line ${n} of what the tool printed, src/garden/bed-${n % 17}.ts:${n}\n`,
    ).join('');
  for (let size = 0, n = 0; size < bytes; n += 1) {
    const from = lines.length;
    add({
      type: 'assistant',
      message: {
        id: `m${n}`,
        content: [
          { type: 'text', text: `Step ${n}.` },
          { type: 'tool_use', id: `c${n}`, name: 'Bash', input: { command: `make ${n}` } },
        ],
        usage: { input_tokens: 3, output_tokens: 10 },
      },
    });
    for (let hook = 0; hook < 5; hook += 1)
      add({ type: 'progress', data: { type: 'hook_progress', command: words(5) } });
    add({
      type: 'user',
      message: { content: [{ type: 'tool_result', tool_use_id: `c${n}`, content: words(150) }] },
      toolUseResult: { stdout: words(150) },
    });
    size += lines.slice(from).reduce((sum, line) => sum + line.length + 1, 0);
  }
  return lines.join('\n');
}

const line = (entry: object): string =>
  `${JSON.stringify({ sessionId: 'load', timestamp: '2026-03-02T09:00:00Z', ...entry })}\n`;

/** Lines from `make` until they have so many bytes. */
function filled(bytes: number, make: (n: number) => string): string {
  const parts: string[] = [];
  for (let [size, n] = [0, 0]; size < bytes; n += 1) {
    const part = make(n);
    parts.push(part);
    size += part.length;
  }
  return parts.join('');
}

const user = (n: number, content: unknown, more: object = {}): string =>
  line({ uuid: `u${n}`, type: 'user', message: { content }, ...more });
const said = (n: number, content: unknown, more: object = {}): string =>
  line({
    uuid: `a${n}`,
    type: 'assistant',
    message: { id: `m${n}`, model: 'a-model', content, usage: { input_tokens: 1_000 + n, output_tokens: 10 } },
    ...more,
  });
const text = (words: string) => [{ type: 'text', text: words }];
const call = (id: string, name: string, input: object) => ({ type: 'tool_use', id, name, input });
const result = (id: string, content: string) => ({ type: 'tool_result', tool_use_id: id, content });
const some = 'the quick brown fox changes `src/garden/bed.ts` and runs the tests again. ';

/** Transcripts of so many bytes, of shapes that cost an import the most. A line has at most 8 million characters. */
export const transcriptShapes: Record<string, (bytes: number) => string> = {
  'a long day of work': workTranscript,
  'short turns': (bytes) =>
    filled(bytes, (n) => user(n, `Go on with ${n}. ${some}`) + said(n, text(`Done. ${some.repeat(2)}`))),
  'giant lines': (bytes) =>
    filled(bytes, (n) => {
      // Eleven stay below the limit of an upload at 64 MB.
      const size = Math.min(bytes, 6_000_000);
      return (
        said(n, [...text('x'), call(`c${n}`, 'Bash', { command: 'make' })]) +
        user(n, [result(`c${n}`, some.repeat(size / some.length))])
      );
    }),
  'deep branches': (bytes) =>
    filled(bytes, (n) => {
      const parentUuid = n === 0 ? null : `${n % 3 === 0 ? 'u' : 'a'}${n - 1}`;
      return n % 7 === 3
        ? user(n, `Rather ${n}. ${some}`, { parentUuid, cwd: `/work/${n}`, gitBranch: `b${n}` })
        : said(n, text(`Then ${n}. ${some}`), { parentUuid, isSidechain: n % 5 === 0 });
    }),
  '10,000 calls in a turn': (bytes) =>
    filled(bytes, (n) => {
      const ids = Array.from({ length: 2_000 }, (_, at) => `c${n}-${at}`);
      const input = { file_path: `src/bed-${n}.ts`, old_string: 'a', new_string: some };
      return (
        said(
          n,
          ids.map((id) => call(id, 'Edit', input)),
        ) +
        user(
          n,
          ids.map((id) => result(id, `The file was changed. ${some}`)),
        )
      );
    }),
  'parts of one message': (bytes) => filled(bytes, (n) => said(0, text(`Part ${n}. ${some}`), { uuid: `p${n}` })),
  'changed tasks': (bytes) =>
    filled(bytes, (n) => {
      const [name, input] =
        n < 900
          ? ['TaskCreate', { subject: `Task ${n}`, description: some }]
          : ['TaskUpdate', { taskId: String(n % 900), status: 'in_progress' }];
      return (
        said(n, [call(`c${n}`, name, input)]) +
        user(n, [result(`c${n}`, `Task #${n} changed`)], { toolUseResult: { task: { id: String(n) } } })
      );
    }),
  compactions: (bytes) =>
    filled(
      bytes,
      (n) =>
        user(n, `Go on ${n}. ${some}`) +
        said(n, text(some.repeat(5))) +
        line({ uuid: `s${n}`, type: 'system', subtype: 'compact_boundary' }),
    ),
  secrets: (bytes) =>
    filled(
      bytes,
      (n) => user(n, `api_key=abc${n} `.repeat(2_000)) + said(n, text('password: hunter2sunshine '.repeat(500))),
    ),
  'values of a line': (bytes) =>
    filled(
      bytes,
      (n) =>
        said(n, [call(`c${n}`, 'Query', { rows: Array.from({ length: 9_000 }, (_, at) => [at, n % 7]) })]) +
        user(n, [result(`c${n}`, some)]),
    ),
  'a rollout of Codex': (bytes) =>
    filled(bytes, (n) =>
      [
        {
          type: 'response_item',
          payload: { type: 'message', role: 'user', content: [{ type: 'input_text', text: `Go on ${n}. ${some}` }] },
        },
        { type: 'event_msg', payload: { type: 'user_message', message: `Go on ${n}. ${some}` } },
        {
          type: 'response_item',
          payload: {
            type: 'function_call',
            call_id: `c${n}`,
            name: 'shell',
            arguments: JSON.stringify({ command: ['bash', '-lc', `make ${n}`] }),
          },
        },
        { type: 'response_item', payload: { type: 'function_call_output', call_id: `c${n}`, output: some.repeat(20) } },
        {
          type: 'event_msg',
          payload: {
            type: 'token_count',
            info: { total_token_usage: { input_tokens: 1_000 * n, output_tokens: n }, model_context_window: 200_000 },
          },
        },
      ]
        .map((entry) => `${JSON.stringify({ timestamp: '2026-03-02T09:00:00Z', ...entry })}\n`)
        .join(''),
    ),
  'a session of Gemini CLI': (bytes) =>
    JSON.stringify({
      sessionId: 'load',
      messages: Array.from({ length: Math.floor(Math.min(bytes, 15_000_000) / 1_000) }, (_, n) =>
        n % 2 === 0
          ? { id: `m${n}`, type: 'user', timestamp: '2026-03-02T09:00:00Z', content: `Go on ${n}. ${some.repeat(8)}` }
          : {
              id: `m${n}`,
              type: 'gemini',
              timestamp: '2026-03-02T09:00:00Z',
              content: some.repeat(8),
              tokens: { input: n, output: 3 },
              toolCalls: [
                {
                  id: `c${n}`,
                  name: 'run',
                  args: { n },
                  status: 'success',
                  result: [{ functionResponse: { response: { output: some } } }],
                },
              ],
            },
      ),
    }),
};
