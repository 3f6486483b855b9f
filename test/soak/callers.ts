import { random } from './random.ts';
import type { Answer, Connection, Mutation } from './requests.ts';

/** A caller's request and its answer; `answer` is null when there was none. */
export interface Asked {
  mutation: Mutation;
  input: { idempotencyKey?: string; [field: string]: unknown };
  answer: Answer | null;
}

/** The records shared by all callers of a round. */
export interface Stage {
  agents: readonly string[];
  /** Grows during the round. */
  sessions: string[];
  /** The newest known handoff of each session. */
  handoffs: Map<string, string>;
}

// The relative frequency of each mutation.
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
const kinds = (Object.keys(mix) as (keyof typeof mix)[]).flatMap((kind) =>
  Array.from({ length: mix[kind] }, () => kind),
);

/**
 * A caller's next request. The seeds alone determine the mutation, the session's and agent's indexes and the key; the newest
 * handoff depends on the order of answers.
 */
function choose(stage: Stage, dice: ReturnType<typeof random>, key: string): Omit<Asked, 'answer'> {
  const [kind, nth, agentId, coin] = [dice.pick(kinds), dice.below(1_000), dice.pick(stage.agents), dice.below(2)];
  // Only the round's first sessions, so that new ones do not shift the indexes.
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

/** Sends requests one after the other until the connection breaks, and records the answers. */
export async function call(
  connection: Connection,
  stage: Stage,
  seeds: number[],
  heard: (asked: Asked) => void,
): Promise<Asked[]> {
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
