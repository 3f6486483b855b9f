import { randomUUID } from 'node:crypto';
import type { Api } from '../../client/api/request.ts';

/** Creates a Session for a request, with the request as its first message, and returns its id. */
export async function beginSession(
  ask: Api,
  request: string,
  to: { agentId: string } | { pipeline: string },
): Promise<string> {
  const key = randomUUID();
  const { session } = await ask<{ session: { id: string } }>(createMutation, {
    input: {
      title: titleOf(request),
      ...('pipeline' in to && { pipeline: to.pipeline }),
      idempotencyKey: `ask-${key}`,
    },
  });
  await ask(requestMutation, {
    input: {
      sessionId: session.id,
      messages: [{ role: 'USER', content: request }],
      idempotencyKey: `ask-request-${key}`,
    },
  });
  // Only now does an agent get it: it must not begin without the request.
  if ('agentId' in to)
    await ask(assignMutation, {
      input: { sessionId: session.id, agentId: to.agentId, skipHandoff: true, idempotencyKey: `ask-assign-${key}` },
    });
  return session.id;
}

const createMutation = `mutation AskCreate($input: CreateSessionInput!) { answer: createSession(input: $input) {
  ... on CreateSessionPayload { session { id } } ... on Error { code message } } }`;
const requestMutation = `mutation AskRequest($input: AppendTurnInput!) { answer: appendTurn(input: $input) {
  ... on AppendTurnPayload { turn { id } } ... on Error { code message } } }`;
const assignMutation = `mutation AskAssign($input: ReassignSessionInput!) { answer: reassignSession(input: $input) {
  ... on ReassignSessionPayload { session { id } } ... on Error { code message } } }`;

const longestTitle = 100;
function titleOf(request: string): string {
  const line = request.replaceAll(/\s+/g, ' ').trim();
  return line.length > longestTitle ? `${line.slice(0, longestTitle - 3)}...` : line;
}
