import type { Allowance } from '../../infra/limits/rates.ts';
import { everybody } from '../access/roles.ts';
import { builder } from '../graphql/builder.ts';

const RateAllowance = builder.objectRef<Allowance>('RateAllowance').implement({
  access: 'inherit',
  description: 'Rate limit of one kind of request: a steady rate per minute, and a burst after a pause.',
  fields: (t) => ({
    limit: t.int({ description: 'Requests per minute.', resolve: ({ perMinute }) => perMinute }),
    burst: t.exposeInt('burst', { description: 'Greatest number of requests at once after a pause.' }),
    remaining: t.exposeInt('remaining', {
      description:
        'Requests left at once, after this one. At 0 the next request is RATE_LIMITED; `Retry-After` says how long to wait.',
    }),
    resetAt: t.field({
      type: 'DateTime',
      description: 'Time at which `remaining` equals `burst` again when no request is made until then.',
      resolve: ({ resetAt }) => resetAt,
    }),
  }),
});

const RateLimit = builder.objectRef<{ reads: Allowance; writes: Allowance }>('RateLimit').implement({
  access: 'inherit',
  description: "Rate limit of the caller's key, by its role. All server processes that share a Redis count together.",
  fields: (t) => ({
    reads: t.field({
      type: RateAllowance,
      description: 'Queries, openings of subscriptions, and downloads: 1 each.',
      resolve: ({ reads }) => reads,
    }),
    writes: t.field({
      type: RateAllowance,
      description: 'Mutations and uploads, refused ones included: 1 each.',
      resolve: ({ writes }) => writes,
    }),
  }),
});

builder.queryField('rateLimit', (t) =>
  t.field({
    access: everybody,
    type: RateLimit,
    nullable: true,
    description:
      "Returns what is left of the caller's rate limit. The query counts as a read. Null on a server without keys, where there is no limit.",
    resolve: (_root, _args, { caller, rates }) => rates?.allowances(caller) ?? null,
  }),
);
