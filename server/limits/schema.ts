import { everybody } from '../access/roles.ts';
import { builder } from '../graphql/builder.ts';
import type { Allowance } from './rates.ts';

const RateAllowance = builder.objectRef<Allowance>('RateAllowance').implement({
  access: 'inherit',
  description: 'How many requests of one kind a caller may make: so many a minute at an even pace, and after a pause a few at once.',
  fields: (t) => ({
    limit: t.int({ description: 'So many a minute.', resolve: ({ perMinute }) => perMinute }),
    burst: t.exposeInt('burst', { description: 'So many at once, after a pause.' }),
    remaining: t.exposeInt('remaining', { description: 'So many at once now, after this request. At 0 the next is RATE_LIMITED, and `Retry-After` says until when.' }),
    resetAt: t.field({ type: 'DateTime', description: 'When `remaining` is `burst` again, if nothing is asked until then.', resolve: ({ resetAt }) => resetAt }),
  }),
});

const RateLimit = builder.objectRef<{ reads: Allowance; writes: Allowance }>('RateLimit').implement({
  access: 'inherit',
  description: 'What the caller may still ask for. Every key has its own; several server processes each count for themselves.',
  fields: (t) => ({
    reads: t.field({ type: RateAllowance, description: 'Queries, subscriptions when they are opened, and downloads: 1 each.', resolve: ({ reads }) => reads }),
    writes: t.field({ type: RateAllowance, description: 'Mutations and uploads: 1 each, whatever becomes of them.', resolve: ({ writes }) => writes }),
  }),
});

builder.queryField('rateLimit', (t) =>
  t.field({
    access: everybody,
    type: RateLimit,
    nullable: true,
    description: 'What the caller may still ask for. Anybody may ask; it is a read itself. Null without a limit: on a server without keys.',
    resolve: (_root, _args, { caller, rates }) => rates?.allowances(caller) ?? null,
  }),
);
