import { cacheExchange, type OptimisticMutationResolver } from '@urql/exchange-graphcache';
import { Client, fetchExchange, mapExchange, type CombinedError } from 'urql';
import type { SetAgentStatusMutationVariables } from './gql/graphql.ts';
import { embeddedTypes, possibleTypes } from './gql/cacheTypes.ts';

/** Where the server is: it serves the dashboard too. */
export const endpoints = {
  graphql: '/graphql',
  /** Streams are read from here, over a WebSocket. */
  live: `${location.protocol === 'https:' ? 'wss' : 'ws'}://${location.host}/graphql`,
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

/** Reads and writes go through one normalised cache: what an event or a mutation tells of a record shows wherever the record does. */
export function createClient({ key, onUnauthenticated }: ClientOptions): Client {
  return new Client({
    url: endpoints.graphql,
    preferGetMethod: false,
    fetchOptions: () => ({ headers: authorization(key) }),
    exchanges: [
      mapExchange({
        onError(error) {
          if (isUnauthenticated(error)) onUnauthenticated();
        },
      }),
      cacheExchange({ possibleTypes, keys: Object.fromEntries(embeddedTypes.map((name) => [name, () => null])), optimistic: { setAgentStatus } }),
      fetchExchange,
    ],
  });
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
