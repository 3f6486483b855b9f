import pg from 'pg';
import { AwayError, StartError } from '../../core/startError.ts';

/** What `target_session_attrs` may ask of a server, as libpq defines it. */
const wanted = {
  any: () => true,
  'read-write': ({ isReadOnly }: Server) => !isReadOnly,
  'read-only': ({ isReadOnly }: Server) => isReadOnly,
  primary: ({ isStandby }: Server) => !isStandby,
  standby: ({ isStandby }: Server) => isStandby,
} satisfies Record<string, (server: Server) => boolean>;
type Wanted = keyof typeof wanted;

interface Server {
  isStandby: boolean;
  isReadOnly: boolean;
}

interface Address {
  /** One URL for each host, which differ by nothing else. */
  urls: string[];
  wanted: Wanted;
}

const hostsMax = 16;

/**
 * Reads a URL as libpq does: several hosts, separated by commas, and `target_session_attrs`. `sslmode` has libpq's meaning too:
 * `require` encrypts and trusts any certificate.
 * @throws StartError for what is not supported
 */
export function addressOf(url: string): Address {
  const [, before = '', hosts = '', path = '', query = ''] =
    /^(postgres(?:ql)?:\/\/(?:[^@/?]*@)?)([^/?]*)(\/[^?]*)?(?:\?(.*))?$/s.exec(url) ?? [];
  const params = new URLSearchParams(query);
  const asked = params.get('target_session_attrs') ?? 'any';
  params.delete('target_session_attrs');
  if (!Object.hasOwn(wanted, asked))
    throw new StartError(
      `DATABASE_URL has target_session_attrs=${asked}: use one of ${Object.keys(wanted).join(', ')}`,
    );
  const inQuery = params.get('host')?.split(',') ?? [];
  if (inQuery.length > 1)
    throw new StartError('DATABASE_URL has several hosts in ?host=: write them before the path, as host1,host2');
  const names = hosts.split(',');
  if (names.length > hostsMax) throw new StartError(`DATABASE_URL names more than ${hostsMax} hosts`);
  if (params.has('sslmode') && !params.has('uselibpqcompat')) params.set('uselibpqcompat', 'true');
  const rest = `${path}${params.size === 0 ? '' : `?${params.toString()}`}`;
  const urls = names.map((host) => `${before}${host}${rest}`);
  // A socket's folder in the query needs no host.
  if (!urls.every((one) => URL.canParse(one.replace('@/', '@host/').replace('///', '//host/'))))
    throw new StartError(
      'DATABASE_URL is no URL: percent-encode what is special in user and password, such as @ / : # and %',
    );
  return { urls, wanted: asked as Wanted };
}

/** The statement that each connection begins with. */
export const connecting = 'SET jit = off';

/** The host that was chosen last for a URL: it is asked first, so that a host that is away delays one connection only. */
const last = new Map<string, string>();

/**
 * A client of the first host of `connectionString` that answers and is what the URL asks for: of several hosts, it asks by a connection of
 * its own before each. It compiles no plan: where a plan costs much because a scan is off, as in pruning, PostgreSQL before 18 compiles each one
 * anew. Version 15 pruned 19 Sessions a second, and 500 without compiling.
 */
export class Client extends pg.Client {
  readonly #config: pg.ClientConfig;
  readonly #address: Address;

  constructor(given: string | pg.ClientConfig = {}) {
    const config = typeof given === 'string' ? { connectionString: given } : given;
    const address = addressOf(config.connectionString ?? '');
    super({ ...config, connectionString: address.urls[0]! });
    // One packet can hold an answer and the end of the connection. The pool hands the connection on between the two, to a caller that has
    // no listener yet. Without this one, the 'error' would end the process; with it, the caller's first statement is refused.
    this.on('error', () => undefined);
    this.#config = config;
    this.#address = address;
  }

  override connect(): Promise<pg.Client>;
  override connect(callback: (error: Error) => void): void;
  override connect(callback?: (error: Error) => void): Promise<pg.Client> | void {
    const connected = this.#connect();
    if (callback === undefined) return connected;
    connected.then(() => (callback as () => void)(), callback);
  }

  async #connect(): Promise<pg.Client> {
    const { urls, wanted: asked } = this.#address;
    if (urls.length > 1 || asked !== 'any') {
      const { host, port } = await this.#choose();
      Object.assign(this, { host, port });
    }
    await super.connect();
    // A startup parameter would be refused by poolers. Not waited for: the first statement is sent after it, and says when the connection is lost.
    super.query(connecting).catch(() => undefined);
    return this;
  }

  /** @throws the error of the last host that did not answer, else that none is what was asked for */
  async #choose(): Promise<{ host: string; port: number }> {
    const { urls, wanted: asked } = this.#address;
    const key = this.#config.connectionString!;
    const known = last.get(key);
    // The code of a server that is starting, which callers may try again: a failover leaves no primary for some seconds.
    let refused: Error = Object.assign(new Error(`no host of DATABASE_URL is ${asked}`), { code: '57P03' });
    for (const url of known === undefined ? urls : [known, ...urls.filter((other) => other !== known)]) {
      const client = new pg.Client({ ...this.#config, connectionString: url });
      client.on('error', () => undefined);
      try {
        await client.connect();
        const { rows } = await client.query<Server>(
          `SELECT pg_is_in_recovery() AS "isStandby", current_setting('transaction_read_only') = 'on' AS "isReadOnly"`,
        );
        if (wanted[asked](rows[0]!)) {
          last.set(key, url);
          return client;
        }
      } catch (error) {
        refused = error as Error;
      } finally {
        await client.end().catch(() => undefined);
      }
    }
    throw refused;
  }
}

/** OpenSSL's names of what is wrong with a certificate. */
const certificateFaults =
  /^(?:SELF_SIGNED_CERT_IN_CHAIN|DEPTH_ZERO_SELF_SIGNED_CERT|UNABLE_TO_\w+|CERT_\w+|ERR_TLS_CERT_\w+|HOSTNAME_MISMATCH)$/;

/** Why a connection failed, and what to do: StartError for what waiting does not mend, else AwayError. */
export function explainConnection(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof StartError) return error;
  const { message } = error;
  const code = String(Reflect.get(error, 'code') ?? '');
  if (certificateFaults.test(code))
    return new StartError(
      `The certificate of PostgreSQL is not trusted (${message}): give DATABASE_URL sslrootcert=<file> with the certificate of its authority, or sslmode=require, which encrypts and trusts any`,
    );
  if (/does not support SSL/.test(message))
    return new StartError('PostgreSQL has no TLS: set sslmode=disable in DATABASE_URL, or ssl = on in its settings');
  if (code === '28P01') return new StartError(`PostgreSQL refuses the password (${message}): check DATABASE_URL`);
  if (code.startsWith('28'))
    return new StartError(`PostgreSQL refuses the connection (${message}): check DATABASE_URL and its pg_hba.conf`);
  if (code === '3D000')
    return new StartError(`PostgreSQL has no such database (${message}): create it, or check DATABASE_URL`);
  if (code === 'ENOENT' && 'path' in error)
    return new StartError(`DATABASE_URL names a file that is not there (${message})`);
  if (/^SECURITY WARNING: Using sslmode=verify-ca/.test(message))
    return new StartError(
      'DATABASE_URL has sslmode=verify-ca, which needs sslrootcert=<file> with the certificate of the authority',
    );
  return new AwayError(
    `PostgreSQL does not answer (${message || code || error.name}): check DATABASE_URL and that it runs`,
  );
}
