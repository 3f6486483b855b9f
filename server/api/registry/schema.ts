import { z } from 'zod';
import { encodeId } from '../../core/ids.ts';
import { limits } from '../../core/limits.ts';
import { asCarry } from '../../work/context/carry.ts';
import { ApprovalRule } from '../graphql/enums.ts';
import { demandReadableSession } from '../../work/log/queries.ts';
import type { McpServer } from '../../work/registry/definition.ts';
import type { StoredDefinition } from '../../work/registry/importAgents.ts';
import { namesOf } from '../../work/registry/queries.ts';
import { fillPrompt, type FilledPrompt } from '../../work/registry/rules.ts';
import { builder, modelRef } from '../graphql/builder.ts';
import { partOfRecord } from '../graphql/declared.ts';
import { ofItself } from '../graphql/descriptions.ts';
import { badArgument } from '../graphql/input/badArgument.ts';
import { decodeArgs, idOf, jsonObject, optional } from '../graphql/input/schemas.ts';
import { argsOf } from '../graphql/input/types.ts';

const Collaboration = builder.prismaObject('AgentCollaborator', {
  name: 'Collaboration',
  access: 'inherit',
  select: { agentId: true, collaboratorId: true },
  description: 'An Agent may hand off to another, and when it should.',
  fields: (t) => ({
    agent: t.relation('collaborator', { description: 'The Agent to hand off to.' }),
    when: t.exposeString('when', { nullable: true }),
    instructions: t.exposeString('instructions', { nullable: true }),
    approval: t.expose('approval', { type: ApprovalRule }),
    carry: t.field({
      type: 'Carry',
      nullable: true,
      description: 'What of the Context such a Handoff passes on; null: everything.',
      select: { carry: true },
      resolve: ({ carry }) => (carry === null ? null : asCarry(carry)),
    }),
  }),
});

const Server = builder.objectRef<McpServer>('AgentMcpServer').implement({
  access: 'inherit',
  description: 'An MCP server that the definition of an Agent names. Baton neither starts nor calls it: a runner does.',
  fields: (t) => ({
    name: t.exposeString('name', { description: 'Name of the server, unique in the definition.' }),
    command: t.exposeString('command', {
      nullable: true,
      description: 'Program to start, which speaks over standard input and output; null when `url` is set.',
    }),
    args: t.stringList({ description: 'Arguments of the command, in order.', resolve: ({ args }) => [...args] }),
    env: t.stringList({
      description: 'Names of the environment variables that the server gets. Their values are never stored.',
      resolve: ({ env }) => [...env],
    }),
    url: t.exposeString('url', { nullable: true, description: 'Address of the server; null when `command` is set.' }),
  }),
});

const Definition = builder.objectRef<StoredDefinition>('AgentDefinition').implement({
  access: 'inherit',
  description: 'The file that an Agent was last imported from.',
  fields: (t) => ({
    path: t.exposeString('path', { description: 'Path of the file, as it was given.' }),
    contentHash: t.exposeString('contentHash', { description: 'SHA-256 of the file in hexadecimal.' }),
    importedAt: t.field({
      type: 'DateTime',
      description: 'Time of the last import that changed the Agent.',
      resolve: ({ importedAt }) => new Date(importedAt),
    }),
    tools: t.stringList({
      description:
        'Tools that the file lists; empty when it lists none. Baton does not use them: a runner allows no others of the MCP servers.',
      resolve: ({ tools }) => [...tools],
    }),
    mcpServers: t.field({
      type: [Server],
      listSize: partOfRecord,
      description: 'MCP servers that the file names, at most 20.',
      resolve: ({ mcpServers }) => [...(mcpServers ?? [])],
    }),
  }),
});

const Prompt = builder.objectRef<FilledPrompt>('AgentPrompt').implement({
  access: 'inherit',
  description: 'The instructions of an Agent with the values of their variables.',
  fields: (t) => ({
    text: t.exposeString('text', { description: 'The instructions; empty when the Agent has none.' }),
    missing: t.exposeStringList('missing', {
      description: 'Variables in the instructions without a value. They stay in the text as they are.',
    }),
    unused: t.exposeStringList('unused', { description: 'Given variables that the instructions do not mention.' }),
  }),
});

const promptArgs = z.object({
  variables: optional(jsonObject({ bytes: limits.fields.json })).describe(
    'Values by name, at most 64 KB. Texts are inserted as they are, other values as JSON; null gives no value. They take precedence over those that Baton knows.',
  ),
  sessionId: optional(idOf('session')).describe(
    'Session for SESSION_ID, EXTERNAL_ID and BRANCH. Null: they have no value.',
  ),
});

const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

builder.prismaObjectFields(modelRef('Agent'), (t) => ({
  collaborations: t.relation('collaborators', {
    access: 'ownAgent',
    listSize: 20,
    type: Collaboration,
    description: `Agents that it may hand off to by itself, each with the situation in which it should, in the order they were given. The same Agents as in \`collaborators\`. ${ofItself}`,
    query: { orderBy: { position: 'asc' } },
  }),
  model: t.exposeString('model', { access: 'inherit', nullable: true }),
  models: t.stringList({
    access: 'inherit',
    description: 'Models that the definition names, in the order in which they are tried; empty without one.',
    select: { model: true, definition: true },
    resolve: ({ model, definition }) =>
      (definition as unknown as StoredDefinition | null)?.models?.slice() ?? (model === null ? [] : [model]),
  }),
  definition: t.field({
    access: 'ownAgent',
    type: Definition,
    nullable: true,
    description: `The file that the Agent was last imported from; null when it was registered without one. ${ofItself}`,
    select: { definition: true },
    resolve: ({ definition }) => definition as unknown as StoredDefinition | null,
  }),
  prompt: t.field({
    access: 'ownAgent',
    cost: 10,
    type: Prompt,
    description: `The instructions with \`$NAME\` and \`\${NAME}\` replaced, once: values are not searched for further names. Baton knows AGENT_ID and BATON_URL, and with a Session SESSION_ID, EXTERNAL_ID and BRANCH. NOT_FOUND when the caller may not read the Session. ${ofItself}`,
    args: argsOf(promptArgs),
    select: { id: true, instructions: true },
    resolve: async ({ id, instructions }, args, { pool, caller, url }) => {
      const { variables, sessionId } = decodeArgs(promptArgs, args);
      const known = new Map([['AGENT_ID', id], ...(url === '' ? [] : [['BATON_URL', url] as const])]);
      if (sessionId !== null) {
        await demandReadableSession(pool, caller, sessionId);
        known.set('SESSION_ID', encodeId('session', sessionId));
        const { branch, externalId } = await namesOf(pool, caller, sessionId);
        if (branch !== null) known.set('BRANCH', branch);
        if (externalId !== null) known.set('EXTERNAL_ID', externalId);
      }
      const given = new Map(
        Object.entries(variables ?? {})
          .filter(([, value]) => value !== null)
          .map(([name, value]) => [name, textOf(value)]),
      );
      const filled = fillPrompt(instructions ?? '', given, known, limits.fields.content);
      if (filled === null)
        throw badArgument(
          `variables would make the prompt longer than ${limits.fields.content} characters: give shorter values`,
          ['variables'],
        );
      return filled;
    },
  }),
}));
