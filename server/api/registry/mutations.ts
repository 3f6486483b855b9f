import { z } from 'zod';
import { LimitExceededError } from '../../core/errors.ts';
import { limits } from '../../core/limits.ts';
import { runCommand } from '../../work/queue/runCommand.ts';
import type { AgentImportReport, ImportAction, ImportedAgent, Problem } from '../../work/registry/definition.ts';
import { readDefinitions } from '../../work/registry/definitionThread.ts';
import { importAgents } from '../../work/registry/importAgents.ts';
import { operators } from '../access/roles.ts';
import { builder, modelRef } from '../graphql/builder.ts';
import type { GraphQLContext } from '../graphql/context.ts';
import { partOfRecord } from '../graphql/declared.ts';
import { agentType, inputObject, listOf, nonBlank, optional, withDefault } from '../graphql/input/schemas.ts';
import { demandMutation, mutation, type Fields } from '../graphql/mutation.ts';

const Action = builder.enumType('AgentImportAction', {
  description: 'What an import did with an Agent, or would do.',
  values: {
    CREATED: { description: 'Registers the Agent.' },
    UPDATED: { description: 'Changes the Agent. Status, capacity, load and metadata stay.' },
    UNCHANGED: { description: 'Finds the Agent as the file describes it.' },
  } satisfies Record<ImportAction, object>,
});

const Severity = builder.enumType('ProblemSeverity', {
  description: 'Whether a problem prevents an import.',
  values: {
    ERROR: { description: 'Prevents the whole import: nothing is written.' },
    WARNING: { description: 'Leaves out what the message names; the rest is imported.' },
  },
});

const ImportedAgentType = builder.objectRef<ImportedAgent>('ImportedAgent').implement({
  access: 'inherit',
  description: 'An Agent that an import described.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'Slug of the Agent, from its name.' }),
    action: t.expose('action', { type: Action, description: 'What the import did, or would do in a dry run.' }),
    path: t.exposeString('path', { description: 'Path of the file, as it was given.' }),
    agent: t.field({
      type: modelRef('Agent'),
      nullable: true,
      description: 'The Agent in its current state; null when a dry run would create it.',
      resolve: async ({ id }, _args, { prisma }) => prisma.agent.findUnique({ where: { id }, select: { id: true } }),
    }),
  }),
});

const ProblemType = builder.objectRef<Problem>('AgentImportProblem').implement({
  access: 'inherit',
  description: 'A problem in an agent definition.',
  fields: (t) => ({
    path: t.exposeString('path', { description: 'Path of the file, as it was given.' }),
    line: t.exposeInt('line', {
      nullable: true,
      description: 'Line of the file, counted from 1; null when the problem has no line.',
    }),
    severity: t.expose('severity', { type: Severity, description: 'Whether the problem prevents the import.' }),
    message: t.exposeString('message', { description: 'The problem.' }),
    suggestion: t.exposeString('suggestion', {
      nullable: true,
      description: 'What to change; null when the message says it.',
    }),
  }),
});

const Report = builder.objectRef<AgentImportReport>('AgentImportReport').implement({
  access: 'inherit',
  description: 'What an import of agent definitions did, or would do in a dry run.',
  fields: (t) => ({
    agents: t.field({
      type: [ImportedAgentType],
      listSize: 50,
      description: 'The Agents, in the order of their files; empty when a problem is an ERROR.',
      resolve: ({ agents }) => agents,
    }),
    problems: t.field({
      type: [ProblemType],
      listSize: partOfRecord,
      description: 'The problems, ERRORs first: at most 1,000.',
      resolve: ({ problems }) => problems,
    }),
  }),
});

const file = inputObject(
  'AgentDefinitionFile',
  'A Markdown file that describes an Agent.',
  z.object({
    path: nonBlank({ characters: 1_000 })
      .refine((path) => !/\p{Cc}/u.test(path), { message: 'contains a control character: rename the file' })
      .describe(
        'Path of the file, for the report and for `Agent.definition`: at most 1,000 characters. Baton reads no file there.',
      ),
    content: z
      .string()
      .describe('The whole file as text: at most 1 MB, of which 32 KB are instructions and 32 KB front matter.'),
  }),
);

export const importAgentsInput = z.object({
  files: listOf(file, { what: 'files', limit: limits.definitions.files, advice: 'import them in several requests' })
    .check(({ value, issues }) => {
      const repeated = value.findIndex(({ path }, index) => value.findIndex((other) => other.path === path) < index);
      if (repeated >= 0)
        issues.push({
          code: 'custom',
          message: 'is given twice: leave one out',
          path: [repeated, 'path'],
          input: value,
        });
    })
    .describe('The definitions: at most 500.'),
  defaultType: optional(agentType).describe(
    'Type of new Agents whose file has none, such as CLAUDE. Null: such a file is an ERROR.',
  ),
  dryRun: withDefault(z.boolean(), false).describe('True: reports what the import would do and writes nothing.'),
});

/** Reads and imports definitions with the caller's rights. Does not use `run`: a worker thread redacts. */
export async function runAgentImport(
  { pool, log, caller, streams, processorTime }: GraphQLContext,
  { files, ...options }: z.output<typeof importAgentsInput>,
): Promise<{ report: AgentImportReport }> {
  demandMutation(caller, 'importAgents');
  const read = await readDefinitions(caller.principal, files, (ms) => {
    processorTime.charge(ms);
    if (processorTime.exceeded !== null) throw processorTime.exceeded;
  });
  const definitions = read.flatMap(({ definition }) => (definition === null ? [] : [definition]));
  const problems = read.flatMap((each) => each.problems);
  return runCommand({ pool, announcer: streams, log, caller, mutation: 'importAgents', input: {} }, (work) =>
    importAgents(work, { ...options, definitions, problems }),
  );
}

mutation('importAgents', {
  access: operators,
  description:
    'Registers the Agents that Markdown files describe, and updates those that exist: all of them, or none when a problem is an ERROR. Reads agent definitions of Claude Code and VS Code, and plain Markdown with a section `Collaborations`. Agents without a file stay as they are. Repeating the call changes nothing. For more than 1 MB use POST /agents/import.',
  input: importAgentsInput,
  payload: {
    description: 'The files were read. The report says whether they were imported.',
    fields: (t: Fields<{ report: AgentImportReport }>) => ({
      report: t.field({
        type: Report,
        description: 'What was done, and the problems.',
        resolve: ({ report }) => report,
      }),
    }),
  },
  errors: [LimitExceededError],
  resolve: (input, context) => runAgentImport(context, input),
});
