import { connect, type Socket } from 'node:net';
import { once } from 'node:events';

export interface Asked {
  url: string;
  /** Several are sent in turn. */
  body: string | readonly string[];
  /** `Authorization` headers, used in turn. */
  callers?: readonly string[];
  clients: number;
  times: number;
}

/** Posts a body over persistent connections and returns the requests per second. A status other than 200 aborts. */
export async function requestsPerSecond({ url, body, callers = [], clients, times }: Asked): Promise<number> {
  const { hostname, port, pathname, host } = new URL(url);
  const headers = callers.length === 0 ? [''] : callers.map((caller) => `authorization: ${caller}\r\n`);
  const bodies = typeof body === 'string' ? [body] : body;
  const messages = Array.from({ length: Math.max(headers.length, bodies.length) }, (_, n) => {
    const text = bodies[n % bodies.length]!;
    return Buffer.from(
      `POST ${pathname} HTTP/1.1\r\nhost: ${host}\r\ncontent-type: application/json\r\naccept: application/json\r\n${headers[n % headers.length]}content-length: ${Buffer.byteLength(text)}\r\n\r\n${text}`,
    );
  });
  const sockets = await Promise.all(Array.from({ length: clients }, () => opened(connect(Number(port), hostname))));
  let left = times;
  const started = performance.now();
  await Promise.all(
    sockets.map(async (socket, client) => {
      for (let n = client; (left -= 1) >= 0; n += clients) {
        socket.write(messages[n % messages.length]!);
        const answer = await answerOf(socket);
        if (!answer.startsWith('HTTP/1.1 200')) throw new Error(`${url} answered ${answer.slice(0, 2_000)}`);
      }
      socket.destroy();
    }),
  );
  return (times * 1_000) / (performance.now() - started);
}

async function opened(socket: Socket): Promise<Socket> {
  await once(socket, 'connect');
  return socket.setNoDelay();
}

/** Reads one answer. Node's HTTP client would use more processor time than the measured servers. */
function answerOf(socket: Socket): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    let length = 0;
    const onData = (chunk: Buffer): void => {
      text += chunk.toString('latin1');
      if (length === 0) {
        const end = text.indexOf('\r\n\r\n');
        if (end === -1) return;
        const declared = /^content-length: *(\d+)/im.exec(text.slice(0, end))?.[1];
        if (declared === undefined)
          return done(() => reject(new Error(`an answer without its length: ${text.slice(0, end)}`)));
        length = end + 4 + Number(declared);
      }
      if (text.length >= length) done(() => resolve(text));
    };
    const onEnd = (): void =>
      done(() => reject(new Error(`the server closed the connection after ${text.slice(0, 500)}`)));
    const done = (finish: () => void): void => {
      socket.off('data', onData).off('close', onEnd).off('error', onEnd);
      finish();
    };
    socket.on('data', onData).on('close', onEnd).on('error', onEnd);
  });
}
