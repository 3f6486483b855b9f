import { cacheExchange, type OptimisticMutationResolver } from '@urql/exchange-graphcache';
import {
  Client,
  fetchExchange,
  makeOperation,
  mapExchange,
  subscriptionExchange,
  type CombinedError,
  type Operation,
} from 'urql';
import type { SetAgentStatusMutationVariables } from './gql/graphql.ts';
import { embeddedTypes, possibleTypes } from './gql/cacheTypes.ts';
import { createRereading, replayExchange } from './live/exchanges.ts';
import { createLive, type Live } from './live/live.ts';

/** The path of the dashboard and the API: empty, or such as `/baton`. The server writes it into the page. */
export const basePath = new URL(
  document.querySelector<HTMLMetaElement>('meta[name=base]')?.content ?? '/',
  location.origin,
).pathname.replace(/\/$/, '');

/** The dashboard is served from the same origin. */
export const endpoints = {
  graphql: `${basePath}/graphql`,
  handoffMarkdown: (id: string) => `${basePath}/handoffs/${id}.md`,
  handoffJson: (id: string) => `${basePath}/handoffs/${id}.json`,
  sessionJson: (id: string) => `${basePath}/sessions/${id}.json`,
  transcript: (session: string, query: URLSearchParams) => `${basePath}/sessions/${session}/transcript?${query}`,
};

export const authorization = (key: string | null): Record<string, string> =>
  key === null ? {} : { authorization: `Bearer ${key}` };

export interface ClientOptions {
  key: string | null;
  /** The server requires a key, or another one. */
  onUnauthenticated: () => void;
}

export interface Connected {
  client: Client;
  live: Live;
  /** Reads everything on the page again. */
  reread: () => void;
  /** Reads again what could not be read. */
  retryFailed: () => void;
}

/** Queries, mutations and events share one normalized cache: an update of a record from any of them shows everywhere. Streams share one WebSocket. */
export function connect({ key, onUnauthenticated }: ClientOptions): Connected {
  const live = createLive({ url: endpoints.graphql, key });
  const { exchange: rereading, reread, retryFailed } = createRereading();
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
  return { client, live, reread, retryFailed };
}

// Events are cached without keys, although they have ids: neither READY nor any page reads one by id. Neither have workspaces:
// the Sessions of one folder may be on different branches.
const keys = Object.fromEntries([...embeddedTypes, 'Event', 'Workspace'].map((name) => [name, () => null]));

/** Keeps the document's hash from the build. The cache sends a document of its own, so the hash is stored before. */
function noteHash(operation: Operation): Operation {
  const { __meta__: meta } = operation.query as { __meta__?: { hash?: string } };
  return meta?.hash === undefined
    ? operation
    : makeOperation(operation.kind, operation, {
        ...operation.context,
        documentHash: meta.hash.replace(/^sha256:/, ''),
      });
}

/** Sends the document's hash: a server that answers only known documents looks it up. The text is sent too, for a server of another version. */
function nameDocument(operation: Operation): Operation {
  const sha256Hash: unknown = operation.context['documentHash'];
  if (operation.kind === 'teardown' || typeof sha256Hash !== 'string') return operation;
  return {
    ...operation,
    extensions: { ...operation.extensions, persistedQuery: { version: 1, sha256Hash, miss: true } },
  };
}

/**
 * An agent's status change shows before the server confirms it, because no concurrent change can invalidate it. A reassign
 * can be rejected, so it shows only after the answer.
 */
const setAgentStatus: OptimisticMutationResolver<SetAgentStatusMutationVariables> = (
  { input: { id, status } },
  cache,
) => ({
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

/** The text of a download, for display. */
export const readText = async (path: string, key: string | null): Promise<string> => (await read(path, key)).text();

/** Saves a download. It is read with the caller's key, which never appears in a URL. */
export async function download(path: string, key: string | null): Promise<void> {
  const address = URL.createObjectURL(await (await read(path, key)).blob());
  const link = document.createElement('a');
  link.href = address;
  link.download = path.slice(path.lastIndexOf('/') + 1);
  link.click();
  // The browser has started reading it by the next task.
  setTimeout(() => URL.revokeObjectURL(address));
}

async function read(path: string, key: string | null): Promise<Response> {
  const response = await fetch(path, { headers: authorization(key) });
  if (!response.ok) throw new Error(`The download was refused (${response.status}).`);
  return response;
}
