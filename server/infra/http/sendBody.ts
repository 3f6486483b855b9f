import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Account, Held, Ledger } from './ledger.ts';

/** Small enough that a slow reader is seen to take something, large enough that a fast one does not wait for us. */
const pieceBytes = 64 * 1024;

const accounts = new WeakMap<Ledger, WeakMap<Socket, Account>>();

/** The account of the connection that a request came by. */
export function accountOf(ledger: Ledger, { socket }: IncomingMessage): Account {
  const known = accounts.get(ledger) ?? new WeakMap<Socket, Account>();
  accounts.set(ledger, known);
  const found = known.get(socket);
  if (found !== undefined) return found;
  const account = ledger.open(() => socket.destroy());
  known.set(socket, account);
  if (socket.destroyed) account.close();
  else socket.once('close', () => account.close());
  return account;
}

/** Ends the response with these bytes, in pieces, so that it shows whether the reader takes them. */
export async function endWith(response: ServerResponse, body: Buffer, account?: Account, held?: Held): Promise<void> {
  if (await new Sink(response, account).write(body, held)) response.end();
}

export interface Streamed {
  account: Account;
  key: string;
  /** What is kept for a part before its size is known. */
  reserve?: number;
}

/**
 * Ends the response with what `parts` yields. A part is asked for when the reader has taken the one before and there is
 * room in the ledger: no more than one is ever kept. The source is ended when the reader is gone.
 */
export async function streamTo(response: ServerResponse, parts: AsyncIterable<Uint8Array>, { account, key, reserve = 0 }: Streamed): Promise<void> {
  const source = parts[Symbol.asyncIterator]();
  const sink = new Sink(response, account);
  try {
    for (;;) {
      const reserved = await account.holdInTurn(key, reserve);
      if (reserved === null) return;
      const next = await source.next();
      reserved.end();
      if (next.done === true) break;
      const value: Uint8Array = next.value;
      // Its size is known only now that it is here: it waits for room like any other when nothing was kept for it.
      const held = value.length <= reserve ? account.hold(key, value.length) : await account.holdInTurn(key, value.length);
      if (held === null || !(await sink.write(value, held))) return;
      held.end();
    }
    response.end();
  } catch (error) {
    // A source that is ended because its reader is gone may say so.
    if (!account.closed) throw error;
  } finally {
    await source.return?.();
  }
}

/** Where a body goes, as long as its reader is there. */
class Sink {
  #gone = false;
  #pending: ((taken: boolean) => void) | undefined;

  constructor(
    private readonly response: ServerResponse,
    account?: Account,
  ) {
    const gone = (): void => {
      stop?.();
      this.#gone = true;
      this.#pending?.(false);
    };
    // A response that waits behind another of its connection is not told when that ends; its account is.
    const stop = account?.whenClosed(gone);
    response.once('close', gone);
  }

  /** Resolves with true when the kernel has taken all of it, with false when the reader is gone. */
  async write(body: Uint8Array, held?: Held): Promise<boolean> {
    for (let from = 0; from < body.length; from += pieceBytes) {
      const piece = body.subarray(from, from + pieceBytes);
      if (this.#gone || !(await this.#taken(piece))) return false;
      held?.took(piece.length);
    }
    return !this.#gone;
  }

  #taken(piece: Uint8Array): Promise<boolean> {
    return new Promise((resolve) => {
      this.#pending = resolve;
      this.response.write(piece, (error) => resolve(error == null));
    });
  }
}
