import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { ApolloClient, ApolloLink, gql, HttpLink, InMemoryCache } from '@apollo/client';
import { PersistedQueryLink } from '@apollo/client/link/persisted-queries';
import { GraphQLWsLink } from '@apollo/client/link/subscriptions';
import { buildSchema, isAbstractType, OperationTypeNode } from 'graphql';
import { createClient } from 'graphql-ws';
import { WebSocket } from 'ws';
import { authorization, events, hear, http, input, print, reassign, sessions, socket } from './server.mjs';

const sent = [];
const counting = (url, options) => {
  const { query, extensions } = JSON.parse(options.body);
  sent.push(query === undefined ? 'hash' : extensions?.persistedQuery === undefined ? 'text' : 'text and hash');
  return fetch(url, options);
};
// Without these the cache drops `... on Error`.
const schema = buildSchema(readFileSync('schema.graphql', 'utf8'));
const abstract = Object.values(schema.getTypeMap()).filter(isAbstractType);
const possibleTypes = Object.fromEntries(
  abstract.map((type) => [type.name, schema.getPossibleTypes(type).map(({ name }) => name)]),
);

const sockets = createClient({
  url: socket,
  webSocketImpl: WebSocket,
  connectionParams: { Authorization: authorization },
});
const persisted = new PersistedQueryLink({ sha256: (text) => createHash('sha256').update(text).digest('hex') });
const client = new ApolloClient({
  cache: new InMemoryCache({ possibleTypes }),
  link: ApolloLink.split(
    ({ operationType }) => operationType === OperationTypeNode.SUBSCRIPTION,
    new GraphQLWsLink(sockets),
    persisted.concat(new HttpLink({ uri: http, fetch: counting, headers: { authorization } })),
  ),
});

const first = await client.query({ query: gql(sessions), variables: { first: 1 } });
const second = await client.query({ query: gql(sessions), variables: { first: 2 } });
const heard = hear();
client
  .subscribe({ query: gql(events) })
  .subscribe({ next: ({ data }) => heard.put(data.handoffEvents.type), error: heard.fail });
await heard.next('READY');
const { data } = await client.mutate({ mutation: gql(reassign), variables: { input } });
await heard.next('HANDOFF_INITIATED');
const refused = await client.mutate({ mutation: gql(reassign), variables: { input } });
client.stop();
await sockets.dispose();
print({
  queried: first.data.sessions.nodes.length === 1 && second.data.sessions.nodes.length === 2,
  mutated: data.reassignSession.__typename,
  heard: heard.types,
  refused: refused.data.reassignSession.code,
  sent,
});
