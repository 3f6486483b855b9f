import { z } from 'zod';
import { NotFoundError } from '../../core/errors.ts';
import { createKey, demandKeyInput, type CreateKeyAnswer } from '../../work/keys/createKey.ts';
import { revokeKey } from '../../work/keys/revokeKey.ts';
import { admins } from '../access/roles.ts';
import { modelRef } from '../graphql/builder.ts';
import { Role } from '../graphql/enums.ts';
import { agentId, idOf, instant, nonBlank, oneOf, optional } from '../graphql/input/schemas.ts';
import { mutation, run, type Fields } from '../graphql/mutation.ts';

const keyOf = <Parent extends { keyId: string }>(t: Fields<Parent>) =>
  t.prismaField({
    type: modelRef('Key'),
    description: 'The key in its current state.',
    resolve: (query, { keyId }, _args, { prisma }) => prisma.key.findUniqueOrThrow({ ...query, where: { id: keyId } }),
  });

mutation('createKey', {
  access: admins,
  description: 'Creates a key for an agent, a person or a program. FORBIDDEN unless the caller is an ADMIN.',
  input: z.object({
    role: oneOf(Role).describe('Role of callers that use the key.'),
    agentId: optional(agentId).describe(
      'The Agent that the key is bound to, not archived. Required for role AGENT; refused for other roles.',
    ),
    name: nonBlank({ characters: 200 }).describe('Display name: 1 to 200 characters, not blank. Need not be unique.'),
    expiresAt: optional(instant).describe('Time at which the key expires, in the future. Null: never.'),
  }),
  payload: {
    description: 'The key was created and is valid.',
    fields: (t: Fields<CreateKeyAnswer>) => ({
      key: keyOf(t),
      secret: t.exposeString('secret', {
        description: 'Secret to send as `Authorization: Bearer <secret>`. Returned only here; Baton keeps a hash.',
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
    "Revokes a key for good, at once, and closes its connections; also the caller's own key. Repeating the call succeeds and changes nothing. FORBIDDEN unless the caller is an ADMIN.",
  input: z.object({ keyId: idOf('key').describe('The key to revoke.') }),
  payload: { description: 'The key was revoked and is rejected from now on.', fields: (t) => ({ key: keyOf(t) }) },
  errors: [NotFoundError],
  command: revokeKey,
});
