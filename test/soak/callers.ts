import { random } from './random.ts';
import type { Answer, Connection, Mutation } from './requests.ts';

/** One request of a caller, and what came back; `answer` is null when nothing did. */
export interface Asked {
  mutation: Mutation;
  input: { idempotencyKey?: string; [field: string]: unknown };
  answer: Answer | null;
}

/** What all callers of a round work on. */
export interface Stage {
  agents: readonly string[];
  /** Grows while the round runs. */
  sessions: string[];
  /** The newest handoff that somebody heard of, by session. */
  handoffs: Map<string, string>;
}

// How often each is tried, of all that is tried.
const mix: Record<Exclude<Mutation, 'registerAgent'>, number> = {
  reassignSession: 6,
  appendTurn: 5,
  acceptHandoff: 4,
  initiateHandoff: 3,
  createSession: 2,
  recordDecision: 2,
  captureSnapshot: 1,
  completeHandoff: 1,
  rejectHandoff: 2,
  failHandoff: 1,
  cancelHandoff: 1,
  timeOutHandoff: 1,
  pauseSession: 1,
  resumeSession: 2,
};
const kinds = (Object.keys(mix) as (keyof typeof mix)[]).flatMap((kind) => Array.from({ length: mix[kind] }, () => kind));

/**
 * The next request of a caller. Which mutation, the how-manieth session and agent, and the key follow from the
 * seeds alone; which handoff is the newest depends on who was answered first.
 */
function choose(stage: Stage, dice: ReturnType<typeof random>, key: string): Omit<Asked, 'answer'> {
  const [kind, nth, agentId, coin] = [dice.pick(kinds), dice.below(1_000), dice.pick(stage.agents), dice.below(2)];
  // The first sessions of the round, so that a new one does not move the others' places.
  const sessionId = stage.sessions[nth % stage.agents.length]!;
  const handoffId = stage.handoffs.get(sessionId);
  const idempotencyKey = key;
  switch (kind) {
    case 'createSession':
      return { mutation: kind, input: { title: `Work ${key}`, agentId, idempotencyKey } };
    case 'reassignSession':
      return { mutation: kind, input: { sessionId, agentId, skipHandoff: coin === 0, reason: key, idempotencyKey } };
    case 'initiateHandoff':
      return { mutation: kind, input: { sessionId, targetAgentId: agentId, summary: key, idempotencyKey } };
    case 'recordDecision':
      return { mutation: kind, input: { sessionId, text: key, idempotencyKey } };
    case 'captureSnapshot':
      return { mutation: kind, input: { sessionId, idempotencyKey } };
    case 'pauseSession':
    case 'resumeSession':
      return { mutation: kind, input: { sessionId } };
    case 'rejectHandoff':
    case 'failHandoff':
      if (handoffId !== undefined) return { mutation: kind, input: { handoffId, reason: key } };
      break;
    case 'acceptHandoff':
    case 'completeHandoff':
    case 'cancelHandoff':
    case 'timeOutHandoff':
      if (handoffId !== undefined) return { mutation: kind, input: { handoffId } };
      break;
    case 'appendTurn':
      break;
  }
  const message = { role: coin === 0 ? 'ASSISTANT' : 'USER', content: key };
  return { mutation: 'appendTurn', input: { sessionId, messages: [message], idempotencyKey } };
}

/** Asks one request after the other until the connection breaks, and remembers what was answered. */
export async function call(connection: Connection, stage: Stage, seeds: number[], heard: (asked: Asked) => void): Promise<Asked[]> {
  const dice = random(...seeds);
  const all: Asked[] = [];
  for (let step = 0; ; step += 1) {
    const asked: Asked = { ...choose(stage, dice, [...seeds, step].join('-')), answer: null };
    all.push(asked);
    try {
      asked.answer = await connection.send(asked.mutation, asked.input);
    } catch {
      return all;
    }
    const { session, handoff } = asked.answer;
    if (session !== undefined && handoff != null) stage.handoffs.set(session.id, handoff.id);
    heard(asked);
  }
}
