import { Agent, request } from 'node:http';
import { text } from 'node:stream/consumers';

// The selection of each mutation: ids, and the fields that an idempotency key repeats unchanged.
const handoffChange = 'handoff { id } session { id version }';
const payloads = {
  registerAgent: 'agent { id }',
  createSession: 'session { id version }',
  reassignSession:
    'handoffCreated message previousAgentType handoff { id } previousAgent { id } assignedAgent { id } session { id version }',
  initiateHandoff: handoffChange,
  appendTurn: 'turn { id } session { id version }',
  recordDecision: 'decision { id } session { id version }',
  captureSnapshot: 'snapshot { id } session { id version }',
  acceptHandoff: handoffChange,
  completeHandoff: handoffChange,
  rejectHandoff: handoffChange,
  failHandoff: handoffChange,
  cancelHandoff: handoffChange,
  timeOutHandoff: handoffChange,
  pauseSession: 'session { id version }',
  resumeSession: 'session { id version }',
} as const;
export type Mutation = keyof typeof payloads;

type Node = { id: string };

/** A payload, or a refusal's `code` from the union or the top level. */
export interface Answer {
  code?: string;
  message?: string;
  session?: Node & { version: number };
  handoff?: Node | null;
  turn?: Node;
  decision?: Node;
  snapshot?: Node;
  handoffCreated?: boolean;
  previousAgentType?: string | null;
  previousAgent?: Node | null;
  assignedAgent?: Node;
}

export interface Connection {
  /** Rejects when the connection breaks before the whole answer has arrived. */
  send(mutation: Mutation, input: object): Promise<Answer>;
  close(): void;
}

/** Counts the requests sent completely and not answered yet. */
export interface InFlight {
  count: number;
}

/** A persistent connection; `key` is sent with each request. */
export function connection(url: string, inFlight: InFlight, key?: string): Connection {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });

  function post(body: string): Promise<string> {
    return new Promise((resolve, reject) => {
      let out = false;
      const over = (): void => {
        if (out) inFlight.count -= 1;
        out = false;
      };
      const outgoing = request(
        `${url}/graphql`,
        {
          agent,
          method: 'POST',
          headers: { 'content-type': 'application/json', ...(key !== undefined && { authorization: `Bearer ${key}` }) },
        },
        (response) => {
          text(response).finally(over).then(resolve, reject);
        },
      );
      outgoing.once('finish', () => {
        out = true;
        inFlight.count += 1;
      });
      outgoing.once('error', (error) => {
        over();
        reject(error);
      });
      outgoing.end(body);
    });
  }

  return {
    async send(mutation, input) {
      const name = `${mutation.charAt(0).toUpperCase()}${mutation.slice(1)}`;
      const query = `mutation ($input: ${name}Input!) { answer: ${mutation}(input: $input) { ... on Error { code message } ... on ${name}Payload { ${payloads[mutation]} } } }`;
      const { data, errors } = JSON.parse(await post(JSON.stringify({ query, variables: { input } }))) as {
        data?: { answer: Answer } | null;
        errors?: { message: string; extensions: { code: string } }[];
      };
      const [error] = errors ?? [];
      // A payload whose records could not be read comes without them, and with an error: it tells nothing of what its key repeats.
      return error === undefined && data != null
        ? data.answer
        : { code: error?.extensions.code ?? 'NO_ANSWER', message: error?.message ?? '' };
    },
    close: () => agent.destroy(),
  };
}
