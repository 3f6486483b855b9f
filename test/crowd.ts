import { client } from './graphql.ts';
import { documentOf, type Mutation, type Said } from './refusals.ts';
import { startServer, type ServerProcess } from './server.ts';
import type { TestDatabase } from './database.ts';

/** Callers of two servers on one database. */
export interface Crowd {
  servers: readonly [ServerProcess, ServerProcess];
  /** A caller with its own connection, to the servers in turn. */
  caller(): Caller;
  /** This number of concurrent callers, each with its own connection; answers in caller order. */
  all(count: number, ask: (caller: Caller, n: number) => Promise<Said>): Promise<Said[]>;
}

export type Caller = (mutation: Mutation, input: object) => Promise<Said>;

export async function crowd(database: TestDatabase, env: Record<string, string> = {}): Promise<Crowd> {
  const start = () => startServer({ databaseUrl: database.url, env });
  const servers = await Promise.all([start(), start()]);
  const callers: Caller[] = [];
  const caller = (): Caller => {
    const server = servers[callers.length % 2]!;
    const api = client(server.url);
    const call: Caller = async (mutation, input) => {
      const { data, errors } = await api
        .post<{ answer: Said } | null>(documentOf(mutation), { input })
        .catch((error: unknown) => {
          throw new Error(`No answer to ${mutation}; the server said last:\n${server.logs.slice(-5).join('\n')}`, {
            cause: error,
          });
        });
      const [error] = errors ?? [];
      // Races count every answer, UNAVAILABLE included.
      return (
        data?.answer ?? {
          __typename: 'TopLevel',
          code: error?.extensions.code ?? 'none',
          message: error?.message ?? '',
        }
      );
    };
    callers.push(call);
    return call;
  };
  return {
    servers,
    caller,
    async all(count, ask) {
      while (callers.length < count) caller();
      return Promise.all(callers.slice(0, count).map((one, n) => ask(one, n)));
    },
  };
}

/** Sends a request again after UNAVAILABLE, as clients do: on a busy machine a lock is waited for longer than the server allows. */
export const persistent =
  (ask: Caller): Caller =>
  async (mutation, input) => {
    let said = await ask(mutation, input);
    for (let time = 0; said.code === 'UNAVAILABLE' && time < 5; time += 1) said = await ask(mutation, input);
    return said;
  };

/** How often each answer was given: codes of refusals, names of payloads. */
export function tally(answers: readonly Said[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { code, __typename } of answers) counts[code ?? __typename] = (counts[code ?? __typename] ?? 0) + 1;
  return counts;
}
