import { mutation, type Desk } from './ask.ts';
import { answer, Refused } from './result.ts';
import { outcomesOf, sessionFields, sessionMeant, type HeldSession } from './session.ts';

/** Passing a Session on: baton_handoff and the tools of the agent. */

interface Executed {
  toolResult: { content: string };
  handoff: { id: string; deadlineAt: string; targetAgent: { id: string } };
  session: { id: string };
}
interface Advanced {
  handoff: { id: string; deadlineAt: string; targetAgent: { id: string } } | null;
  session: { id: string; status: string };
}

const executeDocument = mutation('executeHandoffTool', 'toolResult { content } handoff { id deadlineAt targetAgent { id } } session { id }');
const advanceDocument = mutation('advancePipeline', 'handoff { id deadlineAt targetAgent { id } } session { id status }');
const sessionDocument = `query ($id: ID!) { session(id: $id) { ${sessionFields} } }`;

export interface ToolCall {
  toolName: string;
  arguments: Record<string, unknown>;
  session: string | undefined;
  /** The id that the model's provider gave to the call; null when the client does not tell it. */
  callId: string | null;
}

/** A call of a handoff tool. */
export async function transfer(desk: Desk, { session, ...call }: ToolCall) {
  const sessionId = await sessionMeant(desk, session);
  const { toolResult, handoff } = await desk.mutate<Executed>(executeDocument, { sessionId, ...call });
  return answer(toolResult.content, { handoff: handoff.id, session: sessionId, target: handoff.targetAgent.id, deadlineAt: handoff.deadlineAt });
}

export interface HandOff {
  target?: string | undefined;
  outcome?: string | undefined;
  reason: string;
  summary?: string | undefined;
  variables?: Record<string, unknown> | undefined;
  payload?: unknown;
  session?: string | undefined;
}

export async function handOff(desk: Desk, { target, outcome, reason, summary, variables, payload, session }: HandOff, callId: string | null) {
  if (target !== undefined && outcome !== undefined) throw new Refused('Give target or outcome, not both.', 'BAD_USER_INPUT');
  if (outcome === undefined) {
    if (payload !== undefined) throw new Refused('payload goes with outcome. Give variables to a target instead.', 'BAD_USER_INPUT');
    if (target === undefined) throw await nowhere(desk, session);
    return transfer(desk, { toolName: `transfer_to_${target}`, arguments: { reason, ...(summary !== undefined && { summary }), ...(variables !== undefined && { variables }) }, session, callId });
  }
  if (variables !== undefined) throw new Refused('variables go with target. Give payload with an outcome instead.', 'BAD_USER_INPUT');
  const sessionId = await sessionMeant(desk, session);
  const advanced = await desk.mutate<Advanced>(advanceDocument, { sessionId, outcome, reason, summary, payload });
  const target_ = advanced.handoff?.targetAgent.id ?? null;
  const next =
    target_ !== null
      ? `'${target_}' has the session now and has to accept it. You no longer hold it: stop working on it.`
      : advanced.session.status === 'COMPLETED'
        ? 'The pipeline is completed, and the session with it.'
        : 'The session waits for an agent of the next stage. You no longer hold it: stop working on it.';
  return answer(next, { session: sessionId, outcome, target: target_, handoff: advanced.handoff?.id ?? null, status: advanced.session.status });
}

/** Says what may be given. */
async function nowhere(desk: Desk, given: string | undefined): Promise<Refused> {
  const sessionId = await sessionMeant(desk, given);
  const { session } = await desk.query<{ session: HeldSession | null }>(sessionDocument, { id: sessionId });
  const outcomes = session === null ? [] : outcomesOf(session);
  return new Refused(outcomes.length > 0 ? `Give outcome: ${outcomes.join(' or ')}.` : 'Give target: the id of the agent that goes on, as in the name of a transfer_to_ tool.', 'BAD_USER_INPUT', { outcomes });
}
