import { fork, type ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { endsWithThisProcess } from '../test/children.ts';

export interface Received {
  /** From the first byte to the last. */
  ms: number;
  bytes: number;
  /** From the time at which each event was to be sent, sorted; empty unless that was given. */
  delays: number[];
}

export interface Opening {
  port: number;
  count: number;
  /** What each says first, one after the answer to the other; "$variables" in it stands for its own, "$id" for a new one. */
  messages: object[];
  variables?: object[];
}

/** A process that opens many sockets and waits on them. */
export class Receiver {
  readonly #gone: Promise<never>;

  private constructor(private readonly child: ChildProcess) {
    this.#gone = new Promise((_, reject) => {
      child.once('exit', () => reject(new Error('the receiver ended')));
    });
    this.#gone.catch(() => undefined);
  }

  static async start(opening: Opening): Promise<Receiver> {
    const child = endsWithThisProcess(fork(fileURLToPath(new URL('liveReceiver.mjs', import.meta.url)), { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] }));
    const receiver = new Receiver(child);
    await receiver.#ask({ open: opening });
    return receiver;
  }

  /** Waits until every socket has so many events, which `send` causes. */
  async receive(what: { frames: number; from?: number; every?: number }, send: () => Promise<unknown>): Promise<Received> {
    await this.#ask({ receive: what });
    const [[answer]] = await Promise.all([this.#answer(), send()]);
    return (answer as { received: Received }).received;
  }

  async stop(): Promise<void> {
    await this.#ask({ close: true });
    this.child.kill('SIGKILL');
  }

  async #ask(message: object): Promise<void> {
    this.child.send(message);
    await this.#answer();
  }

  #answer(): Promise<unknown[]> {
    return Promise.race([new Promise<unknown[]>((resolve) => this.child.once('message', (message) => resolve([message]))), this.#gone]);
  }
}
