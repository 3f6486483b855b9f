import { z } from 'zod';
import { handoffStats, type HandoffStat } from '../../work/handoffs/stats.ts';
import { principalsOf } from '../../work/keys/principals.ts';
import { everybody } from '../access/roles.ts';
import { agentNamed } from '../graphql/agentNamed.ts';
import { builder, modelRef } from '../graphql/builder.ts';
import { partOfRecord } from '../graphql/declared.ts';
import { HandoffStatus } from '../graphql/enums.ts';
import { decodeArgs, integer, someOf, whereOf, withDefault } from '../graphql/input/schemas.ts';
import { argsOf } from '../graphql/input/types.ts';
import { handoffFilter } from './filterSchema.ts';

const StatsKey = builder.enumType('HandoffStatsKey', {
  description: 'What Handoffs are grouped by.',
  values: {
    AGENT: { description: 'The target Agent: `agent`.' },
    PAIR: { description: 'Source and target: `source` and `target`.' },
    STAGE: { description: 'The stage of the pipeline in which the target works: `stage`.' },
    OUTCOME: { description: 'The outcome by which the source left its stage: `outcome`.' },
    STATUS: { description: 'The present status: `status`.' },
    DAY: { description: 'The day (UTC) of the start: `day`.' },
    PROJECT: { description: 'The project of the Session: `project`.' },
  },
});

const Stat = builder.objectRef<HandoffStat>('HandoffStat').implement({
  access: 'inherit',
  description: 'Sums of a group of Handoffs. Keys that `groupBy` does not name are null.',
  fields: (t) => {
    const agent = (description: string, idIn: (stat: HandoffStat) => string | null | undefined) =>
      t.field({
        type: modelRef('Agent'),
        nullable: true,
        description,
        resolve: (stat, _args, context, info) => {
          const id = idIn(stat) ?? null;
          return id === null ? null : agentNamed(id, context, info);
        },
      });
    const ms = (name: 'medianWaitingMs' | 'p95WaitingMs' | 'medianWorkingMs' | 'p95WorkingMs', what: string) =>
      t.exposeFloat(name, { nullable: true, description: `${what}, in milliseconds; null when none has one.` });
    const waiting = 'time from start to acceptance, or to the end without one';
    const working = 'time from acceptance to the end of the tenure of the target';
    return {
      agent: agent('The target Agent.', (stat) => stat.agent),
      source: agent('The source Agent; null for Handoffs of unassigned Sessions too.', (stat) => stat.source),
      target: agent('The target Agent.', (stat) => stat.target),
      stage: t.string({
        nullable: true,
        description: 'The stage; null outside of pipelines too.',
        resolve: ({ stage }) => stage,
      }),
      outcome: t.string({
        nullable: true,
        description: 'The outcome; null for Handoffs that left no stage too.',
        resolve: ({ outcome }) => outcome,
      }),
      status: t.field({
        type: HandoffStatus,
        nullable: true,
        description: 'The status.',
        resolve: ({ status }) => status,
      }),
      day: t.field({
        type: 'DateTime',
        nullable: true,
        description: 'Beginning of the day (UTC).',
        resolve: ({ day }) => (day === undefined ? null : new Date(`${day}T00:00:00Z`)),
      }),
      project: t.string({
        nullable: true,
        description: 'The project; null for Sessions without one too.',
        resolve: ({ project }) => project,
      }),
      count: t.exposeInt('count', { description: 'Number of Handoffs, at least 1.' }),
      byStatus: t.field({
        type: ['HandoffStatusCount' as never],
        listSize: partOfRecord,
        description: 'Number of Handoffs by status, for each status that occurs.',
        resolve: ({ byStatus }) => byStatus as never,
      }),
      acceptance: t.exposeFloat('acceptance', {
        nullable: true,
        description:
          'Accepted Handoffs divided by accepted, rejected and timed out ones: 0 to 1; null when there are none.',
      }),
      medianWaitingMs: ms('medianWaitingMs', `Median ${waiting}`),
      p95WaitingMs: ms('p95WaitingMs', `95th percentile of the ${waiting}`),
      medianWorkingMs: ms('medianWorkingMs', `Median ${working}`),
      p95WorkingMs: ms('p95WorkingMs', `95th percentile of the ${working}`),
      sentBack: t.exposeInt('sentBack', {
        description: 'Number of Handoffs that sent work back (`Handoff.sentBack`).',
      }),
      bounced: t.exposeInt('bounced', {
        description: 'Number of Handoffs after which the source held the Session again as one of its next two holders.',
      }),
      usage: t.field({
        type: 'Usage',
        description: 'Tokens of the Turns of the targets in these tenures; 0 where none was reported.',
        resolve: ({ usage }) => usage,
      }),
    };
  },
});

const args = z.object({
  groupBy: someOf(StatsKey).describe('What to group by; an empty list sums all.'),
  where: whereOf(handoffFilter).describe('Filter. Null: all Handoffs.'),
  first: withDefault(integer(0, 1_000), 100).describe('Returns the first N groups (0 to 1,000).'),
});

builder.queryField('handoffStats', (t) =>
  t.field({
    access: everybody,
    // For each group, beside the Agents that it names.
    cost: 2,
    type: [Stat],
    description:
      'Sums the Handoffs that the caller may read by group: the largest groups first, with DAY the newest days first. Handoffs of pruned Sessions are not among them: handoffCounts has these.',
    args: argsOf(args),
    resolve: async (_root, given, { pool, caller }) => {
      const { groupBy, where, first } = decodeArgs(args, given);
      const principals = where.actor === null ? [] : await principalsOf(pool, where.actor);
      return handoffStats(pool, caller, { groupBy, filter: where, principals, first, now: new Date() });
    },
  }),
);
