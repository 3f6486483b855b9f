import { randomUUID } from 'node:crypto';
import type { Api } from '../../client/api/request.ts';

const createMutation = `mutation AskCreate($input: CreateSessionInput!) { answer: createSession(input: $input) {
  ... on CreateSessionPayload { session { id choice { agent { id } confidence explanation } } } ... on Error { code message } } }`;

/** Which agent begins: the named one, one of a pipeline, or the best of some. */
export type Beginner = { agentId: string } | { pipeline: string } | { choose: true; chooseFrom: readonly string[] };

export interface Begun {
  id: string;
  /** Null unless the agent was chosen. */
  choice: { agent: { id: string }; confidence: number; explanation: string } | null;
}

/** Creates a Session that begins with a request. */
export async function beginSession(ask: Api, request: string, to: Beginner): Promise<Begun> {
  const { session } = await ask<{ session: Begun }>(createMutation, {
    input: { title: titleOf(request), request, ...to, idempotencyKey: randomUUID() },
  });
  return session;
}

const longestTitle = 100;
function titleOf(request: string): string {
  const line = request.replaceAll(/\s+/g, ' ').trim();
  return line.length > longestTitle ? `${line.slice(0, longestTitle - 3)}...` : line;
}
