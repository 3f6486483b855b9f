// What every program of this folder is given.
const { BATON_URL, BATON_KEY, SESSION_ID } = process.env;

export const http = `${BATON_URL}/graphql`;
export const socket = http.replace(/^http/, 'ws');
export const authorization = `Bearer ${BATON_KEY}`;
export const sessionId = SESSION_ID;

export const sessions = 'query Sessions($first: Int!) { sessions(first: $first) { nodes { id title agent { id } } } }';
export const reassign =
  'mutation Reassign($input: ReassignSessionInput!) { reassignSession(input: $input) { __typename ... on ReassignSessionPayload { session { id version } } ... on Error { code message } } }';
export const events = 'subscription Events { handoffEvents { type session { id title } } }';
export const input = { sessionId, agentId: 'codex-1' };

/** Collects the types of events until the one that is waited for. Heartbeats are left out. */
export function hear() {
  const types = [];
  let arrived = () => undefined;
  let failed = () => undefined;
  return {
    types,
    put(type) {
      if (type !== 'HEARTBEAT') types.push(type);
      arrived();
    },
    fail: (error) => failed(error),
    async next(type) {
      while (!types.includes(type)) {
        await new Promise((resolve, reject) => {
          arrived = resolve;
          failed = reject;
        });
      }
    },
  };
}

export const print = (result) => process.stdout.write(`${JSON.stringify(result)}\n`);
