import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/**
 * `pass` bytes on; `refuse` by closing at once; accept and stay `silent`; answer everything with bytes that nobody can
 * read (`garbage`); let connections that are open break into garbage (`spoil`).
 */
export type Mood = 'pass' | 'refuse' | 'silent' | 'garbage' | 'spoil';

export interface TcpProxy {
  port: number;
  /** From now on; connections that are open are cut, unless they are spoiled. */
  setMood(mood: Mood): void;
  close(): Promise<void>;
}

/** Stands before a server of any protocol, and stops being helpful when told to. */
export async function tcpProxy(target: number): Promise<TcpProxy> {
  const sockets = new Set<Socket>();
  let mood: Mood = 'pass';
  const server = createServer((near) => {
    keep(near);
    if (mood === 'refuse') return void near.destroy();
    if (mood === 'silent') return void near.resume();
    if (mood === 'garbage') return void near.on('data', () => near.write(randomBytes(512)));
    const far = connect(target, '127.0.0.1');
    keep(far);
    near.pipe(far);
    far.on('data', (chunk: Buffer) => near.write(mood === 'spoil' ? randomBytes(chunk.length) : chunk));
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
    setMood(next) {
      mood = next;
      if (next !== 'spoil') cut();
    },
    async close() {
      cut();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
