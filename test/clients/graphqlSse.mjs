import { createClient } from 'graphql-sse';
import { authorization, events, hear, http, input, print, reassign } from './server.mjs';

const client = createClient({ url: http, headers: { authorization } });
const heard = hear();
client.subscribe(
  { query: events },
  { next: ({ data }) => heard.put(data.handoffEvents.type), error: heard.fail, complete: () => undefined },
);
await heard.next('READY');
const mutated = await new Promise((resolve, reject) => {
  client.subscribe(
    { query: reassign, variables: { input } },
    { next: ({ data }) => resolve(data.reassignSession.__typename), error: reject, complete: () => undefined },
  );
});
await heard.next('HANDOFF_INITIATED');

// The mode in which all operations share one connection, which the client reserves by a PUT.
const single = createClient({ url: http, headers: { authorization }, singleConnection: true, retryAttempts: 0 });
const refused = await new Promise((resolve) => {
  single.subscribe(
    { query: events },
    { next: resolve, error: ({ response }) => resolve(response?.status), complete: () => undefined },
  );
});
print({ mutated, heard: heard.types, refused });
process.exit(0);
