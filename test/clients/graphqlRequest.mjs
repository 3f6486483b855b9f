import { GraphQLClient } from 'graphql-request';
import { authorization, http, input, print, reassign, sessions } from './server.mjs';

const client = new GraphQLClient(http, { headers: { authorization } });
const { sessions: page } = await client.request(sessions, { first: 1 });
const { reassignSession } = await client.request(reassign, { input });
const refused = await client.request('{ nonsense }').catch((error) => error.response.errors[0].extensions.code);
print({ queried: page.nodes.length === 1, mutated: reassignSession.__typename, refused });
