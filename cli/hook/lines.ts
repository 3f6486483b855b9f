import type { Part } from './input.ts';
import type { OpenCalls, Range } from './state.ts';

/** How the transcripts of each tool are read. */
export const formats = { 'claude-code': 'CLAUDE_CODE', codex: 'CODEX' } as const;
export type Tool = keyof typeof formats;

export interface Transcript {
  path: string;
  format: (typeof formats)[Tool];
}

const newline = 0x0a;

interface Lines {
  /**
   * The lines that create or change single tasks, and their results. Baton reads the list of tasks from all of them, so that
   * earlier ones are sent again with new ones: it knows them and adds nothing.
   */
  taskLines: Range[];
  /** Calls without a result: their lines are sent again with what follows, so that Baton knows whose result comes. */
  openCalls: OpenCalls;
  /** The last line of the turn: sent again with what follows, which then continues the turn. */
  last: Range | null;
}

/** What the next increment needs of a part, and the calls that were open before it. */
export function linesIn({ at, bytes }: Part, format: Transcript['format'], open: OpenCalls): Lines {
  const found: Lines = { taskLines: [], openCalls: { ...open }, last: null };
  const { isSpoken, mayCall, callsOf } = readers[format];
  for (let from = 0; from < bytes.length;) {
    const to = bytes.indexOf(newline, from) + 1;
    const text = bytes.subarray(from, to);
    const line: Range = [at + from, at + to];
    const calls = mayCall.some((mark) => text.includes(mark)) ? callsOf(parsed(text)) : [];
    // A result without its call belongs to no turn.
    const isOnlyResult = calls.length > 0 && calls.every(({ isResult }) => isResult);
    if (!isOnlyResult && isSpoken.some((mark) => text.includes(mark))) found.last = line;
    for (const { id, name, isResult } of calls) {
      const isTask = isResult ? found.openCalls[id]?.isTask === true : name === 'TaskCreate' || name === 'TaskUpdate';
      if (isTask) found.taskLines.push(line);
      if (isResult) delete found.openCalls[id];
      else found.openCalls[id] = { line, isTask };
    }
    from = to;
  }
  return found;
}

interface CallOrResult {
  id: string;
  name: unknown;
  isResult: boolean;
}

/** Only what is needed to tell calls from results: Baton reads the rest. */
interface Entry {
  message?: { content?: unknown };
  payload?: { type?: unknown; call_id?: unknown };
}
interface Block {
  type?: unknown;
  id?: unknown;
  name?: unknown;
  tool_use_id?: unknown;
}

const readers: Record<
  Transcript['format'],
  { isSpoken: string[]; mayCall: string[]; callsOf: (entry: Entry) => CallOrResult[] }
> = {
  CLAUDE_CODE: {
    isSpoken: ['"type":"user"', '"type":"assistant"'],
    mayCall: ['"tool_use"', '"tool_result"'],
    callsOf: ({ message }) =>
      (Array.isArray(message?.content) ? (message.content as (Block | null)[]) : []).flatMap(
        (block): CallOrResult[] => {
          if (block?.type === 'tool_use' && typeof block.id === 'string')
            return [{ id: block.id, name: block.name, isResult: false }];
          return block?.type === 'tool_result' && typeof block.tool_use_id === 'string'
            ? [{ id: block.tool_use_id, name: null, isResult: true }]
            : [];
        },
      ),
  },
  CODEX: {
    isSpoken: ['"type":"response_item"'],
    mayCall: ['"call_id"'],
    callsOf: ({ payload }) => {
      const type = /^(function|custom_tool|local_shell)_call(_output)?$/.exec(String(payload?.type));
      return type !== null && typeof payload?.call_id === 'string'
        ? [{ id: payload.call_id, name: null, isResult: type[2] !== undefined }]
        : [];
    },
  },
};

function parsed(line: Buffer): Entry {
  try {
    return (JSON.parse(line.toString()) as Entry | null) ?? {};
  } catch {
    return {};
  }
}

/** Each line once, in the order of the file. */
export const inOrder = (lines: readonly Range[]): Range[] =>
  [...new Map(lines.map((line) => [line[0], line])).values()].sort(([one], [other]) => one - other);
