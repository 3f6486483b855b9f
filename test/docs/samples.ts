const typeId =
  /\b(ws_[0-9a-f]{20}|(session|agentsession|handoff|turn|message|toolcall|decision|task|snapshot|event|key)_[0-9a-hjkmnp-tv-z]{26})\b/g;
const times = /\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?Z?/g;

/**
 * Compares command output with the documents' samples. An id in a sample is mapped to the printed one, here and in later
 * blocks; times always match.
 */
export class Samples {
  readonly #actual = new Map<string, string>();

  constructor(readonly url: string) {}

  /** A block with the ids and addresses of this test's server. */
  adapt(text: string): string {
    return text.replaceAll('http://127.0.0.1:4000', this.url).replaceAll(typeId, (id) => this.#actual.get(id) ?? id);
  }

  /** The sample and the output, normalized to be equal when they match. */
  compare(sample: string, output: string): { expected: unknown; actual: unknown } {
    const printed = output.match(typeId) ?? [];
    for (const [n, id] of (sample.match(typeId) ?? []).entries())
      if (printed[n] !== undefined) this.#actual.set(id, printed[n]);
    return { expected: plain(this.adapt(sample)), actual: plain(output) };
  }
}

/** Normalizes log lines and JSON, without an operation's cost. */
function plain(text: string): unknown {
  const lines = text.replaceAll(times, '<time>').trim().split('\n');
  if (lines.length === 1 && lines[0]!.startsWith('{')) {
    const { extensions, ...rest } = JSON.parse(lines[0]!) as { extensions?: { cost?: unknown } };
    const { cost: _cost, ...others } = extensions ?? {};
    return { ...rest, ...(Object.keys(others).length > 0 && { extensions: others }) };
  }
  return lines
    .map((line) =>
      line.startsWith('{"level":30')
        ? `INFO: ${(JSON.parse(line) as { msg: string }).msg}`
        : line.replace(/^\[\d\d:\d\d:\d\d\] /, '').trimEnd(),
    )
    .join('\n');
}
