import { admins, everybody } from '../access/roles.ts';
import type { Caller } from '../core/work.ts';
import { builder, modelRef } from '../graphql/builder.ts';
import { connectionRef, pageArgs, rootPage } from '../graphql/connection.ts';
import { Role } from '../graphql/enums.ts';
import type { Order } from '../graphql/page.ts';

builder.prismaNode('Key', {
  access: 'inherit',
  id: { field: 'id' },
  nullable: true,
  select: { id: true },
  description: 'What a caller shows to be let in. Its secret is shown once, when it is made, and kept nowhere.',
  fields: (t) => ({
    name: t.exposeString('name'),
    role: t.expose('role', { type: Role, description: 'What its bearer may do.' }),
    agent: t.relation('agent', { nullable: true, description: 'The Agent that it is bound to; null unless its role is AGENT.' }),
    createdBy: t.exposeString('createdBy'),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was made.' }),
    expiresAt: t.expose('expiresAt', { type: 'DateTime', nullable: true }),
    revokedAt: t.expose('revokedAt', { type: 'DateTime', nullable: true }),
  }),
});

const order: Order = { name: 'key', columns: { createdAt: 'time', id: 'uuid' }, direction: 'desc' };

builder.queryField('keys', (t) =>
  t.field({
    access: admins,
    type: connectionRef('Key'),
    description: 'The keys, revoked and expired ones too, the last made first. For an ADMIN only: FORBIDDEN for others.',
    args: pageArgs,
    resolve: (_root, args, context, info) => rootPage('Key', { args, order, oneOf: [{}] }, context, info),
  }),
);

const Viewer = builder.objectRef<Caller>('Viewer').implement({
  access: 'inherit',
  description: 'Who asks.',
  fields: (t) => ({
    role: t.field({ type: Role, nullable: true, description: 'What you may do; ADMIN on a server without keys.', resolve: ({ role }) => role }),
    agent: t.field({
      type: modelRef('Agent'),
      nullable: true,
      description: 'The Agent that your key is bound to; null for everybody else.',
      resolve: ({ agentId }) => (agentId === null ? null : { id: agentId }),
    }),
    key: t.field({
      type: modelRef('Key'),
      nullable: true,
      description: 'The key that you came with; null without one, and for the key that the server was started with (BATON_ADMIN_KEY).',
      resolve: ({ keyId }) => (keyId === null ? null : { id: keyId }),
    }),
  }),
});

builder.queryField('viewer', (t) =>
  t.field({ access: everybody, type: Viewer, description: 'Who asks, and what they may do.', resolve: (_root, _args, { caller }) => caller }),
);
