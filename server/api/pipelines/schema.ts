import { queryFromInfo } from '@pothos/plugin-prisma';
import { stageText } from '../../work/context/stage.ts';
import { guideOf, type Condition, type Definition, type Stage, type Transition } from '../../work/custody/pipeline.ts';
import { progressOf, type RecordedStay, waysTaken } from '../../work/pipelines/progress.ts';
import { longestHistory, longestText, tenuresWithWork } from '../../work/pipelines/results.ts';
import { agentNamed } from '../graphql/agentNamed.ts';
import { batched } from '../graphql/batch.ts';
import { builder, modelRef } from '../graphql/builder.ts';
import { partOfRecord } from '../graphql/declared.ts';
import { ApprovalRule } from '../graphql/enums.ts';
import { SessionPipeline, type Progress } from './progressSchema.ts';

export const ConditionOp = builder.enumType('PipelineConditionOp', {
  description:
    'Comparisons of a recorded value with a given one of the same kind. A value that is not set fails all of them.',
  values: {
    EQ: { description: 'Equal to the value.' },
    NE: { description: 'Set, and not equal to the value.' },
    LT: { description: 'Less than the value: two numbers, or two texts.' },
    GT: { description: 'Greater than the value: two numbers, or two texts.' },
    IN: { description: 'Equal to one of a list of values.' },
    EXISTS: { description: 'Set, to any value.' },
  },
});

const PipelineCondition = builder.objectRef<Condition>('PipelineCondition').implement({
  access: 'inherit',
  description: 'A condition on the payload, on payloads of stages before, or on a context variable of the Session.',
  fields: (t) => ({
    variable: t.exposeString('variable', {
      description: 'What is compared: `payload.<name>`, `stages.<stage>.<name>`, or the name of a context variable.',
    }),
    op: t.expose('op', { type: ConditionOp, description: 'The comparison.' }),
    value: t.field({
      type: 'JSON',
      nullable: true,
      description: 'The value to compare with; null for EXISTS.',
      resolve: ({ value }) => value,
    }),
  }),
});

const PipelineEscalation = builder.objectRef<NonNullable<Stage['escalateTo']>>('PipelineEscalation').implement({
  access: 'inherit',
  description: 'Where a Session goes when the Handoff to the last Agent of a stage times out. One of the three is set.',
  fields: (t) => ({
    agent: t.field({
      type: modelRef('Agent'),
      nullable: true,
      description: 'The Agent that gets the Session; null when not set.',
      resolve: ({ agentId }, _args, context, info) => (agentId === null ? null : agentNamed(agentId, context, info)),
    }),
    role: t.exposeString('role', {
      nullable: true,
      description: 'The role whose Agents get the Session, one after the other; null when not set.',
    }),
    operators: t.exposeBoolean('operators', { description: 'Whether the Session waits for an operator.' }),
  }),
});

const PipelineStage = builder.objectRef<Stage>('PipelineStage').implement({
  access: 'inherit',
  description: 'A place in a pipeline, where an Agent works on the Session.',
  fields: (t) => ({
    name: t.exposeString('name', { description: 'Name of the stage, unique in the pipeline.' }),
    role: t.exposeString('role', { nullable: true, description: 'Role that its Agents have; null for any.' }),
    agentType: t.exposeString('agentType', { nullable: true, description: 'Type that its Agents have; null for any.' }),
    phase: t.exposeString('phase', {
      nullable: true,
      description: 'Part of the work, for people: several stages may share one. Null when not set.',
    }),
    instructions: t.exposeString('instructions', {
      nullable: true,
      description:
        'Instructions for the Agent in this stage, which it reads as `_handoff_instructions`; null when there are none.',
    }),
    payloadSchema: t.field({
      type: 'JSON',
      nullable: true,
      description: 'JSON Schema of the payloads with which the stage is left; null for any payload.',
      resolve: ({ payloadSchema }) => payloadSchema,
    }),
    acceptWithinMinutes: t.exposeInt('acceptWithinMinutes', {
      nullable: true,
      description: "Minutes in which an Agent has to accept; null: the server's default (BATON_STALE_AFTER_MINUTES).",
    }),
    remindAfterMinutes: t.exposeInt('remindAfterMinutes', {
      nullable: true,
      description: 'Minutes after which the Agent is reminded; null for no reminder.',
    }),
    escalateTo: t.field({
      type: PipelineEscalation,
      nullable: true,
      description: 'Where the Session goes when no Agent of the stage accepts in time; null: back to the stage before.',
      resolve: ({ escalateTo }) => escalateTo,
    }),
  }),
});

const PipelineTransition = builder.objectRef<Transition>('PipelineTransition').implement({
  access: 'inherit',
  description: 'The way from a stage by one of its outcomes.',
  fields: (t) => ({
    from: t.exposeString('from', { description: 'Name of the stage that is left.' }),
    outcome: t.exposeString('outcome', { description: 'The outcome, such as DONE or REJECT.' }),
    to: t.exposeString('to', {
      nullable: true,
      description: 'Name of the stage that is entered; null completes the Session.',
    }),
    when: t.field({
      type: PipelineCondition,
      nullable: true,
      description: 'Condition of the transition; null: taken when the conditions of the earlier ones fail.',
      resolve: ({ when }) => when,
    }),
    payloadSchema: t.field({
      type: 'JSON',
      nullable: true,
      description: 'JSON Schema of the payload; null: that of the stage that is left.',
      resolve: ({ payloadSchema }) => payloadSchema,
    }),
    approval: t.field({
      type: ApprovalRule,
      description: 'Whether a person has to approve the Handoffs of Agents that take it.',
      resolve: ({ approval = 'NONE' }) => approval,
    }),
  }),
});

builder.prismaNode('Pipeline', {
  access: 'inherit',
  id: { field: 'id' },
  nullable: true,
  select: { id: true },
  description:
    'A version of a pipeline: stages, and the transitions between them. Sessions under way keep their version.',
  fields: (t) => ({
    slug: t.exposeString('slug'),
    version: t.exposeInt('version'),
    name: t.exposeString('name'),
    description: t.exposeString('description', { nullable: true }),
    start: t.exposeString('start'),
    stages: t.field({
      type: [PipelineStage],
      listSize: partOfRecord,
      description: 'The stages, in the order they were given.',
      select: { stages: true },
      resolve: ({ stages }) => stages as unknown as Stage[],
    }),
    transitions: t.field({
      type: [PipelineTransition],
      listSize: partOfRecord,
      description:
        'The transitions, in the order they were given. Of those of one outcome, the first whose condition holds is taken.',
      select: { transitions: true },
      resolve: ({ transitions }) => transitions as unknown as Transition[],
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime' }),
    replacedAt: t.expose('replacedAt', { type: 'DateTime', nullable: true }),
    archivedAt: t.expose('archivedAt', { type: 'DateTime', nullable: true }),
  }),
});

interface Result {
  attempt: number | null;
  isNewest: boolean;
  agentId: string | null;
  agentSessionId: string | null;
  text: string | null;
  stage: string | null;
  outcome: string | null;
  payload: unknown;
  reason: string | null;
  at: Date;
}

const SessionResult = builder.objectRef<Result>('SessionResult').implement({
  access: 'inherit',
  description: 'What the work of an Agent ended with: a stage of the pipeline, outside of pipelines an AgentSession.',
  fields: (t) => ({
    agent: t.field({
      type: modelRef('Agent'),
      nullable: true,
      description: 'The Agent that had the Session.',
      resolve: ({ agentId }, _args, context, info) => (agentId === null ? null : agentNamed(agentId, context, info)),
    }),
    agentSession: t.field({
      type: modelRef('AgentSession'),
      nullable: true,
      description: 'The tenure in which the Agent worked; null when it recorded no Turn.',
      resolve: async ({ agentSessionId }, _args, context, info) => {
        if (agentSessionId === null) return null;
        const query = queryFromInfo({ context, info, typeName: 'AgentSession', select: { id: true } });
        const found = await batched(context, info, agentSessionId, async (ids) => {
          const tenures = await context.prisma.agentSession.findMany({ ...query, where: { id: { in: [...ids] } } });
          return new Map(tenures.map((tenure) => [tenure.id, tenure]));
        });
        return found ?? null;
      },
    }),
    text: t.exposeString('text', {
      nullable: true,
      description: `The last words of the Agent in this tenure: the last ${longestText} characters. Null when it wrote none.`,
    }),
    stage: t.exposeString('stage', { nullable: true, description: 'Name of the stage; null outside of pipelines.' }),
    attempt: t.exposeInt('attempt', {
      nullable: true,
      description: 'How often the Session had entered the stage; null outside of pipelines.',
    }),
    isNewest: t.exposeBoolean('isNewest', {
      description:
        'Whether it is the last result of the stage; false for what a later attempt replaced. Outside of pipelines: whether it is the last result of the Session.',
    }),
    outcome: t.exposeString('outcome', { nullable: true, description: 'The outcome; null outside of pipelines.' }),
    payload: t.field({
      type: 'JSON',
      nullable: true,
      description:
        'The payload; null when none was given. Outside of pipelines: the `result` of a completed Session, in the last entry.',
      resolve: ({ payload }) => payload,
    }),
    reason: t.exposeString('reason', {
      nullable: true,
      description: 'Reason that was given with the outcome; null when none was given, and at the end of the pipeline.',
    }),
    at: t.expose('at', { type: 'DateTime', description: 'Time at which the stage was left. The same as `endedAt`.' }),
    endedAt: t.expose('at', {
      type: 'DateTime',
      description: 'Time at which the stage was left, or the tenure ended.',
    }),
  }),
});

const isOpen = (status: string): boolean => status === 'RUNNING' || status === 'PAUSED';

builder.prismaObjectFields(modelRef('Session'), (t) => ({
  pipeline: t.field({
    type: SessionPipeline,
    nullable: true,
    cost: 5,
    description: 'How far the Session is in its pipeline; null outside of pipelines.',
    select: (_args, _context, nested) => ({
      status: true,
      stage: true,
      agentId: true,
      queueEntry: { select: { id: true, queuedAt: true } },
      pipeline: nested({ select: { id: true, slug: true, start: true, stages: true, transitions: true } }, [
        'pipeline',
      ]),
      stageEntries: {
        select: {
          number: true,
          stage: true,
          attempt: true,
          agentId: true,
          enteredAt: true,
          leftAt: true,
          outcome: true,
          sentBack: true,
        },
        orderBy: { number: 'desc' },
        take: longestHistory,
      },
    }),
    resolve: ({ status, stage, agentId, queueEntry, pipeline, stageEntries }): Progress | null => {
      if (pipeline === null) return null;
      const stages = pipeline.stages as unknown as Stage[];
      const holderId = isOpen(status) ? agentId : null;
      const progress = progressOf(stages, stageEntries satisfies RecordedStay[], holderId);
      return {
        pipeline,
        guide:
          stage === null || !isOpen(status)
            ? null
            : stageText(guideOf(pipeline as unknown as Definition & { slug: string }, stage)),
        stage,
        phase: stages.find(({ name }) => name === stage)?.phase ?? null,
        enteredAt: progress.find(({ name }) => name === stage)?.enteredAt ?? null,
        currentAgentId: holderId,
        queuedSince: queueEntry?.queuedAt ?? null,
        entryId: queueEntry?.id ?? null,
        stages: progress,
        ways: waysTaken(stageEntries),
      };
    },
  }),
  results: t.field({
    type: [SessionResult],
    listSize: partOfRecord,
    description: `What the stages of the pipeline were left with, and outside of pipelines what each tenure ended with in which an Agent worked; oldest first, the newest ${longestHistory}. An AGENT reads those whose Turns it may read.`,
    select: {
      id: true,
      status: true,
      result: true,
      pipelineId: true,
      queueEntry: { select: { reason: true } },
      stageEntries: {
        select: {
          number: true,
          stage: true,
          attempt: true,
          agentId: true,
          leftAt: true,
          outcome: true,
          payload: true,
          leftBy: { select: { reason: true }, orderBy: { depth: 'asc' }, take: 1 },
        },
        where: { outcome: { not: null } },
        orderBy: { number: 'desc' },
        take: longestHistory,
      },
    },
    resolve: async ({ id, status, result, pipelineId, stageEntries, queueEntry }, _args, context, info) => {
      const path = { prev: info.path, key: '(tenures)', typename: undefined };
      const tenures =
        (await batched(context, { path }, id, (ids) => tenuresWithWork(context.pool, context.caller, ids))) ?? [];
      const ofStages = stageEntries
        .map(({ agentId, stage, attempt, outcome, payload, leftAt, leftBy: [handoff] }, index, newestFirst): Result => {
          // While the Session waits in the next stage, there is no Handoff yet.
          const reason = handoff ? handoff.reason : index === 0 ? (queueEntry?.reason ?? null) : null;
          const isNewest = newestFirst.findIndex((each) => each.stage === stage) === index;
          const tenure = tenures.findLast((each) => each.agentId === agentId && each.startedAt <= leftAt!);
          const told = { agentSessionId: tenure?.id ?? null, text: tenure?.text ?? null };
          return { agentId, ...told, stage, attempt, isNewest, outcome: outcome!, payload, reason, at: leftAt! };
        })
        .toReversed();
      if (pipelineId !== null) return ofStages;
      const others = tenures
        .filter((tenure) => !ofStages.some(({ agentSessionId }) => agentSessionId === tenure.id))
        .map((tenure, index, all): Result => {
          const isNewest = index === all.length - 1;
          return {
            agentId: tenure.agentId,
            agentSessionId: tenure.id,
            text: tenure.text,
            stage: null,
            attempt: null,
            isNewest,
            outcome: null,
            payload: isNewest && status === 'COMPLETED' ? result : null,
            reason: null,
            at: tenure.endedAt,
          };
        });
      return [...ofStages, ...others].slice(-longestHistory);
    },
  }),
}));
