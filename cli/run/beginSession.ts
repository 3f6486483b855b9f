import { randomUUID } from 'node:crypto';
import type { Api } from '../../client/api/request.ts';

const createMutation = `mutation AskCreate($input: CreateSessionInput!) { answer: createSession(input: $input) {
  ... on CreateSessionPayload { session { id } } ... on Error { code message } } }`;

/** Creates a Session that begins with a request, and returns its id. */
export async function beginSession(
  ask: Api,
  request: string,
  to: { agentId: string } | { pipeline: string },
): Promise<string> {
  const { session } = await ask<{ session: { id: string } }>(createMutation, {
    input: { title: titleOf(request), request, ...to, idempotencyKey: randomUUID() },
  });
  return session.id;
}

const longestTitle = 100;
function titleOf(request: string): string {
  const line = request.replaceAll(/\s+/g, ' ').trim();
  return line.length > longestTitle ? `${line.slice(0, longestTitle - 3)}...` : line;
}
