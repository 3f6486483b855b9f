import type { Workspace } from '../context/derive/log.ts';
import { builder } from '../graphql/builder.ts';
import { MessageRole, TaskStatus } from '../graphql/enums.ts';
import { reportedUsage } from './queries.ts';

builder.objectType('Usage', {
  access: 'inherit',
  description: 'Tokens that models reported. Whole numbers; sums may exceed 32 bits.',
  fields: (t) => ({
    inputTokens: t.exposeFloat('inputTokens', { nullable: true, description: 'Tokens read, the cached ones excepted; null when nobody said.' }),
    outputTokens: t.exposeFloat('outputTokens', { nullable: true, description: 'Tokens written; null when nobody said.' }),
    cacheCreationInputTokens: t.exposeFloat('cacheCreationInputTokens', { nullable: true, description: 'Tokens put into a cache; null when nobody said.' }),
    cacheReadInputTokens: t.exposeFloat('cacheReadInputTokens', { nullable: true, description: 'Tokens read from a cache; null when nobody said.' }),
    model: t.exposeString('model', { nullable: true, description: 'The model that was used; null when nobody said, or several were.' }),
  }),
});

builder.objectType('Workspace', {
  access: 'inherit',
  description: 'Where the work stands.',
  fields: (t) => ({
    folder: t.exposeString('folder', { nullable: true, description: 'The working folder; null when not known.' }),
    branch: t.exposeString('branch', { nullable: true, description: 'The git branch; null when not known, or when none is checked out.' }),
    commit: t.exposeString('commit', { nullable: true, description: 'The last git commit, in full or shortened; null when not known.' }),
  }),
});

builder.prismaNode('Turn', {
  access: 'inherit',
  id: { field: 'id' },
  nullable: true,
  select: { id: true },
  description: 'One round of an Agent: its Messages, ToolCalls and tokens.',
  fields: (t) => ({
    index: t.exposeInt('index'),
    session: t.relation('session', { description: 'The Session that it is in.' }),
    agentSession: t.relation('agentSession', {
      nullable: true,
      description: 'The tenure that it belongs to; null when it holds only USER or SYSTEM Messages, which belong to no Agent, or was imported while nobody held the Session.',
    }),
    messages: t.relation('messages', { listSize: 50, query: { orderBy: { sequence: 'asc' } }, description: 'Its Messages, in order.' }),
    toolCalls: t.relation('toolCalls', { listSize: 50, query: { orderBy: { index: 'asc' } }, description: 'Its ToolCalls, in order.' }),
    usage: t.field({
      type: 'Usage',
      nullable: true,
      description: 'The tokens it took; null when nobody said.',
      select: { inputTokens: true, outputTokens: true, cacheCreationInputTokens: true, cacheReadInputTokens: true, model: true },
      resolve: reportedUsage,
    }),
    workspace: t.field({
      type: 'Workspace',
      nullable: true,
      description: 'Where the work stood, as the Agent or its transcript said; null when neither did.',
      select: { workspace: true },
      resolve: ({ workspace }) => workspace as Workspace | null,
    }),
    truncated: t.exposeBoolean('truncated'),
    startedAt: t.expose('startedAt', { type: 'DateTime', description: 'When it began, or was recorded when nobody said.' }),
  }),
});

builder.prismaNode('Message', {
  access: 'inherit',
  id: { field: 'id' },
  nullable: true,
  select: { id: true },
  description: "An entry of a Session's log.",
  fields: (t) => ({
    sequence: t.exposeInt('sequence'),
    role: t.expose('role', { type: MessageRole, description: 'Who speaks.' }),
    content: t.exposeString('content', { description: 'What is said.' }),
    session: t.relation('session', { description: 'The Session that it is in.' }),
    agentSession: t.relation('agentSession', {
      nullable: true,
      description: 'The tenure that it belongs to; null when it belongs to no Agent.',
    }),
    turn: t.relation('turn', { nullable: true, description: 'The Turn that it belongs to; null for HANDOFF.' }),
    handoff: t.relation('handoff', { nullable: true, description: 'The Handoff that it marks; null unless its role is HANDOFF.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was said, or recorded when nobody said.' }),
    recordedBy: t.field({
      type: 'Actor',
      nullable: true,
      description: 'The caller that recorded it. A USER Message recorded by role AGENT was written by an Agent, not by a person. Null for Messages that are older than this field.',
      select: { recordedBy: true, recordedRole: true },
      resolve: ({ recordedBy, recordedRole }) => (recordedBy === null ? null : { actorPrincipal: recordedBy, actorRole: recordedRole }),
    }),
  }),
});

builder.prismaNode('ToolCall', {
  access: 'inherit',
  id: { field: 'id' },
  nullable: true,
  select: { id: true },
  description: 'One call of a tool, made in a Turn.',
  fields: (t) => ({
    callId: t.exposeString('callId'),
    name: t.exposeString('name'),
    arguments: t.expose('arguments', { type: 'JSON', nullable: true, description: 'What the tool was given; null when nothing.' }),
    result: t.exposeString('result', { nullable: true }),
    error: t.exposeString('error', { nullable: true }),
    filesModified: t.exposeStringList('filesModified'),
    index: t.exposeInt('index'),
    sequence: t.exposeInt('sequence'),
    turn: t.relation('turn', { description: 'The Turn that it was made in.' }),
    message: t.relation('message', { nullable: true, description: 'The Message that made it; null when it came without one.' }),
  }),
});

builder.prismaNode('Decision', {
  access: 'inherit',
  id: { field: 'id' },
  nullable: true,
  select: { id: true },
  description: 'Something that was settled in a Session. Every later Handoff carries it.',
  fields: (t) => ({
    text: t.exposeString('text', { description: 'What was settled.' }),
    recordedAt: t.expose('recordedAt', { type: 'DateTime' }),
    agentSession: t.relation('agentSession', { nullable: true, description: 'The tenure that it was recorded in; null when nobody held the Session.' }),
  }),
});

builder.prismaNode('Task', {
  access: 'inherit',
  id: { field: 'id' },
  nullable: true,
  select: { id: true },
  description: "An entry of a Session's present list of things to do.",
  fields: (t) => ({
    position: t.exposeInt('position'),
    content: t.exposeString('content', { description: 'What is to be done.' }),
    status: t.expose('status', { type: TaskStatus, description: 'How far it is.' }),
  }),
});
