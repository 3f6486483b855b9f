// Preloaded into a server: prints at each SIGUSR2, as JSON, what keeps its event loop busy, and how many listeners the emitters
// have that were there at the first time.
import { EventEmitter } from 'node:events';

const known = new Set();
const remember = (emitter) => {
  // These come and go with their connections.
  if (!/Socket|Client|Connection|Stream|Message|Response|Request|Read|Writ|Pipe/.test(emitter.constructor?.name ?? ''))
    known.add(new WeakRef(emitter));
};
const seen = new WeakSet();
for (const name of ['on', 'addListener', 'prependListener', 'once']) {
  const add = EventEmitter.prototype[name];
  EventEmitter.prototype[name] = function (...args) {
    if (lasting === null && !seen.has(this)) {
      seen.add(this);
      remember(this);
    }
    return add.apply(this, args);
  };
}

let lasting = null;

process.on('SIGUSR2', () => {
  const counts = {};
  for (const kind of process.getActiveResourcesInfo()) counts[kind] = (counts[kind] ?? 0) + 1;
  lasting ??= [...known].flatMap((each) => each.deref() ?? []).concat(process, process.stdout, process.stderr);
  const listeners = {};
  for (const emitter of new Set(lasting))
    for (const event of emitter.eventNames()) {
      const name = `${emitter.constructor.name} ${String(event)}`;
      listeners[name] = (listeners[name] ?? 0) + emitter.listenerCount(event);
    }
  process.stdout.write(`${JSON.stringify({ activeResources: counts, listeners })}\n`);
});
