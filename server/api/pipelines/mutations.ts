import { z } from 'zod';
import {
  HandoffLoopError,
  HandoffsDisabledError,
  IdempotencyMismatchError,
  InvalidPayloadError,
  InvalidStateError,
  MaxHandoffsReachedError,
  NoAgentAvailableError,
  NotFoundError,
  TransitionNotAllowedError,
} from '../../core/errors.ts';
import { limits } from '../../core/limits.ts';
import { advancePipeline } from '../../work/pipelines/advancePipeline.ts';
import {
  archivePipeline,
  definePipeline,
  type DefinedAnswer,
  type DefinitionWarning,
  type PipelineAnswer,
} from '../../work/pipelines/definePipeline.ts';
import {
  faultOfComparison,
  faultOfEscalation,
  faultOfMinutes,
  faultOfOutcome,
  faultOfStageName,
  mostCharacters,
} from '../../work/pipelines/fields.ts';
import { faultOfShape } from '../../work/pipelines/payloads.ts';
import { faultsOfDefinition } from '../../work/pipelines/rules.ts';
import { operators, workers } from '../access/roles.ts';
import { builder, modelRef } from '../graphql/builder.ts';
import { ApprovalRule } from '../graphql/enums.ts';
import { partOfRecord } from '../graphql/declared.ts';
import {
  agentId,
  agentType,
  contextVariables,
  faultless,
  idOf,
  inputObject,
  json,
  jsonObject,
  keyField,
  KB,
  listOf,
  nonBlank,
  oneOf,
  optional,
  pipelineSlug,
  reason,
  summary,
  text,
  withDefault,
} from '../graphql/input/schemas.ts';
import { handoffIfMade, mutation, sessionOf, type Fields } from '../graphql/mutation.ts';
import { ConditionOp } from './schema.ts';

const { counts, fields: sizes } = limits;

const PipelineWarning = builder.objectRef<DefinitionWarning>('PipelineWarning').implement({
  access: 'inherit',
  description: 'What a definition names that no Agent is yet. The pipeline is defined.',
  fields: (t) => ({
    path: t.stringList({ description: 'Where in the input.', resolve: ({ path }) => path }),
    message: t.exposeString('message', { description: 'What is missing and what happens, for people.' }),
  }),
});

const payload = (description: string) => ({
  description,
  fields: (t: Fields<PipelineAnswer>) => ({
    pipeline: t.prismaField({
      type: modelRef('Pipeline'),
      description: 'The pipeline in its current state.',
      resolve: (query, { pipelineId }, _args, { prisma }) =>
        prisma.pipeline.findUniqueOrThrow({ ...query, where: { id: pipelineId } }),
    }),
  }),
});

const stageName = z.string().check(faultless(faultOfStageName));
const outcomeName = z.string().check(faultless(faultOfOutcome));
const minutes = z.number().check(faultless(faultOfMinutes));
const role = nonBlank({ characters: mostCharacters.role });

const payloadSchema = jsonObject({ bytes: sizes.json }).check(({ value, issues }) => {
  const fault = faultOfShape(value);
  if (fault !== null) issues.push({ code: 'custom', message: fault, input: value });
});
const aboutSchemas =
  'JSON Schema, draft 2020-12 or draft 07, at most 64 KB, 2,000 values, with references within itself only';

const escalation = inputObject(
  'PipelineEscalationInput',
  'Where a Session goes when the Handoff to the last Agent of a stage times out. Give one of the three.',
  z
    .object({
      agentId: optional(agentId).describe(
        'The Agent that gets the Session. When it is not AVAILABLE or has no free place, the Session goes back to the stage before.',
      ),
      role: optional(role).describe(
        'The role whose Agents get the Session, one after the other. When all of them are full, the Session waits in the queue.',
      ),
      operators: withDefault(z.boolean(), false).describe(
        'True: the Session is unassigned and PAUSED until an operator assigns it; `queue(where: {escalated: true})` lists it.',
      ),
    })
    .check(faultless(faultOfEscalation)),
);

const stage = inputObject(
  'PipelineStageInput',
  'A stage of a pipeline.',
  z.object({
    name: stageName.describe(
      'Name, unique in the pipeline: a letter or digit, then at most 63 letters, digits, `_` and `-`.',
    ),
    role: optional(role).describe('Role that its Agents have. Null: any.'),
    agentType: optional(agentType).describe('Type that its Agents have, such as CLAUDE. Null: any.'),
    phase: optional(nonBlank({ characters: mostCharacters.phase })).describe(
      'Part of the work, for people: at most 100 characters.',
    ),
    instructions: optional(text({ bytes: sizes.instructions })).describe(
      'Instructions for the Agent in this stage, at most 32 KB.',
    ),
    payloadSchema: optional(payloadSchema).describe(
      `Schema of the payloads with which the stage is left: ${aboutSchemas}. Null: any payload.`,
    ),
    acceptWithinMinutes: optional(minutes).describe(
      "Minutes in which an Agent has to accept, 1 to 525,600. Null: the server's default (BATON_STALE_AFTER_MINUTES).",
    ),
    remindAfterMinutes: optional(minutes).describe(
      'Minutes after which the Agent is reminded, 1 to 525,600. Null: no reminder.',
    ),
    escalateTo: optional(escalation).describe(
      'Where the Session goes when no Agent of the stage accepts in time. Null: back to the stage before.',
    ),
  }),
);

const condition = inputObject(
  'PipelineConditionInput',
  'A condition on the payload, on payloads of stages before, or on a context variable of the Session. It compares values of the same kind: an outcome that would compare a text with a number is refused (TRANSITION_NOT_ALLOWED).',
  z
    .object({
      variable: nonBlank({ characters: mostCharacters.variable }).describe(
        'What is compared: `payload.<name>` of the outcome, `stages.<stage>.<name>` of the newest payload of a stage before, or the name of a context variable (also as `variables.<name>`). Null counts as no value. Names within objects and places in lists follow after dots. What is not set fails every condition.',
      ),
      op: oneOf(ConditionOp).describe('The comparison.'),
      value: optional(json({ bytes: KB })).describe(
        'The value to compare with, at most 1 KB: a list for IN, a number or text for LT and GT, none for EXISTS.',
      ),
    })
    .check(({ value, issues }) => {
      const fault = faultOfComparison(value);
      if (fault !== null) issues.push({ code: 'custom', message: fault, path: ['value'], input: value });
    }),
);

const transition = inputObject(
  'PipelineTransitionInput',
  'The way from a stage by one of its outcomes.',
  z.object({
    from: stageName.describe('Name of the stage that is left.'),
    outcome: outcomeName.describe(
      'The outcome, such as DONE: an upper-case letter, then at most 49 upper-case letters, digits and `_`.',
    ),
    to: optional(stageName).describe('Name of the stage that is entered. Null completes the Session.'),
    when: optional(condition).describe(
      'Condition of the transition. Of several transitions of one outcome all but the last need one.',
    ),
    payloadSchema: optional(payloadSchema).describe(
      `Schema of the payload: ${aboutSchemas}. Null: that of the stage that is left.`,
    ),
    // Kept only when it demands something: an older definition stays identical to the same one without it.
    approval: optional(oneOf(ApprovalRule))
      .transform((rule) => (rule === 'REQUIRED' ? rule : undefined))
      .describe(
        'Whether a person has to approve the Handoffs of Agents that take it. Null: NONE. Not on a way to the end.',
      ),
  }),
);

mutation('definePipeline', {
  access: operators,
  description:
    'Defines the next version of a pipeline. An identical definition returns the present version. Sessions under way keep theirs. Every stage has to be reachable from the start and to reach an end.',
  input: z
    .object({
      slug: pipelineSlug.describe(
        'Name for programs: 1 to 52 lower-case letters, digits, `-` and `_`, a letter or digit at both ends.',
      ),
      name: nonBlank({ characters: mostCharacters.name }).describe('Display name: 1 to 200 characters.'),
      description: optional(text({ bytes: 4 * KB })).describe('Purpose, for people: at most 4 KB.'),
      stages: listOf(stage, { what: 'stages', limit: counts.stages, advice: 'define fewer' }).describe(
        'The stages: 1 to 50.',
      ),
      transitions: listOf(transition, {
        what: 'transitions',
        limit: counts.transitions,
        advice: 'define fewer',
      }).describe('The transitions: 1 to 200.'),
      start: stageName.describe('Name of the first stage.'),
    })
    .check(({ value, issues }) => {
      const bytes = Buffer.byteLength(JSON.stringify(value));
      const tooLarge =
        bytes > sizes.pipeline
          ? {
              path: ['stages'],
              message: `and the transitions have ${bytes} bytes; the limit is ${sizes.pipeline}: shorten them`,
            }
          : null;
      const fault = tooLarge ?? faultsOfDefinition(value)[0] ?? null;
      if (fault !== null) issues.push({ code: 'custom', message: fault.message, path: fault.path, input: value });
    }),
  payload: {
    description: 'The version is defined; new Sessions of the pipeline begin in it.',
    fields: (t: Fields<DefinedAnswer>) => ({
      ...payload('').fields(t),
      warnings: t.field({
        type: [PipelineWarning],
        listSize: partOfRecord,
        description: 'Roles and types that no Agent has now; empty when each has one.',
        resolve: ({ warnings }) => warnings,
      }),
    }),
  },
  errors: [],
  command: definePipeline,
});

mutation('archivePipeline', {
  access: operators,
  description:
    'Ends a pipeline for new Sessions; those under way go on. Another `definePipeline` makes a new version. Repeating the call succeeds and changes nothing.',
  input: z.object({ slug: pipelineSlug.describe('Slug of the pipeline.') }),
  payload: payload('The newest version is archived.'),
  errors: [NotFoundError],
  command: archivePipeline,
});

mutation('advancePipeline', {
  access: workers,
  description:
    'Ends the present stage of a Session with an outcome, as its ACTIVE holder or as an operator. The next stage gets the Agent that had the Session there last, else the least loaded AVAILABLE one of its role and type, by a Handoff; when none has a free place, the Session waits in the queue. The end of the pipeline completes the Session. Custody and load move at once; if the target declines, the Session goes back to the stage before.',
  input: z.object({
    sessionId: idOf('session').describe('The Session to advance.'),
    outcome: outcomeName.describe('The outcome of the present stage, such as DONE.'),
    payload: optional(json({ bytes: sizes.json })).describe(
      'What the stage is left with, for the next Agent: any JSON of at most 64 KB that matches the schema of the transition, else of the stage. Null is checked as an empty object. A text that is the JSON of an object or a list counts as that, unless the schema asks for a text.',
    ),
    reason: optional(reason).describe('Reason, for people: at most 4 KB.'),
    summary: optional(summary).describe('Summary of the work so far, at most 32 KB. Null: composed from the log.'),
    contextVariables: optional(contextVariables).describe(
      'Names and values to set in the Session, before conditions are decided: an object of at most 64 KB. Names that begin with `_` are refused.',
    ),
    ...keyField,
  }),
  payload: {
    description: 'The Session is in its next stage, or completed.',
    fields: (t) => ({
      handoff: handoffIfMade(
        t,
        'The Handoff to the Agent of the next stage; null when the Session waits in the queue, and when the pipeline is completed.',
      ),
      session: sessionOf(t),
    }),
  },
  errors: [
    NotFoundError,
    IdempotencyMismatchError,
    InvalidStateError,
    HandoffsDisabledError,
    TransitionNotAllowedError,
    InvalidPayloadError,
    MaxHandoffsReachedError,
    HandoffLoopError,
    NoAgentAvailableError,
  ],
  command: advancePipeline,
});
