import type { StageProgress, TakenWay } from '../../work/pipelines/progress.ts';
import { longestHistory } from '../../work/pipelines/results.ts';
import { positionsOf } from '../../work/queue/queries.ts';
import { agentNamed } from '../graphql/agentNamed.ts';
import { batched } from '../graphql/batch.ts';
import { builder, modelRef } from '../graphql/builder.ts';
import { partOfRecord } from '../graphql/declared.ts';

const StageState = builder.enumType('StageState', {
  description: 'States of a stage for one Session.',
  values: {
    WAITING: { description: 'The Session has not entered the stage.' },
    QUEUED: { description: 'The Session is in the stage and waits for an Agent.' },
    ACTIVE: { description: 'The Session is in the stage, and an Agent holds it.' },
    DONE: { description: 'The stage was left by an outcome, or the Session ended in it (`outcome` is null).' },
    SENT_BACK: {
      description:
        'The Session went back to an earlier stage: by an outcome, or because no Agent took it over (`outcome` is null).',
    },
  },
});

const SessionStage = builder.objectRef<StageProgress>('SessionStage').implement({
  access: 'inherit',
  description: 'A stage of the pipeline as far as the Session is. The fields are those of the last stay in it.',
  fields: (t) => ({
    name: t.exposeString('name', { description: 'Name of the stage.' }),
    state: t.expose('state', { type: StageState, description: 'State of the stage.' }),
    agent: t.field({
      type: modelRef('Agent'),
      nullable: true,
      description: 'The Agent that has or had the Session in the stage; null when none had.',
      resolve: ({ agentId }, _args, context, info) => (agentId === null ? null : agentNamed(agentId, context, info)),
    }),
    enteredAt: t.expose('enteredAt', {
      type: 'DateTime',
      nullable: true,
      description: 'Time at which the Session entered the stage; null when it did not.',
    }),
    leftAt: t.expose('leftAt', {
      type: 'DateTime',
      nullable: true,
      description: 'Time at which the Session left the stage; null when it did not.',
    }),
    attempts: t.exposeInt('attempts', {
      description: 'How often the Session entered the stage. A return after a declined Handoff continues the attempt.',
    }),
    outcome: t.exposeString('outcome', {
      nullable: true,
      description: 'The outcome by which the stage was left. Null: it was not left, or without an outcome.',
    }),
  }),
});

const TakenPipelineWay = builder.objectRef<TakenWay>('TakenPipelineWay').implement({
  access: 'inherit',
  description: 'A way by which the Session left a stage of its pipeline.',
  fields: (t) => ({
    from: t.exposeString('from', { description: 'Name of the stage that was left.' }),
    outcome: t.exposeString('outcome', { description: 'The outcome by which it was left.' }),
    to: t.exposeString('to', {
      nullable: true,
      description: 'Name of the stage that was entered; null at the end of the pipeline.',
    }),
    times: t.exposeInt('times', { description: 'How often the Session went this way.' }),
  }),
});

/** How far a Session is. */
export interface Progress {
  pipeline: { id: string };
  guide: string | null;
  stage: string | null;
  phase: string | null;
  enteredAt: Date | null;
  currentAgentId: string | null;
  queuedSince: Date | null;
  /** Of the queue entry. */
  entryId: string | null;
  stages: StageProgress[];
  ways: TakenWay[];
}

export const SessionPipeline = builder.objectRef<Progress>('SessionPipeline').implement({
  access: 'inherit',
  description: 'How far a Session is in its pipeline.',
  fields: (t) => ({
    pipeline: t.field({
      type: modelRef('Pipeline'),
      description: 'The version of the pipeline that the Session runs through.',
      resolve: ({ pipeline }) => pipeline,
    }),
    stage: t.exposeString('stage', {
      nullable: true,
      description:
        'Name of the present stage; in a Session that ended before the end of the pipeline, the last one. Null when the pipeline is completed.',
    }),
    phase: t.exposeString('phase', {
      nullable: true,
      description: 'Phase of `stage`. Null: the stage has no phase, or `stage` is null.',
    }),
    guide: t.exposeString('guide', {
      nullable: true,
      description:
        'The present stage as a text for its Agent: name, instructions, outcomes and where they lead, and the schemas of their payloads. Null when the Session is finished.',
    }),
    enteredAt: t.expose('enteredAt', {
      type: 'DateTime',
      nullable: true,
      description: 'Time at which the Session entered `stage`; null when `stage` is null.',
    }),
    currentAgent: t.field({
      type: modelRef('Agent'),
      nullable: true,
      description:
        'The Agent that holds the Session in this stage; null while it waits for one, and when the Session is finished.',
      resolve: ({ currentAgentId }, _args, context, info) =>
        currentAgentId === null ? null : agentNamed(currentAgentId, context, info),
    }),
    queuedSince: t.expose('queuedSince', {
      type: 'DateTime',
      nullable: true,
      description: 'Time since which the stage waits for an Agent; null unless it is QUEUED.',
    }),
    queuePosition: t.int({
      nullable: true,
      cost: 10,
      description:
        'Place among the Sessions that wait for the same type and role: 1 is next. Null unless the stage is QUEUED, and while the Session is paused.',
      resolve: async ({ entryId }, _args, context, info) =>
        entryId === null
          ? null
          : ((await batched(context, info, entryId, (ids) => positionsOf(context.pool, ids))) ?? null),
    }),
    stages: t.field({
      type: [SessionStage],
      listSize: partOfRecord,
      description: 'The stages, in the order of the definition.',
      resolve: ({ stages }) => stages,
    }),
    ways: t.field({
      type: [TakenPipelineWay],
      listSize: partOfRecord,
      description: `The ways that the Session took from stage to stage, in the order in which each was first taken; of its newest ${longestHistory} stays. A way whose Handoff was declined counts.`,
      resolve: ({ ways }) => ways,
    }),
  }),
});
