import { createClient } from 'graphql-ws';
import runtime from 'relay-runtime';
import { WebSocket } from 'ws';
import { authorization, hear, http, print, sessionId, socket } from './server.mjs';

const {
  commitMutation,
  createOperationDescriptor,
  Environment,
  fetchQuery,
  Network,
  Observable,
  RecordSource,
  requestSubscription,
  Store,
} = runtime;
const made = async (name) => (await import(`./relay/made/${name}.graphql.js`)).default;

const sockets = createClient({ url: socket, webSocketImpl: WebSocket, connectionParams: { authorization } });
const environment = new Environment({
  store: new Store(new RecordSource()),
  network: Network.create(
    async ({ text }, variables) =>
      (
        await fetch(http, {
          method: 'POST',
          headers: { 'content-type': 'application/json', authorization },
          body: JSON.stringify({ query: text, variables }),
        })
      ).json(),
    ({ text }, variables) => Observable.create((sink) => sockets.subscribe({ query: text, variables }, sink)),
  ),
});

await fetchQuery(environment, await made('documentsSessionsQuery'), { count: 1 }).toPromise();
const first = environment.getStore().getSource().get('client:root:__documents_sessions_connection');
const next = await fetchQuery(environment, await made('documentsNextSessionsQuery'), {
  count: 1,
  cursor: undefined,
}).toPromise();

// The refetch of a fragment goes through `node`.
await fetchQuery(environment, await made('documentsSessionQuery'), { id: sessionId }).toPromise();
const operation = createOperationDescriptor(await made('documentsSessionQuery'), { id: sessionId });
const stored = () => environment.getStore().getSource().get(operation.request.variables.id);

const events = hear();
const subscription = await made('documentsEventsSubscription');
requestSubscription(environment, {
  subscription,
  variables: {},
  onNext: (data) => events.put(data.handoffEvents.type),
  onError: events.fail,
});
await events.next('READY');
const mutation = await made('documentsReassignMutation');
const answer = await new Promise((onCompleted, onError) => {
  commitMutation(environment, {
    mutation,
    variables: { input: { sessionId, agentId: 'codex-1' } },
    onCompleted,
    onError,
  });
});
await events.next('HANDOFF_INITIATED');
await sockets.dispose();
print({
  queried: first !== undefined && next !== undefined && stored().version > 0,
  mutated: answer.reassignSession.__typename,
  heard: events.types,
});
