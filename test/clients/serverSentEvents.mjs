import { authorization, events, hear, http, input, print, reassign } from './server.mjs';

const ask = (query, accept, variables = {}) =>
  fetch(http, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept, authorization },
    body: JSON.stringify({ query, variables }),
  });

const heard = hear();
const response = await ask(events, 'text/event-stream');
async function read() {
  let text = '';
  for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) {
    const blocks = (text + chunk).split('\n\n');
    text = blocks.pop();
    for (const block of blocks) {
      const data = block
        .split('\n')
        .filter((line) => line.startsWith('data: '))
        .map((line) => line.slice(6))
        .join('\n');
      if (data !== '') heard.put(JSON.parse(data).data.handoffEvents.type);
    }
  }
}
read().catch(heard.fail);
await heard.next('READY');
const { data } = await (await ask(reassign, 'application/json', { input })).json();
await heard.next('HANDOFF_INITIATED');
print({ mutated: data.reassignSession.__typename, heard: heard.types });
process.exit(0);
