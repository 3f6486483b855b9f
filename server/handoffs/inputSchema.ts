import { contextVariables, idempotencyKey, metadata, optional, reason, summary } from '../graphql/input.ts';
import { keyInput, type Inputs } from '../graphql/mutation.ts';

// The inputs that reassignSession and initiateHandoff share: as GraphQL shows them, and as they are decoded.

export const moveInputs = (input: Inputs) => ({
  reason: input.string({ description: 'Why, for people: up to 4 KB.' }),
  summary: input.string({ description: 'What was done so far, up to 32 KB; composed from the log when null.' }),
  contextVariables: input.field({
    type: 'JSON',
    description: 'Names and values to set in the Session, an object of up to 64 KB. Names that begin with `_` are refused.',
  }),
  metadata: input.field({ type: 'JSON', description: 'What you want to keep with the Handoff, up to 64 KB.' }),
  idempotencyKey: keyInput(input),
});

export const moveFields = {
  reason: optional(reason),
  summary: optional(summary),
  contextVariables: optional(contextVariables),
  metadata: optional(metadata),
  idempotencyKey: optional(idempotencyKey),
};
