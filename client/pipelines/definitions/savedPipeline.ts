import type { NamedDefinition, Transition } from '../../../server/work/pipelines/rules.ts';
import { graphql } from '../../gql/gql.ts';
import type { SavedPipelineFragment as Saved } from '../../gql/graphql.ts';

export const SavedPipelineFragment = graphql(`
  fragment SavedPipeline on Pipeline {
    id
    slug
    version
    name
    description
    start
    stages {
      name
      role
      agentType
      phase
      instructions
      payloadSchema
      acceptWithinMinutes
      remindAfterMinutes
      escalateTo {
        agent {
          id
        }
        role
        operators
      }
    }
    transitions {
      from
      outcome
      to
      when {
        variable
        op
        value
      }
      payloadSchema
      approval
    }
    createdAt
    replacedAt
    archivedAt
  }
`);

export const PipelineQuery = graphql(`
  query Pipeline($slug: String!, $version: Int) {
    pipeline(slug: $slug, version: $version) {
      id
      ...SavedPipeline
    }
  }
`);

/** The definition, as `definePipeline` takes it. */
export const definitionOf = ({ slug, name, description, start, stages, transitions }: Saved): NamedDefinition => ({
  slug,
  name,
  description: description ?? null,
  start,
  stages: stages.map((stage) => ({
    name: stage.name,
    role: stage.role ?? null,
    agentType: stage.agentType ?? null,
    phase: stage.phase ?? null,
    instructions: stage.instructions ?? null,
    payloadSchema: stage.payloadSchema ?? null,
    acceptWithinMinutes: stage.acceptWithinMinutes ?? null,
    remindAfterMinutes: stage.remindAfterMinutes ?? null,
    escalateTo:
      stage.escalateTo == null
        ? null
        : {
            agentId: stage.escalateTo.agent?.id ?? null,
            role: stage.escalateTo.role ?? null,
            operators: stage.escalateTo.operators,
          },
  })),
  transitions: transitions.map(({ from, outcome, to, when, payloadSchema, approval }) => ({
    from,
    outcome,
    to: to ?? null,
    when: when == null ? null : { variable: when.variable, op: when.op, value: when.value ?? null },
    payloadSchema: payloadSchema ?? null,
    ...approvalOf(approval === 'REQUIRED'),
  })),
});

/** As the server keeps it: absent for no. */
export const approvalOf = (isRequired: boolean): Pick<Transition, 'approval'> =>
  isRequired ? { approval: 'REQUIRED' } : {};
