import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { Failed, post, type Server } from './request.ts';
import { isEnded, isHeldBy, lastSessionOf, sessionOf, type Session } from './session.ts';
import type { OpenCalls, Range, StateFile } from './state.ts';
import type { Work } from './work.ts';

export interface Transcript {
  path: string;
  format: 'CLAUDE_CODE' | 'CODEX';
}

export interface Sending {
  server: Server;
  agent: string;
  work: Work;
  transcript: Transcript;
  /** End of the turn that ended; null while it runs. */
  turnEnd: number | null;
  /** Whether a handoff tool runs next. */
  handsOff: boolean;
  /** Whether the tool compacts its window next. */
  compacts: boolean;
  /** Whether the transcript is of the agent's own tenure, also when that has ended. Known of a tool that `baton watch` started. */
  isOfTenure?: boolean;
  /** Whether the conversation ends. */
  ends: boolean;
}

/** An upload may have 64 MB. */
const maxPartBytes = 32 * 1024 * 1024;

/** Imports what is new in a transcript. Returns why nothing was written, or null. @throws Failed */
export async function sendNew(file: StateFile, { server, agent, work, transcript, turnEnd, handsOff, compacts, ends, isOfTenure = false }: Sending, signal: AbortSignal): Promise<string | null> {
  const input = new Input(transcript.path);
  try {
    let state = file.read();
    // A transcript that became shorter is another one.
    if (state.sentTo > input.size) state = { ...state, from: 0, sentTo: 0, taskLines: [], openCalls: {}, last: null };
    const end = Math.min(turnEnd ?? input.size, input.size);
    if (end > state.sentTo || handsOff || compacts) {
      const ended = state.handedOff === null && !ends ? null : await lastSessionOf(server, work, signal);
      if (ended !== null && isEnded(ended)) {
        // This turn ended the session: the rest of it belongs to no session. The last words of a conversation begin none.
        if (ended.id === state.handedOff) file.write({ ...state, sentTo: end, ...(turnEnd !== null && { from: end, taskLines: [], openCalls: {}, last: null, handedOff: null }) });
        if (ended.id === state.handedOff || ends) return null;
      }
      const session = await sessionOf(server, agent, work, signal);
      if (session === null) return 'another agent holds the session';
      // The rest of the turn that handed off belongs to the tenure that it ended.
      const isRest = state.handedOff === session.id;
      if (!isHeldBy(agent, session) && !isRest && !isOfTenure) return whyNot(agent, session);
      const query = new URLSearchParams({ format: transcript.format, agentId: agent });
      if (handsOff) state = { ...state, handedOff: session.id };
      for (let part = partAfter(input, state.from, end); part !== null; part = partAfter(input, part.to, end)) {
        const found = linesIn(part, transcript.format, state.openCalls);
        const earlier = [...(found.taskLines.length > 0 ? state.taskLines : []), ...Object.values(state.openCalls).map(({ line }) => line), ...(state.last === null ? [] : [state.last])];
        const body = Buffer.concat([...inOrder(earlier).map((line) => input.read(...line)), part.bytes]);
        await post(server, `/sessions/${session.id}/transcript?${query}`, 'application/x-ndjson', body, signal);
        const isEnd = turnEnd !== null && part.to >= end;
        const rest = isEnd ? { openCalls: {}, last: null } : { openCalls: found.openCalls, last: found.last ?? state.last };
        state = { ...state, ...rest, from: part.to, sentTo: part.to, taskLines: [...state.taskLines, ...found.taskLines] };
        file.write(state);
      }
      // After what is new, and also without anything new.
      if (compacts && !isRest) await post(server, `/sessions/${session.id}/transcript?${query}&windowFull=true`, 'application/x-ndjson', '', signal);
    }
    if (handsOff) file.write(state);
    if (turnEnd !== null && state.handedOff !== null) file.write({ ...state, handedOff: null });
    return null;
  } finally {
    input.close();
  }
}

function whyNot(agent: string, { id, agent: holder }: Session): string {
  if (holder?.id === agent) return `agent '${agent}' has not accepted the handoff of session ${id} yet`;
  return `${holder === null ? 'no agent' : `agent '${holder.id}'`} holds session ${id}`;
}

interface Part {
  at: number;
  /** Whole lines. */
  bytes: Buffer;
  to: number;
}

function partAfter(input: Input, at: number, end: number): Part | null {
  const bytes = input.read(at, Math.min(end, at + maxPartBytes));
  const whole = bytes.subarray(0, bytes.lastIndexOf(newline) + 1);
  return whole.length === 0 ? null : { at, bytes: whole, to: at + whole.length };
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

function linesIn({ at, bytes }: Part, format: Transcript['format'], open: OpenCalls): Lines {
  const found: Lines = { taskLines: [], openCalls: { ...open }, last: null };
  const { isSpoken, mayCall, callsOf } = readers[format];
  for (let from = 0; from < bytes.length; ) {
    const to = bytes.indexOf(newline, from) + 1;
    const text = bytes.subarray(from, to);
    const line: Range = [at + from, at + to];
    if (isSpoken.some((mark) => text.includes(mark))) found.last = line;
    for (const { id, name, isResult } of mayCall.some((mark) => text.includes(mark)) ? callsOf(parsed(text)) : []) {
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

const readers: Record<Transcript['format'], { isSpoken: string[]; mayCall: string[]; callsOf: (entry: Entry) => CallOrResult[] }> = {
  CLAUDE_CODE: {
    isSpoken: ['"type":"user"', '"type":"assistant"'],
    mayCall: ['"tool_use"', '"tool_result"'],
    callsOf: ({ message }) =>
      (Array.isArray(message?.content) ? (message.content as (Block | null)[]) : []).flatMap((block): CallOrResult[] => {
        if (block?.type === 'tool_use' && typeof block.id === 'string') return [{ id: block.id, name: block.name, isResult: false }];
        return block?.type === 'tool_result' && typeof block.tool_use_id === 'string' ? [{ id: block.tool_use_id, name: null, isResult: true }] : [];
      }),
  },
  CODEX: {
    isSpoken: ['"type":"response_item"'],
    mayCall: ['"call_id"'],
    callsOf: ({ payload }) => {
      const type = /^(function|custom_tool|local_shell)_call(_output)?$/.exec(String(payload?.type));
      return type !== null && typeof payload?.call_id === 'string' ? [{ id: payload.call_id, name: null, isResult: type[2] !== undefined }] : [];
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
const inOrder = (lines: readonly Range[]): Range[] => [...new Map(lines.map((line) => [line[0], line])).values()].sort(([one], [other]) => one - other);

class Input {
  readonly #fd;
  readonly size: number;

  /** @throws Failed */
  constructor(path: string) {
    try {
      this.#fd = openSync(path, 'r');
    } catch (error) {
      throw new Failed('NO_FILE', error instanceof Error ? error.message : String(error));
    }
    this.size = fstatSync(this.#fd).size;
  }

  read(from: number, to: number): Buffer {
    const bytes = Buffer.alloc(Math.max(0, to - from));
    return bytes.subarray(0, readSync(this.#fd, bytes, 0, bytes.length, from));
  }

  close(): void {
    closeSync(this.#fd);
  }
}

