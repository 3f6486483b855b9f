import { contextVariables, keyField, metadata, optional, reason, summary } from './schemas.ts';

/** The input fields common to reassignSession and initiateHandoff. */
export const moveFields = {
  reason: optional(reason).describe('Reason, for people: at most 4 KB.'),
  summary: optional(summary).describe('Summary of the work so far, at most 32 KB. Null: composed from the log.'),
  contextVariables: optional(contextVariables).describe(
    'Names and values to set in the Session: an object of at most 64 KB. Names that begin with `_` are refused.',
  ),
  metadata: optional(metadata).describe('Any JSON to keep with the Handoff, at most 64 KB.'),
  ...keyField,
};
