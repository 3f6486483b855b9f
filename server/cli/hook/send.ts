import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { Failed, post, type Server } from './request.ts';
import { isEnded, isHeldBy, lastSessionOf, sessionOf, type Session } from './session.ts';
import type { StateFile } from './state.ts';
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
  /** End of the turn that ended; null while it runs: then it is sent once more when it ends, with the results of its calls. */
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
    if (state.sentTo > input.size) state = { ...state, from: 0, sentTo: 0, taskLines: [] };
    const end = Math.min(turnEnd ?? input.size, input.size);
    if (end > state.sentTo || handsOff || compacts) {
      const last = state.handedOff === null && !ends ? null : await lastSessionOf(server, work, signal);
      if (last !== null && isEnded(last)) {
        // This turn ended the session: the rest of it belongs to no session. The last words of a conversation begin none.
        if (last.id === state.handedOff) file.write({ ...state, sentTo: end, ...(turnEnd !== null && { from: end, taskLines: [], handedOff: null }) });
        if (last.id === state.handedOff || ends) return null;
      }
      const session = await sessionOf(server, agent, work, signal);
      if (session === null) return 'another agent holds the session';
      // The rest of the turn that handed off belongs to the tenure that it ended.
      const isRest = state.handedOff === session.id;
      if (!isHeldBy(agent, session) && !isRest && !isOfTenure) return whyNot(agent, session);
      const query = new URLSearchParams({ format: transcript.format, agentId: agent });
      if (handsOff) state = { ...state, handedOff: session.id };
      for (let part = partAfter(input, state.from, end); part !== null; part = partAfter(input, part.to, end)) {
        const tasks = transcript.format === 'CLAUDE_CODE' ? taskLinesIn(part) : [];
        const body = tasks.length === 0 ? part.bytes : Buffer.concat([...state.taskLines.map((range) => input.read(...range)), part.bytes]);
        await post(server, `/sessions/${session.id}/transcript?${query}`, 'application/x-ndjson', body, signal);
        const isWhole = turnEnd !== null || part.to < end;
        state = { ...state, sentTo: part.to, ...(isWhole && { from: part.to, taskLines: [...state.taskLines, ...tasks] }) };
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

/**
 * The lines that create or change single tasks, and their results. Baton reads the list of tasks from all of them, so that
 * earlier ones are sent again with new ones: it knows them and adds nothing.
 */
function taskLinesIn({ at, bytes }: Part): [number, number][] {
  if (!bytes.includes('"name":"TaskCreate"') && !bytes.includes('"name":"TaskUpdate"')) return [];
  const found: [number, number][] = [];
  const ids: string[] = [];
  for (let from = 0; from < bytes.length; ) {
    const to = bytes.indexOf(newline, from) + 1;
    const line = bytes.subarray(from, to);
    const isChange = line.includes('"name":"TaskCreate"') || line.includes('"name":"TaskUpdate"');
    if (isChange) for (const [, id] of line.toString().matchAll(/"id":"([^"]+)","name":"Task(?:Create|Update)"/g)) ids.push(id!);
    if (isChange || ids.some((id) => line.includes(`"tool_use_id":"${id}"`))) found.push([at + from, at + to]);
    from = to;
  }
  return found;
}

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

