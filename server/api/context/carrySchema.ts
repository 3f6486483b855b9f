import { asCarry, defaultLast } from '../../work/context/carry.ts';
import { builder, modelRef } from '../graphql/builder.ts';
import { CarriedMessages, CarriedToolCalls } from '../graphql/enums.ts';

builder.objectType('Carry', {
  access: 'inherit',
  description: 'What of the Context a Handoff passes on. The target reads only that, and what was recorded since.',
  fields: (t) => ({
    messages: t.expose('messages', { type: CarriedMessages, description: 'Messages that are passed on.' }),
    lastMessages: t.int({
      nullable: true,
      description: 'Number of Messages; null unless `messages` is LAST.',
      resolve: ({ messages, lastMessages }) => (messages === 'LAST' ? (lastMessages ?? defaultLast) : null),
    }),
    toolCalls: t.expose('toolCalls', { type: CarriedToolCalls, description: 'What is passed on of tool calls.' }),
    files: t.exposeBoolean('files', { description: 'Whether the paths of changed files are passed on.' }),
    tasks: t.exposeBoolean('tasks', { description: 'Whether tasks are passed on.' }),
    decisions: t.exposeBoolean('decisions', { description: 'Whether decisions are passed on.' }),
    variables: t.stringList({
      nullable: true,
      description: 'Names of the context variables that are passed on; null for all.',
      resolve: ({ variables }) => variables && [...variables],
    }),
    maxTokens: t.exposeInt('maxTokens', {
      nullable: true,
      description:
        "Greatest number of estimated tokens (bytes / 4), without the target's instructions; null for no limit.",
    }),
  }),
});

builder.prismaObjectFields(modelRef('Handoff'), (t) => ({
  carry: t.field({
    type: 'Carry',
    nullable: true,
    description: 'What the Handoff was to pass on; null: everything that its source could read.',
    select: { carry: true },
    resolve: ({ carry }) => (carry === null ? null : asCarry(carry)),
  }),
}));
