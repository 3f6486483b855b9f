import { randomBytes, randomInt } from 'node:crypto';
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/**
 * `pass`: forward bytes; `refuse`: close at once; `silent`: accept without answering; `garbage`: answer nonsense; `spoil`:
 * inject nonsense into open connections.
 */
export type Mood = 'pass' | 'refuse' | 'silent' | 'garbage' | 'spoil';

export interface TcpProxy {
  port: number;
  /** Applies from now on. Open connections are cut, except by `spoil`. */
  setMood(mood: Mood): void;
  /** Cuts open connections, and forwards the next ones to this port. */
  aim(port: number): void;
  /** The number of nonsense answers. */
  readonly garbled: number;
  close(): Promise<void>;
}

// Valid Redis protocol, but an answer to no command.
const nonsense = [
  ':1',
  '_',
  '*0',
  '*-1',
  '*1\r\n$-1',
  '>0',
  '>1\r\n_',
  '>2\r\n+message\r\n_',
  '>3\r\n+message\r\n_\r\n_',
  '>3\r\n+subscribe\r\n_\r\n_',
  '+OK',
  '-ERR no',
  '$5\r\nhello',
  '%1\r\n+a\r\n+b',
];

/** Cycles through the kinds of nonsense, so that a connection soon gets one that ends it. */
function createGarbage(): () => Buffer {
  let n = 0;
  return () => {
    const text = nonsense[n % (nonsense.length + 1)];
    n += 1;
    return text === undefined ? randomBytes(1 + randomInt(512)) : Buffer.from(`${text}\r\n`.repeat(3));
  };
}

/** A proxy in front of Redis or PostgreSQL that misbehaves on request. */
export async function tcpProxy(target: number): Promise<TcpProxy> {
  const sockets = new Set<Socket>();
  let mood: Mood = 'pass';
  let garbled = 0;
  const nextGarbage = createGarbage();
  const garbage = (): Buffer => {
    garbled += 1;
    return nextGarbage();
  };
  const server = createServer((near) => {
    keep(near);
    if (mood === 'refuse') return void near.destroy();
    if (mood === 'silent') return void near.resume();
    if (mood === 'garbage') return void near.on('data', () => near.write(garbage()));
    const far = connect(target, '127.0.0.1');
    keep(far);
    near.pipe(far);
    far.on('data', (chunk: Buffer) => near.write(mood === 'spoil' ? garbage() : chunk));
    near.once('close', () => far.destroy());
    far.once('close', () => near.destroy());
  });
  function keep(socket: Socket): void {
    sockets.add(socket);
    socket.on('error', () => undefined).once('close', () => sockets.delete(socket));
  }
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const cut = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    port: (server.address() as AddressInfo).port,
    get garbled() {
      return garbled;
    },
    setMood(next) {
      mood = next;
      if (next !== 'spoil') cut();
    },
    aim(port) {
      target = port;
      cut();
    },
    async close() {
      cut();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
