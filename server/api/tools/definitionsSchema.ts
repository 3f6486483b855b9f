import { z } from 'zod';
import { define, functionsOf } from '../../work/tools/define.ts';
import { findTools } from '../../work/tools/queries.ts';
import type { HandoffTool } from '../../work/tools/tool.ts';
import { batched } from '../graphql/batch.ts';
import { builder, modelRef } from '../graphql/builder.ts';
import { ofItself } from '../graphql/descriptions.ts';
import { decodeArgs, oneOf, withDefault } from '../graphql/input/schemas.ts';
import { argsOf } from '../graphql/input/types.ts';
import { readerOf } from './schema.ts';

const ToolFormat = builder.enumType('ToolFormat', {
  description: 'Formats in which models get the definitions of their tools.',
  values: {
    ANTHROPIC: { description: '`tools` of the Anthropic Messages API.' },
    OPENAI_CHAT: { description: '`tools` of OpenAI Chat Completions, and of the many servers with the same API.' },
    OPENAI_RESPONSES: { description: '`tools` of the OpenAI Responses API.' },
    MCP: { description: '`tools` of the answer to `tools/list` of the Model Context Protocol.' },
  },
});

const args = z.object({
  format: oneOf(ToolFormat).describe('Format of the definitions.'),
  onlyAvailable: withDefault(z.boolean(), false).describe(
    'True leaves out tools whose target is not AVAILABLE with a free place.',
  ),
});

builder.prismaObjectFields(modelRef('Agent'), (t) => ({
  handoffToolDefinitions: t.field({
    access: 'ownAgent',
    cost: 30,
    type: 'JSON',
    description: `Definitions of the handoff tools of the Agent for its model: a list in the given format, by name, without tools of archived Agents. When it has more than 20 generated tools, one function \`handoff\` whose argument \`target\` names the Agent stands for them. ${ofItself}`,
    args: argsOf(args),
    select: { id: true },
    resolve: async ({ id }, given, context, info) => {
      const { format, onlyAvailable } = decodeArgs(args, given);
      const tools = await batched(context, info, id, async (agentIds) => {
        const found = await findTools(readerOf(context), { agentIds, archived: false });
        return new Map(
          agentIds.map(
            (agentId) => [agentId, found.filter((tool) => tool.agentIds.includes(agentId))] as [string, HandoffTool[]],
          ),
        );
      });
      return define(functionsOf(tools ?? [], onlyAvailable), format);
    },
  }),
}));
