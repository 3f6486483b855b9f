import type { Caller } from '../../core/work.ts';
import { admins, everybody } from '../access/roles.ts';
import { builder, modelRef } from '../graphql/builder.ts';
import { connectionRef, pageArgs, rootPage } from '../graphql/connection.ts';
import { Role } from '../graphql/enums.ts';
import type { Order } from '../graphql/page.ts';

builder.prismaNode('Key', {
  access: 'inherit',
  id: { field: 'id' },
  nullable: true,
  select: { id: true },
  description: 'Identifies a caller. The secret is returned once, at creation; only its hash is stored.',
  fields: (t) => ({
    name: t.exposeString('name'),
    role: t.expose('role', { type: Role, description: 'Role of callers that use the key.' }),
    agent: t.relation('agent', {
      nullable: true,
      description: 'The Agent that the key is bound to; null unless the role is AGENT.',
    }),
    createdBy: t.exposeString('createdBy'),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'Time of creation.' }),
    expiresAt: t.expose('expiresAt', { type: 'DateTime', nullable: true }),
    revokedAt: t.expose('revokedAt', { type: 'DateTime', nullable: true }),
  }),
});

const order: Order = { name: 'key', columns: { createdAt: 'time', id: 'uuid' }, direction: 'desc' };

builder.queryField('keys', (t) =>
  t.field({
    access: admins,
    type: connectionRef('Key'),
    description:
      'Lists the keys, including revoked and expired ones, newest first. FORBIDDEN unless the caller is an ADMIN.',
    args: pageArgs,
    resolve: (_root, args, context, info) => rootPage('Key', { args, order, oneOf: [{}] }, context, info),
  }),
);

const Viewer = builder.objectRef<Caller>('Viewer').implement({
  access: 'inherit',
  description: 'The caller.',
  fields: (t) => ({
    role: t.field({
      type: Role,
      nullable: true,
      description: 'Role of the caller; ADMIN on a server without keys.',
      resolve: ({ role }) => role,
    }),
    agent: t.field({
      type: modelRef('Agent'),
      nullable: true,
      description: "The Agent that the caller's key is bound to; null for other roles.",
      resolve: ({ agentId }) => (agentId === null ? null : { id: agentId }),
    }),
    key: t.field({
      type: modelRef('Key'),
      nullable: true,
      description: "The caller's key; null without a key, and for BATON_ADMIN_KEY.",
      resolve: ({ keyId }) => (keyId === null ? null : { id: keyId }),
    }),
  }),
});

builder.queryField('viewer', (t) =>
  t.field({
    access: everybody,
    type: Viewer,
    description: 'Returns the caller.',
    resolve: (_root, _args, { caller }) => caller,
  }),
);
