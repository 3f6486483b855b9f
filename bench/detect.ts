import { detectHandoffs } from '../server/work/tools/detect/detectHandoffs.ts';
import type { Known } from '../server/work/tools/detect/known.ts';
import { generatedName } from '../server/work/tools/tool.ts';
import {
  anthropicEvents,
  anthropicMessage,
  type Called,
  chatCompletion,
  chatEvents,
  openaiResponse,
  responseEvents,
  runItems,
  sse,
} from '../test/answers.ts';
import { atMost, type Line, spread } from './report.ts';
import { alternate, type Contestant, ratioOf } from './rounds.ts';

const rounds = 60;
const KB = 1_000;
const goalMs = 1;
/** Greatest ratio of the times for 1 MB and for 100 KB. */
const goalRatio = 12;

const ids = ['caller', ...Array.from({ length: 200 }, (_each, at) => `agent-${at}`)];
const known: Known = {
  agentId: 'caller',
  tools: ids.slice(1, 21).map((id) => ({ id: null, name: generatedName(id), targetAgentId: id, generated: true })),
  agents: ids.map((id) => ({ id, archived: false })),
};

const last: Called = { name: 'transfer_to_agent-7', json: '{"reason":"done"}' };
/** Calls of 1 KB each, a handoff last. */
const calls = (bytes: number): Called[] => [
  ...Array.from({ length: bytes / KB }, (_each, at) => ({
    name: 'write',
    json: JSON.stringify({ path: `/src/${at}.ts`, text: 'const a = "b";\n'.repeat(48) }),
  })),
  last,
];
const oneCall = (bytes: number): Called[] => [
  { name: 'write', json: JSON.stringify({ text: 'const a = "b";\n'.repeat(bytes / 17) }) },
  last,
];
/** Pieces of about 20 characters, as models send them. */
const pieces = (text: string): string[] => text.match(/[^]{1,20}/g) ?? [];

const answers: Record<string, (bytes: number) => unknown> = {
  'an Anthropic message': (bytes) => anthropicMessage(calls(bytes)),
  'a chat completion': (bytes) => chatCompletion(calls(bytes)),
  'a response': (bytes) => openaiResponse(calls(bytes)),
  'a response with one large call': (bytes) => openaiResponse(oneCall(bytes)),
  'items of the Agents SDK': (bytes) => runItems(calls(bytes)),
  'events of an Anthropic stream': (bytes) => anthropicEvents(calls(bytes / 6), pieces),
  'the text of an Anthropic stream': (bytes) => sse(anthropicEvents(calls(bytes / 6), pieces)),
  'the text of a stream of chunks': (bytes) => sse(chatEvents(calls(bytes / 11), pieces)),
  'the text of a stream of a response': (bytes) => sse(responseEvents(calls(bytes / 12), pieces)),
};

const sizeOf = (answer: unknown): string =>
  `${Math.round((typeof answer === 'string' ? answer : JSON.stringify(answer)).length / KB)} KB`;

function timed(answer: unknown): Contestant {
  return () => {
    const before = performance.now();
    const { chosen } = detectHandoffs(answer, known);
    const ms = performance.now() - before;
    if (chosen?.kind !== 'HANDOFF') throw new Error('The handoff was not found');
    return Promise.resolve(ms);
  };
}

/** Measures detection in answers of 100 KB and of 1 MB, with 200 agents. */
export async function detect(): Promise<Line[]> {
  const lines: Line[] = [];
  for (const [what, answerOf] of Object.entries(answers)) {
    const [small, large] = [answerOf(100 * KB), answerOf(1_000 * KB)];
    const times = await alternate(rounds, { small: timed(small), large: timed(large) });
    const ratio = ratioOf(times.large, times.small);
    lines.push(
      {
        what: `Handoffs in ${what} of ${sizeOf(small)}`,
        figure: spread(times.small, 'ms'),
        goal: atMost(times.small.median, goalMs, ' ms'),
      },
      {
        what: `The same with ${sizeOf(large)}`,
        figure: spread(times.large, 'ms'),
        beside: sizeOf(small),
        ratio,
        goal: atMost(ratio.median, goalRatio),
      },
    );
  }
  return lines;
}
