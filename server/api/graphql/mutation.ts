import type { FieldMap } from '@pothos/core';
import type { z } from 'zod';
import { inPieces } from '../../core/breaks.ts';
import type { DomainError } from '../../core/errors.ts';
import { observed } from '../../core/observed.ts';
import type { Answer, Caller, Work } from '../../core/work.ts';
import { runAct } from '../../work/queue/runCommand.ts';
import { redactingInput } from '../../work/redaction/redact.ts';
import { demandRole } from '../access/guard.ts';
import type { Roles } from '../access/roles.ts';
import { builder, capitalized, modelRef, type Types } from './builder.ts';
import type { GraphQLContext, Settings } from './context.ts';
import { decodeInput } from './input/schemas.ts';
import { inputType } from './input/types.ts';

/** The input without its secrets. Pauses between pieces. */
export const withoutSecrets = <Input extends object>(input: Input): Promise<Input> => inPieces(redactingInput(input));

type Command<Input, A extends Answer> = (work: Work, input: Input, settings: Settings) => Promise<A>;

/**
 * Runs a command on the decoded input in its own transaction. Secrets are redacted first: neither the command nor the
 * hash for the idempotency key sees them. @throws ForbiddenError when the caller's role may not make this mutation.
 */
export async function run<Input extends object, A extends Answer>(
  { pool, log, caller, settings, streams }: GraphQLContext,
  mutation: string,
  decoded: Input & { idempotencyKey?: string | null },
  command: Command<Input, A>,
): Promise<A> {
  demandMutation(caller, mutation);
  const redacted = await withoutSecrets(decoded);
  const { idempotencyKey = null, ...input } = redacted;
  const answer = await runAct({ pool, announcer: streams, log, caller, mutation, input, idempotencyKey }, (work) =>
    command(work, redacted, settings),
  );
  const agentId = caller.agentId ?? speakerIn(mutation, input);
  if (agentId !== null) streams?.presence.seen(agentId);
  return answer;
}

/** Mutations whose `agentId` names the agent that acts. */
const speaking = new Set(['appendTurn', 'importTranscript', 'executeHandoffTool', 'executeHandoffs']);
const speakerIn = (mutation: string, { agentId }: { agentId?: string | null }): string | null =>
  speaking.has(mutation) ? (agentId ?? null) : null;

interface Declaration<S extends z.ZodType<object>, A> {
  access: Roles;
  description: string;
  input: S;
  payload: { description: string; fields: (t: Fields<A>) => FieldMap };
  /** Members of the result union besides BadUserInputError. */
  errors: (new (...args: never[]) => DomainError)[];
}
type Does<Input extends object, A extends Answer> =
  | { command: Command<Input, A>; resolve?: undefined }
  /** For mutations that do more than run a command. Must call `run` or `demandMutation`. */
  | { resolve: (input: Input, context: GraphQLContext) => Promise<A>; command?: undefined };

const roles = new Map<string, Roles>();

/** Declares `name(input: NameInput!): NameResult!`, a union of `NamePayload` and its errors. */
export function mutation<S extends z.ZodType<object>, A extends Answer>(
  name: string,
  {
    access,
    description,
    input: schema,
    payload,
    errors,
    command,
    resolve = (input, context) => run(context, name, input, command!),
  }: Declaration<S, A> & Does<z.output<S>, A>,
): void {
  const stem = capitalized(name);
  roles.set(name, access);
  const input = inputType(`${stem}Input`, 'Input of the mutation of the same name.', schema);
  const type = builder.objectRef<A>(`${stem}Payload`).implement({ access: 'inherit', ...payload });
  builder.mutationField(name, (t) =>
    t.field({
      access,
      type,
      description,
      errors: { types: errors },
      args: { input: t.arg({ type: input, required: true, description: 'Input of the mutation.' }) },
      resolve: (_root, args, context) =>
        measured(name, args.input as object, context, () => resolve(decodeInput(schema, args.input), context)) as never,
    }),
  );
}

async function measured<A extends object>(
  name: string,
  input: object,
  { pool, caller }: GraphQLContext,
  execute: () => Promise<A>,
): Promise<A> {
  const started = performance.now();
  const ended = (error: unknown, answer?: A): void =>
    observed('mutation', pool, { name, input, answer, caller, ms: performance.now() - started, error });
  try {
    const answer = await execute();
    ended(undefined, answer);
    return answer;
  } catch (error) {
    ended(error);
    throw error;
  }
}

/** @throws ForbiddenError when the caller's role may not make this mutation on any record. */
export const demandMutation = (caller: Caller, name: string): void => demandRole(caller, name, roles.get(name) ?? []);

export type Fields<Parent> = PothosSchemaTypes.ObjectFieldBuilder<Types, Parent>;

// Fields of payloads, read after the commit: a repeat with the same idempotency key returns the current state.

export const sessionOf = <Parent extends { sessionId: string }>(t: Fields<Parent>) =>
  t.prismaField({
    type: modelRef('Session'),
    description: 'The Session in its current state.',
    resolve: (query, { sessionId }, _args, { prisma }) =>
      prisma.session.findUniqueOrThrow({ ...query, where: { id: sessionId } }),
  });

export const handoffOf = <Parent extends { handoffId: string }>(t: Fields<Parent>) =>
  t.prismaField({
    type: modelRef('Handoff'),
    description: 'The Handoff in its current state.',
    resolve: (query, { handoffId }, _args, { prisma }) =>
      prisma.handoff.findUniqueOrThrow({ ...query, where: { id: handoffId } }),
  });

/** Of a move that may wait in the queue. */
export const handoffIfMade = <Parent extends { handoffId: string | null }>(t: Fields<Parent>, description: string) =>
  t.prismaField({
    type: modelRef('Handoff'),
    nullable: true,
    description,
    resolve: (query, { handoffId }, _args, { prisma }) =>
      handoffId === null ? null : prisma.handoff.findUniqueOrThrow({ ...query, where: { id: handoffId } }),
  });

export const agentOf = <Parent extends { agentId: string }>(t: Fields<Parent>) =>
  t.prismaField({
    type: modelRef('Agent'),
    description: 'The Agent in its current state.',
    resolve: (query, { agentId }, _args, { prisma }) =>
      prisma.agent.findUniqueOrThrow({ ...query, where: { id: agentId } }),
  });
