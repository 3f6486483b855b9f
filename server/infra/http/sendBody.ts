import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Account, Held, Ledger } from './ledger.ts';

/** Small enough to see the progress of a slow client, large enough not to slow down a fast one. */
const pieceBytes = 64 * 1024;

const accounts = new WeakMap<Ledger, WeakMap<Socket, Account>>();

/** The account of the request's connection. */
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

/** Ends the response with these bytes, in pieces so that the client's progress is known. */
export async function endWith(response: ServerResponse, body: Buffer, account?: Account, held?: Held): Promise<void> {
  if (await new Sink(response, account).write(body, held)) response.end();
}

export interface Streamed {
  account: Account;
  key: string;
  /** Bytes reserved for a part before its size is known. */
  reserve?: number;
}

/**
 * Ends the response with the parts. Pulls the next part after the client has read the one before and the ledger has space, so
 * that at most one is in memory. Ends the source when the client disconnects.
 */
export async function streamTo(
  response: ServerResponse,
  parts: AsyncIterable<Uint8Array>,
  { account, key, reserve = 0 }: Streamed,
): Promise<void> {
  const source = parts[Symbol.asyncIterator]();
  const sink = new Sink(response, account);
  // Wakes a source that waits for its next part. What it throws then, it throws again below.
  const stop = account.whenClosed(() => void source.return?.().catch(() => undefined));
  try {
    for (;;) {
      const reserved = await account.holdInTurn(key, reserve);
      if (reserved === null) return;
      const next = await source.next();
      reserved.end();
      if (next.done === true) break;
      const value: Uint8Array = next.value;
      // A part larger than its reservation waits for space.
      const held =
        value.length <= reserve ? account.hold(key, value.length) : await account.holdInTurn(key, value.length);
      if (held === null || !(await sink.write(value, held))) return;
      held.end();
    }
    response.end();
  } catch (error) {
    // The source may throw because the client disconnected.
    if (!account.closed) throw error;
  } finally {
    stop();
    await source.return?.();
  }
}

/** As `streamTo`, for parts whose memory `held` counts as a whole. Waits for no further space, which others may never release. */
export async function streamWithin(
  held: Held,
  response: ServerResponse,
  parts: AsyncIterable<Uint8Array>,
  account: Account,
): Promise<void> {
  const sink = new Sink(response, account);
  const progress: Held = { took: () => held.took(0), end: () => undefined };
  try {
    for await (const part of parts) if (!(await sink.write(part, progress))) return;
    response.end();
  } catch (error) {
    // The source may throw because the client disconnected.
    if (!account.closed) throw error;
  } finally {
    held.end();
  }
}

/** Writes a body until the client disconnects. */
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
    // A pipelined response that waits for another gets no 'close' event; its account reports the closed connection.
    const stop = account?.whenClosed(gone);
    response.once('close', gone);
  }

  /** Resolves with true when the kernel has taken all bytes, with false when the client disconnected. */
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
