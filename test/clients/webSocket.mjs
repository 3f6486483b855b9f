import { WebSocket as OfWs } from 'ws';
import { authorization, events, hear, input, print, reassign, socket } from './server.mjs';

// Node 20 has no WebSocket of its own.
const Socket = globalThis.WebSocket ?? OfWs;
const heard = hear();
const answers = hear();
const ws = new Socket(socket, 'graphql-transport-ws');
const send = (message) => ws.send(JSON.stringify(message));
ws.onopen = () => send({ type: 'connection_init', payload: { authorization } });
ws.onerror = heard.fail;
ws.onmessage = ({ data }) => {
  const { type, id, payload } = JSON.parse(data);
  if (type === 'ping') send({ type: 'pong' });
  if (type === 'connection_ack') send({ id: 'events', type: 'subscribe', payload: { query: events } });
  if (type === 'next' && id === 'events') heard.put(payload.data.handoffEvents.type);
  if (type === 'next' && id === 'reassign') answers.put(payload.data.reassignSession.__typename);
};
await heard.next('READY');
send({ id: 'reassign', type: 'subscribe', payload: { query: reassign, variables: { input } } });
await answers.next('ReassignSessionPayload');
await heard.next('HANDOFF_INITIATED');
ws.close(1000);
print({ mutated: answers.types[0], heard: heard.types });
