import { fork, type ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { endsWithThisProcess } from '../test/children.ts';

export interface Received {
  /** From the first byte to the last. */
  ms: number;
  bytes: number;
  /** Sorted delays since each event's planned time; empty without a plan. */
  delays: number[];
}

export interface Opening {
  port: number;
  count: number;
  /**
   * The first messages of each socket, each sent after the answer to the last. "$variables" is replaced by the socket's own
   * variables, "$id" by a new id.
   */
  messages: object[];
  variables?: object[];
}

/** A process that opens many sockets and receives on them. */
export class Receiver {
  readonly #gone: Promise<never>;

  private constructor(private readonly child: ChildProcess) {
    this.#gone = new Promise((_, reject) => {
      child.once('exit', () => reject(new Error('the receiver ended')));
    });
    this.#gone.catch(() => undefined);
  }

  static async start(opening: Opening): Promise<Receiver> {
    const child = endsWithThisProcess(
      fork(fileURLToPath(new URL('liveReceiver.mjs', import.meta.url)), {
        stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
      }),
    );
    const receiver = new Receiver(child);
    await receiver.#ask({ open: opening });
    return receiver;
  }

  /** Waits until every socket has received this number of events, which `send` causes. */
  async receive(
    what: { frames: number; from?: number; every?: number },
    send: () => Promise<unknown>,
  ): Promise<Received> {
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
    return Promise.race([
      new Promise<unknown[]>((resolve) => this.child.once('message', (message) => resolve([message]))),
      this.#gone,
    ]);
  }
}
