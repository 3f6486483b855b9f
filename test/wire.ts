import { connecting } from '../server/infra/postgres/client.ts';

/**
 * Reads a client's messages to PostgreSQL. Reports per chunk the executed statements and the number of requested answers
 * (one per simple query or Sync), without those of connecting.
 */
export function readFrontend(found: (statements: string[], asks: number) => void): (chunk: Buffer) => void {
  const texts = new Map<string, string>();
  let rest: Buffer = Buffer.alloc(0);
  let started = false;

  return (chunk) => {
    rest = Buffer.concat([rest, chunk]);
    const statements: string[] = [];
    let asks = 0;
    for (;;) {
      // The first message, and a TLS request before it, have no type.
      const head = started ? 1 : 0;
      if (rest.length < head + 4) break;
      const end = head + rest.readUInt32BE(head);
      if (rest.length < end) break;
      const type = started ? String.fromCharCode(rest[0] ?? 0) : '';
      const body = rest.subarray(head + 4, end);
      if (!started) started = body.readUInt32BE(0) === 196_608;
      const isConnecting = type === 'Q' && cString(body) === connecting;
      if (type === 'Q' && !isConnecting) statements.push(cString(body));
      if (type === 'P') texts.set(cString(body), cString(body, Buffer.byteLength(cString(body)) + 1));
      if (type === 'B') {
        const portal = Buffer.byteLength(cString(body)) + 1;
        statements.push(texts.get(cString(body, portal)) ?? '');
      }
      if ((type === 'Q' && !isConnecting) || type === 'S') asks += 1;
      rest = rest.subarray(end);
    }
    found(statements, asks);
  };
}

function cString(bytes: Buffer, from = 0): string {
  return bytes.toString('utf8', from, bytes.indexOf(0, from));
}
