import { presenceOf } from '../../delivery/live/presence.ts';
import { batched } from '../graphql/batch.ts';
import { builder, modelRef } from '../graphql/builder.ts';

builder.prismaObjectFields(modelRef('Agent'), (t) => ({
  connected: t.boolean({
    access: 'inherit',
    description:
      'Whether a stream of the Agent is open at any server process: a subscription to its inbox, by any caller, or any stream with its key or at its /mcp address. True for up to 15 seconds after a server process was killed.',
    select: { id: true },
    resolve: async ({ id }, _args, context, info) =>
      (await batched(context, ofParent(info), id, (ids) => presenceOf(context.pool, ids)))!.connected,
  }),
  lastSeenAt: t.field({
    access: 'inherit',
    type: 'DateTime',
    nullable: true,
    description:
      'Time at which the Agent last made a mutation or had a stream open, up to a minute early; null when it was never seen.',
    select: { id: true },
    resolve: async ({ id }, _args, context, info) =>
      (await batched(context, ofParent(info), id, (ids) => presenceOf(context.pool, ids)))!.lastSeenAt,
  }),
}));

/** Both fields share one statement. */
const ofParent = ({ path: { prev } }: { path: { prev: Parameters<typeof batched>[1]['path'] | undefined } }) => ({
  path: { prev, key: 'presence', typename: undefined },
});
