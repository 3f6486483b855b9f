import { StreamableHTTPClientTransport, StreamableHTTPError } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import {
  isInitializeRequest,
  isJSONRPCRequest,
  isJSONRPCResultResponse,
  type JSONRPCMessage,
  LATEST_PROTOCOL_VERSION,
  type RequestId,
} from '@modelcontextprotocol/sdk/types.js';
import { realpathSync } from 'node:fs';
import { commandLine, packageVersion } from '../server/core/place.ts';
import { AwayError, StartError } from '../server/core/startError.ts';
import { workspaceIn } from './hook/work.ts';
import { readArguments, type Command } from './command.ts';
import { tellLine } from './output.ts';
import { nothingAnswers, requireServer, serverUrl, urlUsage } from './serverUrl.ts';

const usage = `${commandLine('mcp')} [options]

Gives a program the MCP tools of an agent over standard input and output, and sends every message on to Baton. For programs
that do not speak MCP over HTTP: the others find the same tools at <address of Baton>/mcp/<agent>.

  --agent <agent>     the agent; default: the one of the key
${urlUsage}

Set BATON_KEY where the server requires a key. It ends when its standard input does.`;

async function run(args: string[]): Promise<void> {
  const { values } = readArguments({ args, options: { agent: { type: 'string' }, url: { type: 'string' } } });
  const url = serverUrl(values.url);
  const address = new URL(`${url}/mcp${values.agent === undefined ? '' : `/${encodeURIComponent(values.agent)}`}`);
  address.searchParams.set('workspace', workspaceIn(realpathSync('.')).id);
  const { BATON_KEY: key, BATON_SESSION: session } = process.env;
  const headers: Record<string, string> = {
    ...(key && { authorization: `Bearer ${key}` }),
    ...(session && { 'baton-session': session }),
  };
  await requireServer(url);
  await requireAgent(address, headers);
  await forward(url, address, headers);
}

/** @throws StartError, AwayError */
async function requireAgent(address: URL, headers: Record<string, string>): Promise<void> {
  const params = {
    protocolVersion: LATEST_PROTOCOL_VERSION,
    capabilities: {},
    clientInfo: { name: 'baton', version: packageVersion() },
  };
  const response = await fetch(address, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 0, method: 'initialize', params }),
  }).catch((error: unknown) => {
    throw nothingAnswers(address.origin, error);
  });
  const { error } = (await response.json().catch(() => ({
    error: { message: `${address.href} is not the address of Baton: it answers ${response.status}` },
  }))) as { error?: { message: string } };
  if (response.ok && error === undefined) return;
  const message = error?.message ?? `${address.href} answers ${response.status}`;
  throw response.headers.has('retry-after') ? new AwayError(message) : new StartError(message);
}

/** Sends messages on in both directions until standard input ends and all requests are answered. */
async function forward(url: string, address: URL, headers: Record<string, string>): Promise<void> {
  const client = new StdioServerTransport();
  // Waits for a server that restarts: its stream of changes is opened again.
  const reconnectionOptions = {
    initialReconnectionDelay: 500,
    maxReconnectionDelay: 10_000,
    reconnectionDelayGrowFactor: 2,
    maxRetries: Number.MAX_SAFE_INTEGER,
  };
  const server = new StreamableHTTPClientTransport(address, { requestInit: { headers }, reconnectionOptions });
  const pending = new Set<Promise<void>>();
  let initializing: RequestId | undefined;
  let told = '';
  const report = (error: unknown): string => {
    const message = reasonOf(url, error);
    if (message !== told) tellLine(message);
    return (told = message);
  };

  client.onmessage = (message) => {
    if (isInitializeRequest(message)) initializing = (message as { id?: RequestId }).id;
    const sent = send(message).finally(() => pending.delete(sent));
    pending.add(sent);
  };
  async function send(message: JSONRPCMessage): Promise<void> {
    try {
      await server.send(message);
      told = '';
    } catch (error) {
      const reason = report(error);
      if (isJSONRPCRequest(message))
        await client.send({ jsonrpc: '2.0', id: message.id, error: { code: -32_000, message: reason } });
    }
  }
  server.onmessage = (message) => {
    if (isJSONRPCResultResponse(message) && message.id === initializing)
      server.setProtocolVersion(String(message.result['protocolVersion']));
    void client.send(message);
  };
  client.onerror = ({ message }) => tellLine(`Standard input is not MCP: ${message}`);
  const ended = new Promise<void>((resolve) => {
    client.onclose = resolve;
    process.stdin.once('end', resolve).once('close', resolve);
  });
  await Promise.all([server.start(), client.start()]);
  await ended;
  await Promise.all(pending);
  await Promise.all([server.close(), client.close()]);
}

function reasonOf(url: string, error: unknown): string {
  if (!(error instanceof StreamableHTTPError)) return nothingAnswers(url, error).message;
  // The SDK puts Baton's answer behind words of its own.
  const said = /\{.*\}/s.exec(error.message)?.[0];
  try {
    return (JSON.parse(said ?? '') as { error: { message: string } }).error.message;
  } catch {
    return error.message;
  }
}

export const mcp: Command = { usage, run };
