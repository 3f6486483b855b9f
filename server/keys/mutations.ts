import { z } from 'zod';
import { admins } from '../access/roles.ts';
import { NotFoundError } from '../core/errors.ts';
import { modelRef } from '../graphql/builder.ts';
import { Role } from '../graphql/enums.ts';
import { agentId, idOf, instant, nonBlank, oneOf, optional } from '../graphql/input/schemas.ts';
import { mutation, run, type Fields } from '../graphql/mutation.ts';
import { createKey, demandKeyInput, type CreateKeyAnswer } from './createKey.ts';
import { revokeKey } from './revokeKey.ts';

const keyOf = <Parent extends { keyId: string }>(t: Fields<Parent>) =>
  t.prismaField({
    type: modelRef('Key'),
    description: 'The key, as it is now.',
    resolve: (query, { keyId }, _args, { prisma }) => prisma.key.findUniqueOrThrow({ ...query, where: { id: keyId } }),
  });

mutation('createKey', {
  access: admins,
  description: 'Makes a key for an agent, a person or a program. For an ADMIN only.',
  input: z.object({
    role: oneOf(Role).describe('What its bearer may do.'),
    agentId: optional(agentId).describe('The Agent that it is bound to, not an archived one: required for AGENT, and refused for the other roles.'),
    name: nonBlank({ characters: 200 }).describe('What people call it: 1 to 200 characters, not blank. Several may have the same.'),
    expiresAt: optional(instant).describe('When it stops working, in the future; null for never.'),
  }),
  payload: {
    description: 'The key works from now on.',
    fields: (t: Fields<CreateKeyAnswer>) => ({
      key: keyOf(t),
      secret: t.exposeString('secret', {
        description: 'What its bearer sends as `Authorization: Bearer <secret>`. It is shown here and never again: Baton keeps a hash of it alone.',
      }),
    }),
  },
  errors: [NotFoundError],
  resolve(input, context) {
    demandKeyInput(input, new Date());
    return run(context, 'createKey', input, createKey);
  },
});

mutation('revokeKey', {
  access: admins,
  description:
    'Ends a key for good, at once, and closes what is open under it; also the one that you came with. Repeating it is no error and changes nothing. For an ADMIN only.',
  input: z.object({ keyId: idOf('key').describe('The key to end.') }),
  payload: { description: 'The key lets nobody in any more.', fields: (t) => ({ key: keyOf(t) }) },
  errors: [NotFoundError],
  command: revokeKey,
});
