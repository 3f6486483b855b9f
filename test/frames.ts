import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { WebSocket, WebSocketServer } from 'ws';

/** A proxy between a socket client and a real server that damages messages as networks, proxies and bugs do. */
export interface FrameProxy {
  /** The URL to connect to. */
  url: string;
  /** Returns the replacement of a server message. */
  damage: ((message: { type: string; payload?: unknown }) => string[]) | undefined;
  /** Stops forwarding on open sockets, which stay open. */
  frozen: boolean;
  /** The number of sockets so far, and of open ones. */
  readonly seen: number;
  readonly open: number;
  /** Ends all open sockets with a close code, or abruptly. */
  cut(code?: number): void;
  close(): Promise<void>;
}

export async function frameProxy(url: () => string): Promise<FrameProxy> {
  const server = new WebSocketServer({
    port: 0,
    host: '127.0.0.1',
    handleProtocols: (protocols) => [...protocols][0] ?? false,
  });
  await once(server, 'listening');
  let seen = 0;
  server.on('connection', (near) => {
    seen += 1;
    const far = new WebSocket(`${url().replace(/^http/, 'ws')}/graphql`, near.protocol);
    const early: string[] = [];
    let stuck = false;
    far.once('open', () => {
      for (const text of early.splice(0)) far.send(text);
    });
    near.on('message', (data: Buffer) => {
      stuck ||= proxy.frozen;
      if (stuck) return;
      if (far.readyState === WebSocket.CONNECTING) early.push(data.toString());
      else far.send(data.toString());
    });
    far.on('message', (data: Buffer) => {
      stuck ||= proxy.frozen;
      if (stuck) return;
      const texts = proxy.damage?.(JSON.parse(data.toString()) as { type: string }) ?? [data.toString()];
      for (const text of texts) near.send(text);
    });
    // Codes of abnormal closure must not be sent.
    const passOn = (other: WebSocket) => (code: number, reason: Buffer) => {
      if (code >= 1000 && ![1004, 1005, 1006, 1015].includes(code)) other.close(code, reason);
      else other.terminate();
    };
    near.on('error', () => undefined).once('close', passOn(far));
    far.on('error', () => undefined).once('close', passOn(near));
  });
  const proxy: FrameProxy = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    damage: undefined,
    frozen: false,
    get seen() {
      return seen;
    },
    get open() {
      return server.clients.size;
    },
    cut(code) {
      for (const socket of server.clients) {
        if (code === undefined) socket.terminate();
        else socket.close(code, 'cut by the test');
      }
    },
    async close() {
      proxy.cut();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return proxy;
}
