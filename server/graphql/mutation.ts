import { demandMutation } from '../access/guard.ts';
import { runWork } from '../core/runWork.ts';
import type { Answer, Work } from '../core/work.ts';
import { redactInput } from '../redaction/redact.ts';
import { modelRef, type Types } from './builder.ts';
import type { GraphQLContext, Settings } from './context.ts';

type Command<Input, A extends Answer> = (work: Work, input: Input, settings: Settings) => Promise<A>;

/**
 * Runs a command on the decoded input, in a transaction of its own, as whoever asks, if their role may. Secrets are taken out here, before
 * the command and before the hash that an idempotency key is bound to: what follows never sees them.
 */
export function run<Input extends object, A extends Answer>(
  { pool, log, caller, settings, streams }: GraphQLContext,
  mutation: string,
  decoded: Input & { idempotencyKey?: string | null },
  command: Command<Input, A>,
): Promise<A> {
  demandMutation(caller, mutation);
  const redacted = redactInput(decoded);
  const { idempotencyKey = null, ...input } = redacted;
  return runWork({ pool, announcer: streams, log, caller, mutation, input, idempotencyKey }, (work) => command(work, redacted, settings));
}

export type Inputs = PothosSchemaTypes.InputFieldBuilder<Types, 'InputObject'>;

/** The `idempotencyKey` of a mutation (rule: idempotency). */
export const keyInput = (input: Inputs) =>
  input.string({ description: '1 to 128 characters of yours: a repeat with the same input within 24 hours changes nothing and answers the same.' });

type Fields<Parent> = PothosSchemaTypes.ObjectFieldBuilder<Types, Parent>;

// What payloads carry, read after the commit: a repeat under an idempotency key sees the present state too.

export const sessionOf = <Parent extends { sessionId: string }>(t: Fields<Parent>) =>
  t.prismaField({
    type: modelRef('Session'),
    description: 'The Session, as it is now.',
    resolve: (query, { sessionId }, _args, { prisma }) =>
      prisma.session.findUniqueOrThrow({ ...query, relationLoadStrategy: 'join', where: { id: sessionId } }),
  });

export const handoffOf = <Parent extends { handoffId: string }>(t: Fields<Parent>) =>
  t.prismaField({
    type: modelRef('Handoff'),
    description: 'The Handoff, as it is now.',
    resolve: (query, { handoffId }, _args, { prisma }) =>
      prisma.handoff.findUniqueOrThrow({ ...query, relationLoadStrategy: 'join', where: { id: handoffId } }),
  });

export const agentOf = <Parent extends { agentId: string }>(t: Fields<Parent>) =>
  t.prismaField({
    type: modelRef('Agent'),
    description: 'The Agent, as it is now.',
    resolve: (query, { agentId }, _args, { prisma }) =>
      prisma.agent.findUniqueOrThrow({ ...query, relationLoadStrategy: 'join', where: { id: agentId } }),
  });
