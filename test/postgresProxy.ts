import { connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import pg from 'pg';
import { atEnd } from './database.ts';
import { temporaryFolder } from './temporary.ts';

/** Handles the bytes of one connection; `cut` ends it on both sides. */
export interface Passage {
  asked(chunk: Buffer, pass: () => void, cut: () => void): void;
  /** `pass` may be given other bytes. */
  answered(chunk: Buffer, pass: (instead?: Buffer) => void, cut: () => void): void;
}

/** A proxy between `pg` and PostgreSQL. Resolves to the URL to connect to. */
export async function postgresProxy(url: string, passage: () => Passage): Promise<string> {
  const { host, port, user, password, database } = new pg.Client({ connectionString: url });
  const folder = temporaryFolder('baton-wire');
  const sockets = new Set<Socket>();
  const server = createServer((near) => {
    const far = host.startsWith('/') ? connect(join(host, `.s.PGSQL.${port}`)) : connect(port, host);
    const { asked, answered } = passage();
    const cut = (): void => {
      near.destroy();
      far.destroy();
    };
    near.on('data', (chunk: Buffer) => asked(chunk, () => far.write(chunk), cut));
    far.on('data', (chunk: Buffer) => answered(chunk, (instead = chunk) => near.write(instead), cut));
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.on('error', cut);
      socket.on('close', cut);
    }
  });
  await new Promise<void>((resolve) => server.listen(join(folder, '.s.PGSQL.5432'), resolve));
  atEnd(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  const secret = `${encodeURIComponent(user ?? '')}:${encodeURIComponent(password ?? '')}`;
  return `postgresql://${secret}@/${database}?host=${encodeURIComponent(folder)}`;
}
