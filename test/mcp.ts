import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { atEnd } from './database.ts';

export interface Called {
  isError: boolean;
  /** The texts of `content`. */
  texts: string[];
  /** `structuredContent`: the members that a tool gives. */
  data: {
    message: string;
    handoff: string;
    session: string;
    handoffs: { handoff: string; prompt: string; leftOut: string[] }[];
    prompt: string;
    messages: { number: number; content: string }[];
    content: string;
    next: number | null;
  };
}

export interface Model {
  client: Client;
  call(name: string, given?: Record<string, unknown>, meta?: Record<string, unknown>): Promise<Called>;
  /** The names of the tools, in order. */
  tools(): Promise<string[]>;
}

/** What a model and its client see of a server, by the client of the official SDK. */
export function modelOf(client: Client): Model {
  return {
    client,
    async call(name, given = {}, meta) {
      const { isError, content, structuredContent } = (await client.callTool({
        name,
        arguments: given,
        ...(meta !== undefined && { _meta: meta }),
      })) as CallToolResult;
      return {
        isError: isError === true,
        texts: content.map((part) => (part.type === 'text' ? part.text : '')),
        data: structuredContent as unknown as Called['data'],
      };
    },
    tools: async () => (await client.listTools()).tools.map(({ name }) => name),
  };
}

export const newClient = (): Client => new Client({ name: 'a model', version: '1.0.0' });

/** Connects over HTTP. `path` is what follows `/mcp`. */
export async function connect(
  url: string,
  path: string,
  { key, headers: more = {} }: { key?: string; headers?: Record<string, string> } = {},
): Promise<Model> {
  const client = newClient();
  const headers = { ...(key === undefined ? {} : { authorization: `Bearer ${key}` }), ...more };
  await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp${path}`), { requestInit: { headers } }));
  atEnd(() => client.close());
  return modelOf(client);
}
