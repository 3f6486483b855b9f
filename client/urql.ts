import { cacheExchange, type OptimisticMutationResolver } from '@urql/exchange-graphcache';
import { Client, fetchExchange, makeOperation, mapExchange, subscriptionExchange, type CombinedError, type Operation } from 'urql';
import type { SetAgentStatusMutationVariables } from './gql/graphql.ts';
import { embeddedTypes, possibleTypes } from './gql/cacheTypes.ts';
import { createRereading, replayExchange } from './live/exchanges.ts';
import { createLive, type Live } from './live/live.ts';

/** Where the server is: it serves the dashboard too. */
export const endpoints = {
  graphql: '/graphql',
  handoffMarkdown: (id: string) => `/handoffs/${id}.md`,
  handoffJson: (id: string) => `/handoffs/${id}.json`,
  sessionJson: (id: string) => `/sessions/${id}.json`,
};

export const authorization = (key: string | null): Record<string, string> => (key === null ? {} : { authorization: `Bearer ${key}` });

export interface ClientOptions {
  key: string | null;
  /** The server wants a key, or another one. */
  onUnauthenticated: () => void;
}

export interface Connected {
  client: Client;
  live: Live;
  /** Reads again everything that the page shows. */
  reread: () => void;
}

/**
 * Reads, writes and events go through one normalised cache: what any of them tells of a record shows wherever the record
 * does. Streams come over one WebSocket.
 */
export function connect({ key, onUnauthenticated }: ClientOptions): Connected {
  const live = createLive({ url: endpoints.graphql, key });
  const { exchange: rereading, reread } = createRereading();
  const client = new Client({
    url: endpoints.graphql,
    preferGetMethod: false,
    fetchOptions: () => ({ headers: authorization(key) }),
    exchanges: [
      mapExchange({
        onOperation: noteHash,
        onError(error) {
          if (isUnauthenticated(error)) onUnauthenticated();
        },
      }),
      rereading,
      cacheExchange({ possibleTypes, keys, optimistic: { setAgentStatus } }),
      replayExchange(live, reread),
      mapExchange({ onOperation: nameDocument }),
      subscriptionExchange({ forwardSubscription: live.forward }),
      fetchExchange,
    ],
  });
  return { client, live, reread };
}

// An Event has an id, but READY and the pages have no use for it in the cache.
const keys = Object.fromEntries([...embeddedTypes, 'Event'].map((name) => [name, () => null]));

/** What the build knows each document by. The cache asks with a document of its own making, so it is noted before. */
function noteHash(operation: Operation): Operation {
  const { __meta__: meta } = operation.query as { __meta__?: { hash?: string } };
  return meta?.hash === undefined ? operation : makeOperation(operation.kind, operation, { ...operation.context, documentHash: meta.hash.replace(/^sha256:/, '') });
}

/**
 * Tells the server which of its dashboard's documents this is: one that answers only those looks it up. The text goes
 * with it, for a server of another version.
 */
function nameDocument(operation: Operation): Operation {
  const sha256Hash: unknown = operation.context['documentHash'];
  if (operation.kind === 'teardown' || typeof sha256Hash !== 'string') return operation;
  return { ...operation, extensions: { ...operation.extensions, persistedQuery: { version: 1, sha256Hash, miss: true } } };
}

/** An operator's word on an agent holds whatever else happens, so it shows before it is confirmed. A reassign may be refused: it never does. */
const setAgentStatus: OptimisticMutationResolver<SetAgentStatusMutationVariables> = ({ input: { id, status } }, cache) => ({
  __typename: 'SetAgentStatusPayload',
  agent: {
    __typename: 'Agent',
    id,
    administrativeStatus: status,
    status: status === 'AVAILABLE' && cache.resolve({ __typename: 'Agent', id }, 'freePlaces') === 0 ? 'BUSY' : status,
  },
});

export const isUnauthenticated = (error: CombinedError): boolean =>
  error.graphQLErrors.some(({ extensions }) => extensions['code'] === 'UNAUTHENTICATED');

/** What a download holds, to be shown. */
export const readText = async (path: string, key: string | null): Promise<string> => (await read(path, key)).text();

/** Gives a download to the browser: read with the caller's key, which stands in no address. */
export async function download(path: string, key: string | null): Promise<void> {
  const address = URL.createObjectURL(await (await read(path, key)).blob());
  const link = document.createElement('a');
  link.href = address;
  link.download = path.slice(path.lastIndexOf('/') + 1);
  link.click();
  // The browser has begun to read it when the next task runs.
  setTimeout(() => URL.revokeObjectURL(address));
}

async function read(path: string, key: string | null): Promise<Response> {
  const response = await fetch(path, { headers: authorization(key) });
  if (!response.ok) throw new Error(`The download was refused (${response.status}).`);
  return response;
}
