import { print as textOf } from 'graphql';
import { initGraphQLTada, type ResultOf, type VariablesOf } from 'gql.tada';
import type { introspection } from './made/introspection.d.ts';
import { authorization, http, print, sessionId } from './server.mjs';

const graphql = initGraphQLTada<{ introspection: introspection; scalars: { DateTime: string; JSON: unknown } }>();

const holder = graphql(`
  fragment Holder on Session {
    agent {
      id
      status
    }
  }
`);
const sessions = graphql(
  `
    query Sessions($first: Int!) {
      sessions(first: $first) {
        nodes {
          id
          createdAt
          ...Holder
        }
      }
    }
  `,
  [holder],
);
const reassign = graphql(`
  mutation Reassign($input: ReassignSessionInput!) {
    reassignSession(input: $input) {
      __typename
      ... on AgentAtCapacityError {
        maxCapacity
      }
    }
  }
`);

async function ask<Document extends typeof sessions | typeof reassign>(
  document: Document,
  variables: VariablesOf<Document>,
): Promise<ResultOf<Document>> {
  const body = JSON.stringify({ query: textOf(document), variables });
  const answer = await fetch(http, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization },
    body,
  });
  return ((await answer.json()) as { data: ResultOf<Document> }).data;
}

const page = await ask(sessions, { first: 1 });
const createdAt: string | undefined = page.sessions.nodes[0]?.createdAt;
const { reassignSession: answer } = await ask(reassign, { input: { sessionId: sessionId!, agentId: 'codex-1' } });
if (answer.__typename === 'AgentAtCapacityError') answer.maxCapacity satisfies number;
// @ts-expect-error The schema has no such field.
void page.sessions.nodes[0]?.nonsense;
print({ queried: createdAt !== undefined, mutated: answer.__typename });
