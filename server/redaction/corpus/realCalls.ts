import { readFileSync } from 'node:fs';
import { realPath, realTranscripts } from '../../testing/realData.ts';
import type { Harmless } from './samples.ts';

interface Block {
  type?: string;
  input?: unknown;
  content?: unknown;
}

interface Line {
  message?: { content?: unknown };
  payload?: { type?: string; arguments?: unknown; input?: unknown; output?: unknown };
}

/** What real agents called their tools with, and what those answered. Their folders are public, and hold no secrets. */
export function realCalls(): Harmless[] {
  return realTranscripts().flatMap((name) => {
    const lines = readFileSync(realPath(name), 'utf8').split('\n');
    return lines.flatMap(callsIn).map((value): Harmless => ({ kind: `real call, ${name.split(/[/\\]/)[0]!}`, written: { value } }));
  });
}

function callsIn(line: string): unknown[] {
  let entry: Line;
  try {
    entry = JSON.parse(line) as Line;
  } catch {
    return [];
  }
  const { type, arguments: args, input, output } = entry.payload ?? {};
  if (type?.endsWith('_call') === true) return [args ?? input];
  if (type?.endsWith('_call_output') === true) return [output];
  const content = entry.message?.content;
  if (!Array.isArray(content)) return [];
  return (content as Block[]).flatMap((block) => (block.type === 'tool_use' ? [block.input] : block.type === 'tool_result' ? [block.content] : []));
}
