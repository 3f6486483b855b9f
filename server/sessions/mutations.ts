import { z } from 'zod';
import {
  AgentAtCapacityError,
  AgentTypeMismatchError,
  AgentUnavailableError,
  ConflictError,
  IdempotencyMismatchError,
  InvalidStateError,
  NoAgentAvailableError,
  NotFoundError,
} from '../core/errors.ts';
import { builder } from '../graphql/builder.ts';
import {
  agentId,
  agentType,
  contextVariables,
  decodeInput,
  idempotencyKey,
  idOf,
  integer,
  KB,
  metadata,
  nonBlank,
  optional,
  reason,
  summary,
  title,
} from '../graphql/input.ts';
import { keyInput, run, sessionOf } from '../graphql/mutation.ts';
import { cancelSession, completeSession, failSession, pauseSession, resumeSession } from './changeSession.ts';
import { createSession, type SessionAnswer } from './createSession.ts';
import { updateSession } from './updateSession.ts';

const payload = (name: string, description: string) =>
  builder.objectRef<SessionAnswer>(name).implement({ description, fields: (t) => ({ session: sessionOf(t) }) });

const createInput = z.object({
  title,
  agentId: optional(agentId),
  agentType: optional(agentType),
  metadata: optional(metadata),
  contextVariables: optional(contextVariables),
  maxHandoffs: optional(integer(0, 10_000)).transform((max) => max ?? 5),
  handoffsEnabled: optional(z.boolean()),
  idempotencyKey: optional(idempotencyKey),
});

builder.mutationField('createSession', (t) =>
  t.fieldWithInput({
    type: payload('CreateSessionPayload', 'The Session exists.'),
    description:
      'Creates a Session. With an Agent (named, or the least loaded of a type) it runs at once and that Agent holds it; without, it is paused and unassigned.',
    errors: {
      types: [NotFoundError, IdempotencyMismatchError, AgentTypeMismatchError, AgentUnavailableError, AgentAtCapacityError, NoAgentAvailableError],
    },
    input: {
      title: t.input.string({ required: true, description: 'What the work is, in 1 to 500 characters.' }),
      agentId: t.input.id({ description: 'The Agent that gets it; null for none, or for one of `agentType`.' }),
      agentType: t.input.string({ description: 'The type of the Agent that gets it: the least loaded one that is available. With `agentId` the two must agree.' }),
      metadata: t.input.field({ type: 'JSON', description: 'What you want to keep with it, up to 64 KB.' }),
      contextVariables: t.input.field({
        type: 'JSON',
        description: 'Names and values that its Agents share, an object of up to 64 KB. Names that begin with `_` are refused.',
      }),
      maxHandoffs: t.input.int({ defaultValue: 5, description: 'How many handoffs its Agents may start between two acts of an operator: 0 to 10,000.' }),
      handoffsEnabled: t.input.boolean({ description: "Whether its Agents may hand it off themselves; the server's default (BATON_HANDOFFS_ENABLED) when null." }),
      idempotencyKey: keyInput(t.input),
    },
    resolve: (_root, { input }, context) => {
      const decoded = decodeInput(createInput, input);
      const handoffsEnabled = decoded.handoffsEnabled ?? context.settings.handoffsEnabled;
      return run(context, 'createSession', { ...decoded, handoffsEnabled }, createSession);
    },
  }),
);

const sessionId = idOf('session');
const expectedVersion = optional(integer(1));
const types = [NotFoundError, ConflictError, InvalidStateError];
const repeatable = 'Repeating it is no error and changes nothing.';

// Left out means unchanged; so does null, but for metadata, which it clears.
const kept = <S extends z.ZodType>(schema: S) => schema.nullish().transform((value) => value ?? undefined);
const updateInput = z.object({
  sessionId,
  title: kept(title),
  metadata: metadata.optional(),
  contextVariables: kept(contextVariables),
  handoffsEnabled: kept(z.boolean()),
  maxHandoffs: kept(integer(0, 10_000)),
  expectedVersion,
});

builder.mutationFields((t) => {
  const input = {
    sessionId: t.input.id({ required: true, description: 'The Session to change.' }),
    expectedVersion: t.input.int({ description: 'Refuse with CONFLICT unless the Session is at this version; null to change it whatever its version.' }),
  };
  return {
    updateSession: t.fieldWithInput({
      type: payload('UpdateSessionPayload', 'The Session has these fields.'),
      description: `Changes what is given of an open Session and leaves the rest. An AGENT changes only the title of a Session that it holds: FORBIDDEN for the other fields. ${repeatable}`,
      errors: { types },
      input: {
        ...input,
        title: t.input.string({ description: 'The new title, 1 to 500 characters.' }),
        metadata: t.input.field({ type: 'JSON', description: 'Replaces the metadata, up to 64 KB; null removes it.' }),
        contextVariables: t.input.field({
          type: 'JSON',
          description: 'Names and values to set, an object of up to 64 KB. The other variables stay; a value of null removes its variable. Names that begin with `_` are refused.',
        }),
        handoffsEnabled: t.input.boolean({ description: 'Whether its Agents may hand it off themselves.' }),
        maxHandoffs: t.input.int({ description: 'How many handoffs its Agents may start between two acts of an operator: 0 to 10,000.' }),
      },
      resolve: (_root, args, context) => run(context, 'updateSession', decodeInput(updateInput, args.input), updateSession),
    }),
    pauseSession: t.fieldWithInput({
      type: payload('PauseSessionPayload', 'The Session is paused.'),
      description: `Stops the work for now; the holder keeps the Session and its place. ${repeatable}`,
      errors: { types },
      input,
      resolve: (_root, args, context) => run(context, 'pauseSession', decodeInput(z.object({ sessionId, expectedVersion }), args.input), pauseSession),
    }),
    resumeSession: t.fieldWithInput({
      type: payload('ResumeSessionPayload', 'The Session runs.'),
      description: `Goes on with a paused Session that somebody holds. ${repeatable}`,
      errors: { types },
      input,
      resolve: (_root, args, context) => run(context, 'resumeSession', decodeInput(z.object({ sessionId, expectedVersion }), args.input), resumeSession),
    }),
    completeSession: t.fieldWithInput({
      type: payload('CompleteSessionPayload', 'The Session is completed.'),
      description: `The work is done: closes the open Handoff and frees the holder's place. ${repeatable}`,
      errors: { types },
      input: {
        ...input,
        result: t.input.field({ type: 'JSON', description: 'What came of it, any JSON of up to 64 KB.' }),
        summary: t.input.string({ description: 'What was done, for people: up to 32 KB.' }),
      },
      resolve: (_root, args, context) =>
        run(
          context,
          'completeSession',
          decodeInput(z.object({ sessionId, expectedVersion, result: optional(metadata), summary: optional(summary) }), args.input),
          completeSession,
        ),
    }),
    failSession: t.fieldWithInput({
      type: payload('FailSessionPayload', 'The Session has failed.'),
      description: `The work cannot be done: fails an accepted Handoff with it and frees the holder's place. ${repeatable}`,
      errors: { types },
      input: { ...input, reason: t.input.string({ required: true, description: 'Why, for people: up to 4 KB, not blank.' }) },
      resolve: (_root, args, context) =>
        run(context, 'failSession', decodeInput(z.object({ sessionId, expectedVersion, reason: nonBlank({ bytes: 4 * KB }) }), args.input), failSession),
    }),
    cancelSession: t.fieldWithInput({
      type: payload('CancelSessionPayload', 'The Session is cancelled.'),
      description: `The work is no longer wanted: closes the open Handoff and frees the holder's place. ${repeatable}`,
      errors: { types },
      input: { ...input, reason: t.input.string({ description: 'Why, for people: up to 4 KB.' }) },
      resolve: (_root, args, context) =>
        run(context, 'cancelSession', decodeInput(z.object({ sessionId, expectedVersion, reason: optional(reason) }), args.input), cancelSession),
    }),
  };
});
