import { z } from 'zod';
import { ownAgent } from '../../core/rights.ts';
import { countTools, pageOfTools, type ToolFilter } from '../../work/tools/queries.ts';
import type { HandoffTool as Tool } from '../../work/tools/tool.ts';
import { everybody } from '../access/roles.ts';
import { builder } from '../graphql/builder.ts';
import { connectionOf, pageArgs, type Connection } from '../graphql/connection.ts';
import { agentId, decodeArgs, inputObject, optional, whereOf, withDefault } from '../graphql/input/schemas.ts';
import { argsOf } from '../graphql/input/types.ts';
import { cutPage, encodeCursor, type Order, type PageOfRows, sqlPage } from '../graphql/page.ts';
import { HandoffTool, readerOf } from './schema.ts';

const order: Order = { name: 'handofftool', columns: { name: 'name', id: 'uuid' }, direction: 'asc' };

const toolFilter = inputObject(
  'HandoffToolFilter',
  'Filters handoff tools. Every given condition must match.',
  z.object({
    agentId: optional(agentId).describe('Tools that are offered to this Agent.'),
    targetAgentId: optional(agentId).describe('Tools that hand off to this Agent.'),
    generated: optional(z.boolean()).describe(
      'True: tools generated from collaborations. False: tools that people defined.',
    ),
    includeArchived: withDefault(z.boolean(), false).describe(
      'Includes archived tools, and tools generated for archived Agents.',
    ),
  }),
);
const many = z.object({ where: whereOf(toolFilter).describe('Filter. Null: all tools that are not archived.') });

function filterFor(
  { agentId: asked, targetAgentId, generated, includeArchived: archived }: z.output<typeof toolFilter>,
  own: string | null,
): ToolFilter {
  const agentIds = asked === null && own === null ? null : [asked, own].filter((id) => id !== null);
  // Both conditions: an AGENT that asks for another's tools finds none.
  return {
    agentIds: agentIds !== null && new Set(agentIds).size > 1 ? [] : agentIds,
    targetAgentId,
    generated,
    archived,
  };
}

builder.queryField('handoffTools', (t) =>
  t.field({
    access: everybody,
    type: connectionOf('HandoffTool', HandoffTool),
    description:
      'Lists handoff tools, generated and defined ones, by name. An AGENT finds those that are offered to its own Agent.',
    args: { ...argsOf(many), ...pageArgs },
    resolve: (_root, args, context): Connection => {
      const filter = filterFor(decodeArgs(many, args).where, ownAgent(context.caller));
      const reader = readerOf(context);
      sqlPage(args, order, 0);
      let found: Promise<PageOfRows<Tool>> | undefined;
      const find = async (): Promise<PageOfRows<Tool>> =>
        cutPage(await pageOfTools(reader, filter, (given) => sqlPage(args, order, given)), args);
      return {
        cursor: (row) => encodeCursor(order, row),
        page: () => (found ??= find()),
        totalCount: () => countTools(reader, filter),
      };
    },
  }),
);
