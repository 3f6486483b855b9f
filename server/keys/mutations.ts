import { z } from 'zod';
import { NotFoundError } from '../core/errors.ts';
import { builder, modelRef, type Types } from '../graphql/builder.ts';
import { Role } from '../graphql/enums.ts';
import { agentId, decodeInput, idOf, instant, nonBlank, optional } from '../graphql/input.ts';
import { run } from '../graphql/mutation.ts';
import { createKey, demandKeyInput, type CreateKeyAnswer } from './createKey.ts';
import { revokeKey, type RevokeKeyAnswer } from './revokeKey.ts';

const keyOf = <Parent extends { keyId: string }>(t: PothosSchemaTypes.ObjectFieldBuilder<Types, Parent>) =>
  t.prismaField({
    type: modelRef('Key'),
    description: 'The key, as it is now.',
    resolve: (query, { keyId }, _args, { prisma }) => prisma.key.findUniqueOrThrow({ ...query, where: { id: keyId } }),
  });

const CreateKeyPayload = builder.objectRef<CreateKeyAnswer>('CreateKeyPayload').implement({
  description: 'The key works from now on.',
  fields: (t) => ({
    key: keyOf(t),
    secret: t.exposeString('secret', {
      description: 'What its bearer sends as `Authorization: Bearer <secret>`. It is shown here and never again: Baton keeps a hash of it alone.',
    }),
  }),
});

const RevokeKeyPayload = builder.objectRef<RevokeKeyAnswer>('RevokeKeyPayload').implement({
  description: 'The key lets nobody in any more.',
  fields: (t) => ({ key: keyOf(t) }),
});

const createInput = z.object({
  role: z.enum(['AGENT', 'OPERATOR', 'ANALYST', 'ADMIN']),
  agentId: optional(agentId),
  name: nonBlank({ characters: 200 }),
  expiresAt: optional(instant),
});

builder.mutationFields((t) => ({
  createKey: t.fieldWithInput({
    type: CreateKeyPayload,
    description: 'Makes a key for an agent, a person or a program. For an ADMIN only.',
    errors: { types: [NotFoundError] },
    input: {
      role: t.input.field({ type: Role, required: true, description: 'What its bearer may do.' }),
      agentId: t.input.id({ description: 'The Agent that it is bound to, not an archived one: required for AGENT, and refused for the other roles.' }),
      name: t.input.string({ required: true, description: 'What people call it: 1 to 200 characters, not blank. Several may have the same.' }),
      expiresAt: t.input.field({ type: 'DateTime', description: 'When it stops working, in the future; null for never.' }),
    },
    resolve(_root, { input }, context) {
      const decoded = decodeInput(createInput, input);
      demandKeyInput(decoded, new Date());
      return run(context, 'createKey', decoded, createKey);
    },
  }),
  revokeKey: t.fieldWithInput({
    type: RevokeKeyPayload,
    description:
      'Ends a key for good, at once, and closes what is open under it; also the one that you came with. Repeating it is no error and changes nothing. For an ADMIN only.',
    errors: { types: [NotFoundError] },
    input: { keyId: t.input.id({ required: true, description: 'The key to end.' }) },
    resolve: (_root, { input }, context) => run(context, 'revokeKey', decodeInput(z.object({ keyId: idOf('key') }), input), revokeKey),
  }),
}));
