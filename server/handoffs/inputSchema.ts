import { contextVariables, keyField, metadata, optional, reason, summary } from '../graphql/input/schemas.ts';

/** What a move of a Session takes besides the Session and the target, be it an operator's or the holder's. */
export const moveFields = {
  reason: optional(reason).describe('Why, for people: up to 4 KB.'),
  summary: optional(summary).describe('What was done so far, up to 32 KB; composed from the log when null.'),
  contextVariables: optional(contextVariables).describe('Names and values to set in the Session, an object of up to 64 KB. Names that begin with `_` are refused.'),
  metadata: optional(metadata).describe('What you want to keep with the Handoff, up to 64 KB.'),
  ...keyField,
};
