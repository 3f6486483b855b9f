import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import fc from 'fast-check';
import { Redis } from 'ioredis';
import { describe, expect, test } from 'vitest';
import { atEnd } from '../../../test/database.ts';
import { answerReader, connectorFor, publisherAnswers, subscriberAnswers } from './redisConnector.ts';

const bulk = (text: string): string => `$${Buffer.byteLength(text)}\r\n${text}\r\n`;
const handshake = '+OK\r\n'.repeat(3);
const subscribed = `*3\r\n${bulk('subscribe')}${bulk('c')}:1\r\n`;
const message = `*3\r\n${bulk('message')}${bulk('c')}${bulk('hello\r\n*0\r\n')}`;
const valid = {
  publisher: ['+OK\r\n', '-ERR no\r\n', ':1\r\n'],
  subscriber: ['+OK\r\n', '-ERR no\r\n', subscribed, message],
};
const nonsense = [
  '_',
  '*0',
  '*-1',
  '*1\r\n$-1',
  '*3\r\n$-1\r\n$-1\r\n:1',
  '>0',
  '>1\r\n_',
  '>2\r\n+message\r\n_',
  '>3\r\n+subscribe\r\n_\r\n_',
  '+',
  '-a\rb',
  ':',
  '$-1',
  '$5\r\nhello',
  '%1\r\n+a\r\n+b',
  '?',
].map((text) => `${text}\r\n`);

const uses = {
  publisher: { answers: publisherAnswers, use: (client: Redis) => client.publish('c', 'hello') },
  subscriber: { answers: subscriberAnswers, use: (client: Redis) => client.subscribe('c') },
};
type Role = keyof typeof uses;

/** What the next connection receives for each time that it writes; then it is closed. */
let script: readonly Buffer[] = [];
const server = createServer((socket: Socket) => {
  const parts = [...script];
  socket.on('error', () => undefined);
  socket.on('data', () => {
    socket.write(parts.shift() ?? '');
    if (parts.length === 0) socket.end();
  });
});
server.listen(0, '127.0.0.1');
await once(server, 'listening');
atEnd(() => new Promise<void>((resolve) => server.close(() => resolve())));

/** The errors of a connection to a server that sends this; an exception that is not caught fails the test run. */
async function errorsAfter(role: Role, parts: readonly (string | Buffer)[]): Promise<string[]> {
  script = parts.map((part) => Buffer.from(part));
  const errors: string[] = [];
  const { answers, use } = uses[role];
  const client = new Redis((server.address() as AddressInfo).port, '127.0.0.1', {
    Connector: connectorFor(answers),
    protocol: 2,
    enableReadyCheck: false,
    maxRetriesPerRequest: 0,
    retryStrategy: null,
    autoResubscribe: false,
  });
  client.on('error', (error) => errors.push(error.message));
  client.on('ready', () => void use(client).catch(() => undefined));
  await new Promise((resolve) => client.once('end', () => resolve(undefined)));
  await nextTurn();
  return errors;
}

describe.each(['publisher', 'subscriber'] as const)('the connection of a %s', (role) => {
  test.each(nonsense.map((text) => [text]))('ends with an error at %j', async (text) => {
    expect(await errorsAfter(role, [text])).toContainEqual(expect.stringContaining('unexpected answer'));
    expect(await errorsAfter(role, [handshake, text])).toContainEqual(expect.stringContaining('unexpected answer'));
  });

  test('survives any answers in any order', async () => {
    const anyAnswer = fc.oneof(
      fc.constantFrom(...valid.publisher, ...valid.subscriber, ...nonsense).map((text) => Buffer.from(text)),
      fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes)),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.boolean(),
        fc.array(
          fc.oneof(
            fc.constantFrom(...valid[role]).map((text) => Buffer.from(text)),
            anyAnswer,
          ),
          { minLength: 1, maxLength: 6 },
        ),
        async (shakesHands, answers) => {
          await errorsAfter(role, [...(shakesHands ? [handshake] : []), Buffer.concat(answers)]);
        },
      ),
      { numRuns: 200 },
    );
  });

  test('passes every expected answer on, however the network splits it', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom(...valid[role]), { maxLength: 10 }),
        fc.array(fc.nat({ max: 30 })),
        (answers, cuts) => {
          const sent = Buffer.from(answers.join(''));
          const read = answerReader(uses[role].answers);
          const passed: Buffer[] = [];
          let at = 0;
          for (const cut of [...cuts, sent.length]) {
            passed.push(Buffer.from(read(sent.subarray(at, at + cut))));
            at += cut;
          }
          expect(Buffer.concat(passed)).toEqual(sent);
        },
      ),
    );
  });
});

test('rejects an answer that does not end', () => {
  const read = answerReader(publisherAnswers);
  expect(() => {
    for (let n = 0; n < 100; n += 1) read(Buffer.alloc(65_536, 'x'));
  }).toThrow('over 2097152 bytes');
});
