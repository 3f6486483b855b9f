import { connect as connectTcp } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { AbstractConnector, type RedisOptions } from 'ioredis';

/** First lines of the answers to PUBLISH and to the handshake. */
export const publisherAnswers = /^(\+OK|-[^\r\n]*|:\d{1,15})$/;
/** First lines of the answers to SUBSCRIBE and to the handshake, and of messages. */
export const subscriberAnswers = /^(\+OK|-[^\r\n]*|\*3)$/;
const text = /^\$\d{1,7}$/;
const textOrCount = /^(\$\d{1,7}|:\d{1,15})$/;

const waitingBytesLimit = 2 * 1024 * 1024;

/**
 * Connects ioredis to Redis, and passes on whole answers of the expected kinds only. Anything else ends the connection with an
 * error: ioredis would rethrow in the next tick what it breaks there, and end the process.
 */
export function connectorFor(answers: RegExp) {
  return class extends AbstractConnector {
    readonly #options: RedisOptions;

    constructor(options: unknown) {
      super(0);
      this.#options = options as RedisOptions;
    }

    connect() {
      const { host, port, family, tls } = this.#options;
      const wholeAnswers = answerReader(answers);
      const onread = {
        buffer: Buffer.alloc(16_384),
        callback: (size: number, buffer: Uint8Array): boolean => {
          try {
            const whole = wholeAnswers(buffer.subarray(0, size));
            if (whole.length > 0) socket.emit('data', whole);
          } catch (error) {
            socket.destroy(error as Error);
          }
          return true;
        },
      };
      const options = { host, port: port!, family, onread };
      const socket = tls ? connectTls({ ...options, ...tls }) : connectTcp(options);
      // Always listened to: a connection may fail before ioredis listens.
      socket.on('error', (error: Error) => (this.firstError = error));
      this.stream = socket;
      return Promise.resolve(socket);
    }

    /** At once: a frozen Redis would not answer an orderly end. */
    override disconnect(): void {
      this.stream?.destroy();
    }
  };
}

/** Gives the answers that are complete; keeps the rest for the next call. */
export function answerReader(answers: RegExp): (bytes: Uint8Array) => Buffer {
  let waiting = Buffer.alloc(0);
  return (bytes) => {
    waiting = Buffer.concat([waiting, bytes]);
    let end = 0;
    for (let next = endOf(waiting, end, answers); next !== undefined; next = endOf(waiting, end, answers)) end = next;
    const whole = waiting.subarray(0, end);
    waiting = waiting.subarray(end);
    if (waiting.length > waitingBytesLimit) throw new Error(`Redis sent an answer of over ${waitingBytesLimit} bytes`);
    return whole;
  };
}

/** Where the answer ends that begins at `start`; undefined when it is incomplete. */
function endOf(bytes: Buffer, start: number, expected: RegExp): number | undefined {
  const lineEnd = bytes.indexOf('\r\n', start);
  if (lineEnd === -1) return undefined;
  const line = bytes.toString('latin1', start, lineEnd);
  if (!expected.test(line)) throw new Error(`Redis sent an unexpected answer: ${JSON.stringify(line.slice(0, 40))}`);
  let end: number | undefined = lineEnd + 2;
  if (line.startsWith('$')) {
    end += Number(line.slice(1)) + 2;
    return end <= bytes.length ? end : undefined;
  }
  if (line === '*3') for (const part of [text, text, textOrCount]) if (end !== undefined) end = endOf(bytes, end, part);
  return end;
}
