import { Input, partAfter } from './input.ts';
import { inOrder, linesIn, type Transcript } from './lines.ts';
import { post, type Server } from './request.ts';
import { isEnded, isHeldBy, lastSessionOf, placeOnce, sessionOf, type Session } from './session.ts';
import { newState, type StateFile, type TranscriptState } from './state.ts';
import type { Work } from './work.ts';

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

export interface Sent {
  /** Why nothing was written; null: what was new is written. */
  refusal: string | null;
  /** As it was found for this; null: not asked for. */
  session: Session | null;
}

/** Imports what is new in a transcript. @throws Failed */
export async function sendNew(file: StateFile, sending: Sending, signal: AbortSignal): Promise<Sent> {
  const { server, agent, work, turnEnd, handsOff, compacts, ends, isOfTenure = false } = sending;
  const input = new Input(sending.transcript.path);
  try {
    let state = stateOf(file, input);
    const end = Math.min(turnEnd ?? input.size, input.size);
    let session: Session | null = null;
    if (end > state.sentTo || handsOff || compacts) {
      const last = await lastSessionOf(server, work, signal);
      if ((state.handedOff !== null || ends) && last !== null && isEnded(last)) {
        // This turn ended the session: the rest of it belongs to no session. The last words of a conversation begin none.
        const isOfTurn = last.id === state.handedOff;
        if (isOfTurn)
          file.write({
            ...state,
            sentTo: end,
            ...(turnEnd !== null && { ...atTurnEnd, from: end, taskLines: [], handedOff: null }),
          });
        if (isOfTurn || ends) return { refusal: null, session: last };
      }
      session = await sessionOf(server, agent, work, last, signal);
      if (session === null) return { refusal: 'another agent holds the session', session };
      // The rest of the turn that handed off belongs to the tenure that it ended.
      const isRest = state.handedOff === session.id;
      if (!isHeldBy(agent, session) && !isRest && !isOfTenure) return { refusal: whyNot(agent, session), session };
      if (isHeldBy(agent, session)) await placeOnce(server, session, work, signal);
      if (handsOff) {
        // Before the parts: the handoff may go on before all of them have arrived.
        state = { ...state, handedOff: session.id };
        file.write(state);
      }
      state = await upload({ input, end, file, before: state, sending, session }, signal);
      // After what is new, and also without anything new.
      if (compacts && !isRest)
        await post(server, `${uploadsOf(session, sending)}&windowFull=true`, 'application/x-ndjson', '', signal);
    }
    if (turnEnd !== null && state.handedOff !== null) file.write({ ...state, handedOff: null });
    return { refusal: null, session };
  } finally {
    input.close();
  }
}

const atTurnEnd = { openCalls: {}, last: null };

/** A transcript that became shorter is another one. */
function stateOf(file: StateFile, { size }: Input): TranscriptState {
  const state = file.read();
  return state.sentTo > size ? { ...newState, handedOff: state.handedOff } : state;
}

interface Upload {
  input: Input;
  /** End of what is sent. */
  end: number;
  file: StateFile;
  before: TranscriptState;
  sending: Sending;
  session: Session;
}

/** Sends what is new in parts, each with the earlier lines that it needs. What arrived is remembered after each part. @throws Failed */
async function upload(
  { input, end, file, before, sending, session }: Upload,
  signal: AbortSignal,
): Promise<TranscriptState> {
  let state = before;
  for (let part = partAfter(input, state.from, end); part !== null; part = partAfter(input, part.to, end)) {
    const found = linesIn(part, sending.transcript.format, state.openCalls);
    const earlier = [
      ...(found.taskLines.length > 0 ? state.taskLines : []),
      ...Object.values(state.openCalls).map(({ line }) => line),
      ...(state.last === null ? [] : [state.last]),
    ];
    const body = Buffer.concat([...inOrder(earlier).map((line) => input.read(...line)), part.bytes]);
    await post(sending.server, uploadsOf(session, sending), 'application/x-ndjson', body, signal);
    const isEnd = sending.turnEnd !== null && part.to >= end;
    const rest = isEnd ? atTurnEnd : { openCalls: found.openCalls, last: found.last ?? state.last };
    state = { ...state, ...rest, from: part.to, sentTo: part.to, taskLines: [...state.taskLines, ...found.taskLines] };
    file.write(state);
  }
  return state;
}

/** A tool that was killed leaves a damaged line in a transcript that goes on. */
const uploadsOf = ({ id }: Session, { agent, transcript }: Sending): string =>
  `/sessions/${id}/transcript?${new URLSearchParams({ format: transcript.format, agentId: agent, skipDamaged: 'true' })}`;

function whyNot(agent: string, { id, agent: holder }: Session): string {
  if (holder?.id === agent) return `agent '${agent}' has not accepted the handoff of session ${id} yet`;
  return `${holder === null ? 'no agent' : `agent '${holder.id}'`} holds session ${id}`;
}
