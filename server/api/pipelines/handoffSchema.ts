import { builder, modelRef } from '../graphql/builder.ts';

builder.prismaObjectFields(modelRef('Handoff'), (t) => ({
  stage: t.string({
    nullable: true,
    description: 'Name of the stage of the pipeline in which the target works; null outside of pipelines.',
    select: { stageEntry: { select: { stage: true } } },
    resolve: ({ stageEntry }) => stageEntry?.stage ?? null,
  }),
  outcome: t.string({
    nullable: true,
    description: 'Outcome by which the source left its stage of the pipeline; null when the Handoff left none.',
    select: { leftEntry: { select: { outcome: true } } },
    resolve: ({ leftEntry }) => leftEntry?.outcome ?? null,
  }),
  payload: t.field({
    type: 'JSON',
    nullable: true,
    description:
      'Payload that the source left its stage of the pipeline with; null when there is none. The target reads it as `_handoff_payload`.',
    select: { leftEntry: { select: { payload: true } } },
    resolve: ({ leftEntry }) => leftEntry?.payload ?? null,
  }),
}));
