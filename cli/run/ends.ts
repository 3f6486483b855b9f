import { Refused, type Api } from '../../client/api/request.ts';
import type { Call } from './conversation.ts';
import type { Waiting } from './desk.ts';

const mutations = {
  pause: `mutation RunPause($input: PauseSessionInput!) { answer: pauseSession(input: $input) {
    __typename ... on Error { code message } } }`,
  complete: `mutation RunComplete($input: CompleteSessionInput!) { answer: completeSession(input: $input) {
    __typename ... on Error { code message } } }`,
};

/** Ends the work in a Session: pauses it, or completes it with its result. */
export async function endTenure(
  ask: Api,
  how: keyof typeof mutations,
  input: { sessionId: string; reason?: string; result?: unknown; summary?: string | null },
): Promise<void> {
  await ask(mutations[how], { input });
}

const handoffMutation = `mutation RunHandoff($input: ExecuteHandoffToolInput!) { executeHandoffTool(input: $input) {
  ... on ExecuteHandoffToolPayload { toolResult { content } handoff { status targetAgent { id } } }
  ... on Error { code message toolResult { content } } } }`;

/** Executes a handoff call of the recorded step. The same call again gives the first answer. */
export async function handOff(
  ask: Api,
  { sessionId, agentId }: Waiting,
  { id, name, arguments: given }: Call,
): Promise<{ error: string | null; end: string | null }> {
  try {
    const { executeHandoffTool } = await ask<{
      executeHandoffTool: { handoff: { status: string; targetAgent: { id: string } } };
    }>(handoffMutation, { input: { sessionId, agentId, toolName: name, arguments: given, callId: id } });
    const { status, targetAgent } = executeHandoffTool.handoff;
    return {
      error: null,
      end:
        status === 'PROPOSED'
          ? `waits for a person to approve the handoff to ${targetAgent.id}`
          : `handed off to ${targetAgent.id}`,
    };
  } catch (error) {
    if (!(error instanceof Refused) || error.code === 'UNAVAILABLE' || error.code === 'RATE_LIMITED') throw error;
    return { error: error.toolResult?.content ?? error.message, end: null };
  }
}

const initiateMutation = `mutation RunLimit($input: InitiateHandoffInput!) { answer: initiateHandoff(input: $input) {
  __typename ... on Error { code message } } }`;

/** Hands off to the first allowed Agent that has a place, because no model of this one answers. Null: to none. */
export async function handOffForLimit(
  ask: Api,
  { sessionId, agentId, agentSessionId }: Waiting,
  reason: string,
): Promise<string | null> {
  const { agent } = await ask<{ agent: { collaborators: { id: string; status: string }[] } | null }>(
    'query RunCollaborators($id: ID!) { agent(id: $id) { collaborators { id status } } }',
    { id: agentId },
  );
  for (const { id } of agent?.collaborators.filter(({ status }) => status === 'AVAILABLE') ?? []) {
    try {
      await ask(initiateMutation, {
        input: { sessionId, targetAgentId: id, reason, idempotencyKey: `run-limit-${agentSessionId}-${id}` },
      });
      return id;
    } catch (error) {
      if (!(error instanceof Refused) || error.code === 'UNAVAILABLE' || error.code === 'RATE_LIMITED') throw error;
    }
  }
  return null;
}
