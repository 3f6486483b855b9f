import { unwrapped } from '../../core/json.ts';
import { mutation, type Desk } from './ask.ts';
import { takesBack } from './proposals.ts';
import { answer, Refused } from './result.ts';
import { demandRecorded, outcomesOf, sessionFields, sessionMeant, type HeldSession } from './session.ts';

/** Passing a Session on: baton_handoff and the tools of the agent. */

interface Executed {
  toolResult: { content: string };
  handoff: { id: string; status: string; deadlineAt: string; targetAgent: { id: string } };
  session: { id: string };
}
interface Advanced {
  handoff: { id: string; status: string; deadlineAt: string; targetAgent: { id: string } } | null;
  session: { id: string; status: string };
}

const executeDocument = mutation(
  'executeHandoffTool',
  'toolResult { content } handoff { id status deadlineAt targetAgent { id } } session { id }',
  '... on UnknownHandoffTargetError { candidates { id name why } }',
);
const advanceDocument = mutation(
  'advancePipeline',
  'handoff { id status deadlineAt targetAgent { id } } session { id status }',
  '... on InvalidPayloadError { schema }',
);
const completeDocument = mutation('completeSession', 'session { id status }');
const failDocument = mutation('failSession', 'session { id status }');
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
  await demandRecorded(desk, sessionId, session);
  const { toolResult, handoff } = await desk.mutate<Executed>(executeDocument, { sessionId, ...call });
  const back = handoff.status === 'PROPOSED' ? ` Until then ${takesBack(handoff.id)}.` : '';
  return answer(`${toolResult.content}${back}`, {
    handoff: handoff.id,
    status: handoff.status,
    session: sessionId,
    target: handoff.targetAgent.id,
    deadlineAt: handoff.deadlineAt,
  });
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

export async function handOff(
  desk: Desk,
  { target, outcome, reason, summary, variables, payload, session }: HandOff,
  callId: string | null,
) {
  if (target !== undefined && outcome !== undefined)
    throw new Refused('Give target or outcome, not both.', 'BAD_USER_INPUT');
  if (outcome === undefined) {
    if (payload !== undefined)
      throw new Refused('payload goes with outcome. Give variables to a target instead.', 'BAD_USER_INPUT');
    if (target === undefined) throw await nowhere(desk, session);
    return transfer(desk, {
      // As people write it: " @ada".
      toolName: `transfer_to_${target.trim().replace(/^@/, '')}`,
      arguments: { reason, ...(summary !== undefined && { summary }), ...(variables !== undefined && { variables }) },
      session,
      callId,
    });
  }
  const sessionId = await sessionMeant(desk, session);
  await demandRecorded(desk, sessionId, session);
  if (!(await isInStage(desk, sessionId))) {
    if (variables !== undefined)
      throw new Refused('The session ends with this outcome: give payload instead of variables.', 'BAD_USER_INPUT');
    return end(desk, { outcome, reason, summary, payload, sessionId });
  }
  const advanced = await desk.mutate<Advanced>(advanceDocument, {
    sessionId,
    outcome,
    reason,
    summary,
    payload,
    contextVariables: variables,
  });
  const target_ = advanced.handoff?.targetAgent.id ?? null;
  const isProposed = advanced.handoff?.status === 'PROPOSED';
  const next = isProposed
    ? `A person has to approve the handoff to '${target_}' first. You hold the session until then. End your turn: you are told what was decided before your next prompt. Until then ${takesBack(advanced.handoff?.id)}.`
    : target_ !== null
      ? `'${target_}' has the session now and has to accept it. You no longer hold it: stop working on it.`
      : advanced.session.status === 'COMPLETED'
        ? 'The pipeline is completed, and the session with it.'
        : 'The session waits for an agent of the next stage. You no longer hold it: stop working on it.';
  return answer(next, {
    session: sessionId,
    outcome,
    target: target_,
    handoff: advanced.handoff?.id ?? null,
    status: advanced.session.status,
  });
}

async function isInStage({ query }: Desk, id: string): Promise<boolean> {
  const { session } = await query<{ session: HeldSession | null }>(sessionDocument, { id });
  // One that may not be read is refused by the API.
  return session === null || session.pipeline?.stage != null;
}

/** Ends a Session that is in no pipeline. */
async function end(
  desk: Desk,
  {
    outcome,
    reason,
    summary,
    payload,
    sessionId,
  }: Pick<HandOff, 'reason' | 'summary' | 'payload'> & { outcome: string; sessionId: string },
) {
  if (outcome === 'COMPLETED') {
    await desk.mutate(completeDocument, { sessionId, summary: summary ?? reason, result: unwrapped(payload) });
    return answer('The session is completed. You no longer hold it: stop working on it.', {
      session: sessionId,
      outcome,
      target: null,
      handoff: null,
      status: outcome,
    });
  }
  if (outcome !== 'FAILED')
    throw new Refused(
      'The session is in no pipeline. Give outcome COMPLETED or FAILED to end it, or target to pass it on.',
      'BAD_USER_INPUT',
      { outcomes: ['COMPLETED', 'FAILED'] },
    );
  if (payload !== undefined)
    throw new Refused('A failed session has no payload: put it into summary.', 'BAD_USER_INPUT');
  await desk.mutate(failDocument, { sessionId, reason: summary === undefined ? reason : `${reason}\n\n${summary}` });
  return answer('The session has failed. You no longer hold it: stop working on it.', {
    session: sessionId,
    outcome,
    target: null,
    handoff: null,
    status: outcome,
  });
}

/** Says what may be given. */
async function nowhere(desk: Desk, given: string | undefined): Promise<Refused> {
  const sessionId = await sessionMeant(desk, given);
  const { session } = await desk.query<{ session: HeldSession | null }>(sessionDocument, { id: sessionId });
  const outcomes = session === null ? [] : outcomesOf(session);
  return new Refused(
    outcomes.length > 0
      ? `Give outcome: ${outcomes.join(' or ')}.`
      : 'Give target: the agent that goes on, as in the name of a transfer_to_ tool. To end the session, give outcome COMPLETED or FAILED.',
    'BAD_USER_INPUT',
    { outcomes },
  );
}
