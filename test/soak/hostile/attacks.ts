import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { request } from 'node:http';
import { connect } from 'node:net';
import { Readable } from 'node:stream';
import { WebSocket } from 'ws';
import { newSecret } from '../../../server/work/keys/secret.ts';
import type { Attack, Target } from './attack.ts';
import { ask, frame, handSocket, open, pause, postHead, unread } from './wire.ts';

const range = (length: number): number[] => Array.from({ length }, (_, n) => n);

/** Repeats one request, several at once, with all keys in turn. */
const asking =
  (query: (target: Target, nth: number) => string, atOnce = 4): Attack =>
  async (target, count, signal) => {
    let nth = 0;
    await Promise.all(
      range(atOnce).map(async () => {
        while (!signal.aborted) {
          nth += 1;
          const answer = await ask(target.url, target.keys[nth % target.keys.length]!, query(target, nth), signal);
          if (!signal.aborted) count(answer);
          await pause(answer.startsWith('429') ? 500 : 20, signal);
        }
      }),
    );
  };

/** Fragments that each spread the next one twice: 2^levels fields in a few hundred tokens. */
const doubling = (levels: number): string =>
  range(levels)
    .map((n) => `fragment F${n} on Agent { ${n === levels - 1 ? 'id type' : `...F${n + 1} ...F${n + 1}`} }`)
    .join(' ');

const spreads = '...F0 '.repeat(370);

/** Subscribes as often as a socket allows, and reconnects when the server ends it. */
const subscribing =
  (queries: (target: Target, nth: number) => string[]): Attack =>
  async (target, count, signal) => {
    for (let nth = 0; !signal.aborted; nth += 1) {
      const ws = new WebSocket(`${target.url.replace('http', 'ws')}/graphql`, 'graphql-transport-ws', {
        perMessageDeflate: false,
      });
      ws.on('error', () => undefined);
      const closed = once(ws, 'close', { signal }).then(
        ([code]) => count(`socket closed ${code}`),
        () => undefined,
      );
      ws.on('open', () =>
        ws.send(
          JSON.stringify({
            type: 'connection_init',
            payload: { authorization: `Bearer ${target.keys[nth % target.keys.length]}` },
          }),
        ),
      );
      ws.on('message', (data: Buffer) => {
        const { type, payload } = JSON.parse(data.toString()) as {
          type: string;
          payload?: { errors?: { extensions?: { code: string } }[] } & { extensions?: { code: string } }[];
        };
        if (type === 'connection_ack')
          queries(target, nth).forEach((query, id) =>
            ws.send(JSON.stringify({ id: String(id), type: 'subscribe', payload: { query } })),
          );
        const code = payload?.errors?.[0]?.extensions?.code ?? payload?.[0]?.extensions?.code;
        if (code !== undefined) count(code);
      });
      await Promise.race([closed, pause(2_000, signal)]);
      ws.terminate();
      await pause(100, signal);
    }
  };

/** Opens the maximum number of connections that request something large and do not read it. */
const notReading =
  (atOnce: number, head: (target: Target, key: string) => string): Attack =>
  async (target, count, signal) => {
    await Promise.all(
      range(atOnce).map(async (n) => {
        while (!signal.aborted) {
          const key = target.keys[n % target.keys.length]!;
          count(await unread(target.url, head(target, key), signal));
          await pause(500, signal);
        }
      }),
    );
  };

const largePage = (id: string): string => `{ session(id: "${id}") { messages(first: 100) { nodes { content } } } }`;

/** A unique line of a 60 MB transcript. */
const line = (n: number): string =>
  `${JSON.stringify({ type: 'user', uuid: randomBytes(16).toString('hex'), sessionId: 'upload', timestamp: new Date(1_767_225_600_000 + n).toISOString(), isSidechain: false, message: { role: 'user', content: `Line ${n} ${'of plain words '.repeat(2_000)}` } })}\n`;

function* transcript(bytes: number): Generator<string> {
  for (let sent = 0, n = 0; sent < bytes; n += 1) {
    const next = line(n);
    sent += next.length;
    yield next;
  }
}

/** Uploads of 60 MB, twenty at once. */
const uploading: Attack = async (target, count, signal) => {
  await Promise.all(
    range(20).map(async (n) => {
      while (!signal.aborted) {
        const outgoing = request(`${target.url}/sessions/${target.uploadSessionId}/transcript?format=CLAUDE_CODE`, {
          agent: false,
          method: 'POST',
          signal,
          headers: {
            authorization: `Bearer ${target.keys[n % target.keys.length]}`,
            'content-type': 'application/x-ndjson',
          },
        });
        const answered = once(outgoing, 'response').then(
          ([response]: { statusCode: number; resume(): void }[]) => {
            response!.resume();
            return String(response!.statusCode);
          },
          (error: { code?: string }) => error.code ?? 'broken off',
        );
        Readable.from(transcript(60_000_000))
          .on('error', () => undefined)
          .pipe(outgoing);
        const answer = await answered;
        outgoing.destroy();
        if (!signal.aborted) count(answer);
        await pause(answer === '200' ? 100 : 1_000, signal);
      }
    }),
  );
};

/** Sends a message in one-byte fragments, with pongs in between that fill each chunk read by the server, which pins its memory. */
const fragments: Attack = async (target, count, signal) => {
  const pongs = Buffer.concat(range(500).map(() => frame(0x8a, Buffer.alloc(125))));
  await Promise.all(
    range(3).map(async (n) => {
      while (!signal.aborted) {
        const socket = await handSocket(target.url, target.keys[n % target.keys.length]!, signal);
        let sent = 0;
        for (; !signal.aborted && !socket.destroyed && sent < 16_000; sent += 1) {
          if (!socket.write(Buffer.concat([frame(sent === 0 ? 0x01 : 0x00, Buffer.from('a')), pongs])))
            await Promise.race([once(socket, 'drain'), once(socket, 'close')]).catch(() => undefined);
        }
        if (!signal.aborted) count(socket.destroyed ? 'socket closed' : 'socket kept');
        socket.destroy();
        await pause(200, signal);
      }
    }),
  );
};

/** Guesses well-formed credentials, from the address that all callers share. */
const guessing: Attack = async (target, count, signal) => {
  const { hostname, port } = new URL(target.url);
  const guess = (): string => postHead('/graphql', newSecret(), '{"query": "{ viewer { role } }"}');
  await Promise.all(
    range(300).map(async () => {
      while (!signal.aborted) {
        const socket = connect({ host: hostname, port: Number(port), signal });
        socket.on('error', () => undefined);
        socket.setEncoding('latin1');
        // Sends the next guess on each answer, so that each connection always has one pending.
        socket.on('data', (text: string) => {
          const status = /^HTTP\/1\.1 (\d+)/.exec(text)?.[1];
          if (status === undefined) return;
          count(status);
          socket.write(guess());
        });
        socket.write(guess());
        await once(socket, 'close').catch(() => undefined);
        await pause(100, signal);
      }
    }),
  );
};

const manyHeaders: Attack = async (target, count, signal) => {
  while (!signal.aborted) {
    const headers = Object.fromEntries(range(1_000).map((n) => [`x-${n}`, 'y']));
    const answer = await open(
      target.url,
      { key: target.keys[0]!, headers, body: '{"query": "{ __typename }"}' },
      signal,
    ).then(
      (response) => {
        response.destroy();
        return String(response.statusCode);
      },
      (error: { code?: string }) => error.code ?? 'broken off',
    );
    if (!signal.aborted) count(answer);
    await pause(50, signal);
  }
};

/** All kinds of hostile traffic that once did harm. */
export const attacks = {
  fragmentDoubling: asking((_target, nth) => `query Q${nth} { agents { nodes { ${spreads} } } } ${doubling(16)}`, 2),
  fragmentDepth: asking((_target, nth) => `query Q${nth} { agents { nodes { ...F0 } } } ${doubling(20)}`, 2),
  subscribedFragments: subscribing((_target, nth) => [
    `subscription Q${nth} { handoffEvents { agent { ${spreads} } } } ${doubling(14)}`,
  ]),
  promptsOfOne: asking(({ handoffId }, nth) => {
    const prompts = range(15).map((n) => `a${n}: contextPrompt(maxTokens: ${3_000 + (nth % 500)}) { text }`);
    return `{ nodes(ids: [${range(50)
      .map(() => `"${handoffId}"`)
      .join(' ')}]) { ... on Handoff { ${prompts.join(' ')} } } }`;
  }, 2),
  promptsOfMany: asking(
    (_target, nth) =>
      `{ handoffs(first: 100) { nodes { contextPrompt(maxTokens: ${2_000 + (nth % 500)}) { text } } } }`,
    2,
  ),
  largeAnswers: asking(({ largeSessionId }) => largePage(largeSessionId), 4),
  // Ten pages of 25 MB in one request.
  largeTogether: asking(
    ({ largeSessionId }) =>
      `{ ${range(10)
        .map((n) => `a${n}: ${largePage(largeSessionId).slice(2, -2)}`)
        .join(' ')} }`,
    4,
  ),
  // The 57 MB of one Turn, read in one statement.
  largeTurn: asking(
    ({ largeSessionId }) =>
      `{ session(id: "${largeSessionId}") { turns(first: 20) { nodes { messages { content } } } } }`,
    4,
  ),
  unreadAnswers: notReading(60, ({ largeSessionId }, key) => {
    const body = JSON.stringify({ query: largePage(largeSessionId) });
    return postHead('/graphql', key, body);
  }),
  unreadDownloads: notReading(
    20,
    ({ largeSessionId }, key) =>
      `GET /sessions/${largeSessionId}.json HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: Bearer ${key}\r\n\r\n`,
  ),
  unreadEvents: notReading(20, ({ largeSessionId }, key) => {
    const body = JSON.stringify({
      query: `subscription { handoffEvents { session { id title handoffs(first: 20) { nodes { recentMessages { content } } } } handoff { markdown } cursor } # ${largeSessionId}\n }`,
    });
    return postHead('/graphql', key, body, { accept: 'text/event-stream' });
  }),
  socketFragments: fragments,
  manyOperations: subscribing(() => range(40).map(() => 'subscription { handoffEvents { type } }')),
  uploads: uploading,
  guessedKeys: guessing,
  manyHeaders,
} satisfies Record<string, Attack>;

export type AttackName = keyof typeof attacks;
