import { z } from 'zod';
import { operators, workers } from '../access/roles.ts';
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
import { agentId, agentType, contextVariables, idOf, integer, KB, keyField, kept, metadata, nonBlank, optional, reason, summary, title, withDefault } from '../graphql/input/schemas.ts';
import { mutation, run, sessionOf, type Fields } from '../graphql/mutation.ts';
import { cancelSession, completeSession, failSession, pauseSession, resumeSession } from './changeSession.ts';
import { createSession, type SessionAnswer } from './createSession.ts';
import { updateSession } from './updateSession.ts';

const payload = (description: string) => ({ description, fields: (t: Fields<SessionAnswer>) => ({ session: sessionOf(t) }) });

const maxHandoffs = integer(0, 10_000);

mutation('createSession', {
  access: operators,
  description:
    'Creates a Session. With an Agent (named, or the least loaded of a type) it runs at once and that Agent holds it; without, it is paused and unassigned.',
  input: z.object({
    title: title.describe('What the work is, in 1 to 500 characters.'),
    agentId: optional(agentId).describe('The Agent that gets it; null for none, or for one of `agentType`.'),
    agentType: optional(agentType).describe('The type of the Agent that gets it: the least loaded one that is available. With `agentId` the two must agree.'),
    metadata: optional(metadata).describe('What you want to keep with it, up to 64 KB.'),
    contextVariables: optional(contextVariables).describe('Names and values that its Agents share, an object of up to 64 KB. Names that begin with `_` are refused.'),
    maxHandoffs: withDefault(maxHandoffs, 5).describe('How many handoffs its Agents may start between two acts of an operator: 0 to 10,000.'),
    handoffsEnabled: optional(z.boolean()).describe("Whether its Agents may hand it off themselves; the server's default (BATON_HANDOFFS_ENABLED) when null."),
    ...keyField,
  }),
  payload: payload('The Session exists.'),
  errors: [NotFoundError, IdempotencyMismatchError, AgentTypeMismatchError, AgentUnavailableError, AgentAtCapacityError, NoAgentAvailableError],
  resolve: (input, context) =>
    run(context, 'createSession', { ...input, handoffsEnabled: input.handoffsEnabled ?? context.settings.handoffsEnabled }, createSession),
});

const change = {
  sessionId: idOf('session').describe('The Session to change.'),
  expectedVersion: optional(integer(1)).describe('Refuse with CONFLICT unless the Session is at this version; null to change it whatever its version.'),
};
const errors = [NotFoundError, ConflictError, InvalidStateError];
const repeatable = 'Repeating it is no error and changes nothing.';

mutation('updateSession', {
  access: workers,
  description: `Changes what is given of an open Session and leaves the rest. An AGENT changes only the title of a Session that it holds: FORBIDDEN for the other fields. ${repeatable}`,
  input: z.object({
    ...change,
    title: kept(title).describe('The new title, 1 to 500 characters.'),
    metadata: metadata.optional().describe('Replaces the metadata, up to 64 KB; null removes it.'),
    contextVariables: kept(contextVariables).describe(
      'Names and values to set, an object of up to 64 KB. The other variables stay; a value of null removes its variable. Names that begin with `_` are refused.',
    ),
    handoffsEnabled: kept(z.boolean()).describe('Whether its Agents may hand it off themselves.'),
    maxHandoffs: kept(maxHandoffs).describe('How many handoffs its Agents may start between two acts of an operator: 0 to 10,000.'),
  }),
  payload: payload('The Session has these fields.'),
  errors,
  command: updateSession,
});

mutation('pauseSession', {
  access: workers,
  description: `Stops the work for now; the holder keeps the Session and its place. ${repeatable}`,
  input: z.object(change),
  payload: payload('The Session is paused.'),
  errors,
  command: pauseSession,
});

mutation('resumeSession', {
  access: workers,
  description: `Goes on with a paused Session that somebody holds. ${repeatable}`,
  input: z.object(change),
  payload: payload('The Session runs.'),
  errors,
  command: resumeSession,
});

mutation('completeSession', {
  access: workers,
  description: `The work is done: closes the open Handoff and frees the holder's place. ${repeatable}`,
  input: z.object({
    ...change,
    result: optional(metadata).describe('What came of it, any JSON of up to 64 KB.'),
    summary: optional(summary).describe('What was done, for people: up to 32 KB.'),
  }),
  payload: payload('The Session is completed.'),
  errors,
  command: completeSession,
});

mutation('failSession', {
  access: workers,
  description: `The work cannot be done: fails an accepted Handoff with it and frees the holder's place. ${repeatable}`,
  input: z.object({
    ...change,
    reason: nonBlank({ bytes: 4 * KB }).describe('Why, for people: up to 4 KB, not blank.'),
  }),
  payload: payload('The Session has failed.'),
  errors,
  command: failSession,
});

mutation('cancelSession', {
  access: operators,
  description: `The work is no longer wanted: closes the open Handoff and frees the holder's place. ${repeatable}`,
  input: z.object({
    ...change,
    reason: optional(reason).describe('Why, for people: up to 4 KB.'),
  }),
  payload: payload('The Session is cancelled.'),
  errors,
  command: cancelSession,
});
