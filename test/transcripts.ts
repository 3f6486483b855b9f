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
