import { z } from 'zod';
import { everybody } from '../access/roles.ts';
import { builder, modelRef } from '../graphql/builder.ts';
import { connectionRef, pageArgs, rootPage } from '../graphql/connection.ts';
import {
  decodeArgs,
  inputObject,
  integer,
  optional,
  pipelineSlug,
  whereOf,
  withDefault,
} from '../graphql/input/schemas.ts';
import { argsOf } from '../graphql/input/types.ts';
import type { Order } from '../graphql/page.ts';

const order: Order = { name: 'pipeline', columns: { slug: 'slug', version: 'integer' }, direction: 'asc' };

const pipelineFilter = inputObject(
  'PipelineFilter',
  'Filters pipelines. Every given condition must match.',
  z.object({
    slug: optional(pipelineSlug).describe('The pipeline of this slug.'),
    allVersions: withDefault(z.boolean(), false).describe('Includes the versions that a newer one replaced.'),
    includeArchived: withDefault(z.boolean(), false).describe('Includes archived pipelines.'),
  }),
);

const one = z.object({
  slug: pipelineSlug.describe('Slug of the pipeline.'),
  version: optional(integer(1)).describe('Number of the version. Null: the newest.'),
});
const many = z.object({
  where: whereOf(pipelineFilter).describe('Filter. Null: the newest version of each pipeline that is not archived.'),
});

builder.queryFields((t) => ({
  pipeline: t.prismaField({
    access: everybody,
    type: modelRef('Pipeline'),
    nullable: true,
    description: 'Returns a version of a pipeline, archived or not; null when it does not exist.',
    args: argsOf(one),
    resolve: (query, _root, args, { prisma }) => {
      const { slug, version } = decodeArgs(one, args);
      return prisma.pipeline.findFirst({
        ...query,
        where: { slug, ...(version === null ? { replacedAt: null } : { version }) },
      });
    },
  }),
  pipelines: t.field({
    access: everybody,
    type: connectionRef('Pipeline'),
    description: 'Lists pipelines by slug and version.',
    args: { ...argsOf(many), ...pageArgs },
    resolve: (_root, args, context, info) => {
      const { slug, allVersions, includeArchived } = decodeArgs(many, args).where;
      const where = {
        ...(slug !== null && { slug }),
        ...(!allVersions && { replacedAt: null }),
        ...(!includeArchived && { archivedAt: null }),
      };
      return rootPage('Pipeline', { args, order, oneOf: [where] }, context, info);
    },
  }),
}));
