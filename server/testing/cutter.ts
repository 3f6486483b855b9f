import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { atEnd } from './database.ts';
import { readFrontend } from './wire.ts';

export interface Cutter {
  /** Connect here instead. */
  url: string;
  /**
   * Cuts the connection on which the nth question from now on is asked: before PostgreSQL hears it, or after it has
   * answered and before the answer arrives. Once.
   */
  cut(nth: number, when: 'before' | 'after'): void;
  /** How often a connection was cut so far. */
  cuts(): number;
}

/** Stands between `pg` and PostgreSQL and cuts connections where it hurts. */
export async function cutter(url: string): Promise<Cutter> {
  const { host, port, user, password, database } = new pg.Client({ connectionString: url });
  const folder = mkdtempSync(join(tmpdir(), 'baton-cut-'));
  const sockets = new Set<Socket>();
  let plan: { left: number; when: 'before' | 'after' } | undefined;
  let cuts = 0;

  const server = createServer((near) => {
    const far = host.startsWith('/') ? connect(join(host, `.s.PGSQL.${port}`)) : connect(port, host);
    let cutAnswer = false;
    const cut = (): void => {
      cuts += 1;
      near.destroy();
      far.destroy();
    };
    let cutNow = false;
    const read = readFrontend((_statements, asks) => {
      if (plan === undefined || asks === 0) return;
      plan.left -= 1;
      if (plan.left > 0) return;
      if (plan.when === 'before') cutNow = true;
      else cutAnswer = true;
      plan = undefined;
    });
    near.on('data', (chunk: Buffer) => {
      read(chunk);
      if (cutNow) cut();
      else far.write(chunk);
    });
    far.on('data', (chunk: Buffer) => {
      if (cutAnswer) cut();
      else near.write(chunk);
    });
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(socket);
      socket.on('error', () => other.destroy());
      socket.on('close', () => other.destroy());
    }
  });
  await new Promise<void>((resolve) => server.listen(join(folder, '.s.PGSQL.5432'), resolve));
  atEnd(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
    await rm(folder, { recursive: true, force: true });
  });
  const secret = `${encodeURIComponent(user ?? '')}:${encodeURIComponent(password ?? '')}`;
  return {
    url: `postgresql://${secret}@/${database}?host=${encodeURIComponent(folder)}`,
    cut(nth, when) {
      plan = { left: nth, when };
    },
    cuts: () => cuts,
  };
}
