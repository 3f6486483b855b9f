import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import {
  CallToolRequestSchema,
  ErrorCode,
  GetPromptRequestSchema,
  ListPromptsRequestSchema,
  ListResourcesRequestSchema,
  ListResourceTemplatesRequestSchema,
  ListToolsRequestSchema,
  McpError,
  ReadResourceRequestSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/sdk/validation/ajv';
import type { Desk } from './ask.ts';
import { handoffMeant, waitingHandoffs } from './handoffs.ts';
import { withNotices } from './proposals.ts';
import { handoffText, read, sessionText } from './read.ts';
import { named, refusal, Refused } from './result.ts';
import { heldSessions } from './session.ts';
import { callTool, NoAgent, toolsOf } from './tools.ts';

const instructions =
  'Baton keeps the handoffs between agents. Call baton_inbox to see what waits for you, and baton_accept to take it over. Record what you do with baton_note. Pass the work on with a transfer_to_ tool or baton_handoff.';

/** In a connected folder hooks record the work, and name its session at the start: where they do not run, nothing else would say so. */
const inFolder =
  ' Baton told you the session of this folder at the start. If it did not, nothing of your work is recorded: tell the user, who approves the hooks in Codex with /hooks.';

// Creating one takes milliseconds, and no request uses it.
const jsonSchemaValidator = new AjvJsonSchemaValidator();

const notFound = -32_002;
const markdown = { mimeType: 'text/markdown' };

/** The MCP server of one request. `masked` turns an unexpected error into one that shows nothing internal. */
export function createServer(
  desk: Desk,
  { version, masked }: { version: string; masked: (error: unknown) => Error },
): Server {
  const server = new Server(
    { name: 'baton', version },
    {
      capabilities: { tools: { listChanged: true }, resources: {}, prompts: {} },
      instructions: desk.place.workspaceId === null ? instructions : instructions + inFolder,
      jsonSchemaValidator,
    },
  );
  /** Errors of the protocol have a message that a client may show. */
  const safely = async <Result>(work: () => Promise<Result>): Promise<Result> => {
    try {
      return await work();
    } catch (error) {
      if (error instanceof McpError) throw error;
      if (error instanceof Refused || error instanceof NoAgent)
        throw new McpError(ErrorCode.InvalidParams, error.message);
      throw new McpError(ErrorCode.InternalError, masked(error).message);
    }
  };

  server.setRequestHandler(ListToolsRequestSchema, () => safely(async () => ({ tools: await toolsOf(desk) })));

  server.setRequestHandler(CallToolRequestSchema, ({ params }) =>
    safely(async () => {
      const result = await callTool(desk, params.name, params.arguments ?? {}, callIdIn(params._meta)).catch(
        (error: unknown) => {
          if (error instanceof Refused) return refusal(error);
          if (error instanceof NoAgent) return refusal(new Refused(error.message, 'NOT_FOUND'));
          throw error;
        },
      );
      // The inbox has them already.
      return params.name === 'baton_inbox' ? result : withNotices(desk, result);
    }),
  );

  server.setRequestHandler(ListResourceTemplatesRequestSchema, () => ({
    resourceTemplates: [
      {
        name: 'handoff',
        uriTemplate: 'baton://handoffs/{id}',
        description: 'A handoff with all that it carries.',
        ...markdown,
      },
      {
        name: 'session',
        uriTemplate: 'baton://sessions/{id}',
        description: 'What a session would hand over now.',
        ...markdown,
      },
    ],
  }));

  server.setRequestHandler(ListResourcesRequestSchema, () =>
    safely(async () => {
      const [{ nodes }, held] = [await waitingHandoffs(desk), await heldSessions(desk)];
      return {
        resources: [
          ...nodes.map(({ id, session }) => ({
            uri: `baton://handoffs/${id}`,
            name: id,
            description: `A handoff that waits: ${named(session.title)}`,
            ...markdown,
          })),
          ...held.map(({ id, title }) => ({
            uri: `baton://sessions/${id}`,
            name: id,
            description: `A session: ${named(title)}`,
            ...markdown,
          })),
        ],
      };
    }),
  );

  server.setRequestHandler(ReadResourceRequestSchema, ({ params: { uri } }) =>
    safely(async () => {
      const [, noun, id] = /^baton:\/\/(handoffs|sessions)\/([^/?#]+)$/.exec(uri) ?? [];
      const text = id === undefined ? null : await (noun === 'handoffs' ? handoffText : sessionText)(desk, id);
      if (text === null)
        throw new McpError(
          notFound,
          'There is no such resource, or you may not read it. Addresses are baton://handoffs/<id> and baton://sessions/<id>.',
        );
      return { contents: [{ uri, text, ...markdown }] };
    }),
  );

  server.setRequestHandler(ListPromptsRequestSchema, () => ({
    prompts: [
      {
        name: 'take_over',
        description: 'What the agent before you left, to go on with its work.',
        arguments: [
          { name: 'handoff', description: 'Id of the handoff. Default: the only one that waits.', required: false },
        ],
      },
    ],
  }));

  server.setRequestHandler(GetPromptRequestSchema, ({ params }) =>
    safely(async () => {
      if (params.name !== 'take_over')
        throw new McpError(ErrorCode.InvalidParams, 'There is no such prompt: take_over is the only one.');
      const handoff = await handoffMeant(desk, params.arguments?.['handoff']);
      const { content } = await read(desk, { handoff });
      const [, prompt] = content as { text: string }[];
      const text = `Take over the handoff ${handoff}: call baton_accept with it first, then go on with the work below.\n\n${prompt!.text}`;
      return { messages: [{ role: 'user' as const, content: { type: 'text' as const, text } }] };
    }),
  );

  return server;
}

/** Claude Code and Codex send the id that the model's call has in their transcripts: an import then finds the call, and a repeated one hands off once. */
function callIdIn(meta: Record<string, unknown> = {}): string | null {
  const id = ['claudecode/toolUseId', 'callId']
    .map((name) => meta[name])
    .find((each) => typeof each === 'string' && each.length > 0 && each.length <= 200);
  return typeof id === 'string' ? id : null;
}
