import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { packageVersion } from '../../server/core/place.ts';
import { StartError } from '../../server/core/startError.ts';
import type { Tool } from './conversation.ts';
import { answered, refused, type Outcome } from './ownTools.ts';
import { quotedOutput } from './quotedOutput.ts';
import type { Secrets } from './secrets.ts';
import type { Toolbox } from './toolbox.ts';

/** The MCP servers of a definition. Only `served.ts` loads this file, for a definition that names one. */

export interface McpServer {
  name: string;
  command: string | null;
  args: readonly string[];
  /** Names of environment variables. */
  env: readonly string[];
  url: string | null;
}

const callMs = 300_000;

/** Starts the servers and lists their tools, those that the definition allows. @throws StartError when one does not start */
export async function openMcpTools(
  agentId: string,
  servers: readonly McpServer[],
  {
    allowed,
    folder,
    env,
    secrets,
  }: { allowed: readonly string[]; folder: string; env: NodeJS.ProcessEnv; secrets: Secrets },
): Promise<Toolbox> {
  const all: Connection[] = [];
  const close = async (): Promise<void> => void (await Promise.all(all.map((connection) => connection.close())));
  const calls = new Map<string, { connection: Connection; name: string }>();
  const tools: Tool[] = [];
  for (const name of servers.flatMap((server) => server.env)) secrets.add(env[name] ?? '');
  try {
    for (const server of servers) {
      const connection = new Connection(() => connect(agentId, server, folder, env));
      all.push(connection);
      const client = await connection.open();
      for (const { name, description = '', inputSchema } of (await client.listTools()).tools) {
        const full = `mcp__${server.name}__${name}`;
        if (!isAllowed(full, server.name, allowed)) continue;
        calls.set(full, { connection, name });
        tools.push({ name: full, description, inputSchema });
      }
    }
  } catch (error) {
    await close();
    throw error instanceof StartError
      ? error
      : new StartError(`The tools of '${agentId}' cannot be listed: ${String(error)}`);
  }
  return {
    tools,
    names: new Set(calls.keys()),
    run: (name, args, signal) => callTool(calls.get(name)!, args, { signal, secrets }),
    close,
  };
}

/** A server that may end: it is started again for the next call. */
class Connection {
  #client: Promise<Client> | undefined;
  #isClosed = false;

  constructor(private readonly start: () => Promise<Client>) {}

  /** @throws StartError when the server does not start, or the tools are closed */
  async open(): Promise<Client> {
    if (this.#isClosed) throw new StartError('its server was stopped with its agent');
    const isNew = this.#client === undefined;
    const opened = (this.#client ??= this.start());
    try {
      const client = await opened;
      if (isNew || client.transport !== undefined) return client;
    } catch (error) {
      this.#forget(opened);
      throw error;
    }
    this.#forget(opened);
    return this.open();
  }

  /** Calls at the same time share the next start. */
  #forget(opened: Promise<Client>): void {
    if (this.#client === opened) this.#client = undefined;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#client?.then((client) => client.close()).catch(() => undefined);
  }
}

async function connect(
  agentId: string,
  { name, command, args, env: names, url }: McpServer,
  folder: string,
  env: NodeJS.ProcessEnv,
): Promise<Client> {
  const client = new Client({ name: 'baton', version: packageVersion() });
  const missing = names.find((each) => env[each] === undefined);
  if (missing !== undefined)
    throw new StartError(`The MCP server '${name}' of '${agentId}' needs ${missing}: set it for this process`);
  // Besides those named it gets what every program needs: PATH, HOME, USER, SHELL, TERM, LOGNAME.
  const transport =
    url === null
      ? new StdioClientTransport({
          command: command ?? '',
          args: [...args],
          env: Object.fromEntries(names.map((each) => [each, env[each]!])),
          cwd: folder,
          stderr: 'ignore',
        })
      : new StreamableHTTPClientTransport(new URL(url));
  // Its types are not made for exactOptionalPropertyTypes.
  await client.connect(transport as Parameters<Client['connect']>[0]).catch((error: unknown) => {
    const problem = error instanceof Error ? error.message : String(error);
    throw new StartError(`The MCP server '${name}' of '${agentId}' does not start (${command ?? url}): ${problem}`);
  });
  return client;
}

/** A definition that lists no tools allows all of its servers. */
const isAllowed = (tool: string, server: string, allowed: readonly string[]): boolean =>
  allowed.length === 0 || [tool, `mcp__${server}`, `mcp__${server}__*`].some((name) => allowed.includes(name));

async function callTool(
  { connection, name }: { connection: Connection; name: string },
  args: Record<string, unknown>,
  { signal, secrets }: { signal: AbortSignal; secrets: Secrets },
): Promise<Outcome> {
  let client: Client;
  try {
    client = await connection.open();
  } catch (error) {
    if (!(error instanceof StartError)) throw error;
    return refused(`The call was not made: ${error.message}. Go on without it.`);
  }
  try {
    const { content, isError } = await client.callTool({ name, arguments: args }, undefined, {
      signal,
      timeout: callMs,
    });
    const parts = Array.isArray(content) ? (content as { type: string; text?: string }[]) : [];
    const output = quotedOutput(parts.map(({ type, text }) => text ?? `[${type}]`).join('\n'), secrets);
    return isError === true ? refused(output) : answered(output);
  } catch (error) {
    const problem = quotedOutput(error instanceof Error ? error.message : String(error), secrets);
    return refused(`The call failed, and may have had its effect. ${problem}`);
  }
}
