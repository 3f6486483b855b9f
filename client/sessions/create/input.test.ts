import { expect, test } from 'vitest';
import { inputOf, type NewSession } from './input.ts';

const form: NewSession = {
  title: ' Fix it ',
  project: '',
  taker: 'nobody',
  agentId: 'ada',
  agentType: 'CLAUDE',
  queue: true,
  pipeline: 'story',
  priority: 'HIGH',
  isApproved: false,
};

test.each([
  ['nobody', {}, null, { title: 'Fix it', priority: 'HIGH' }],
  ['an agent', { taker: 'agent' }, null, { title: 'Fix it', priority: 'HIGH', agentId: 'ada' }],
  [
    'a type, or its queue',
    { taker: 'type' },
    null,
    { title: 'Fix it', priority: 'HIGH', agentType: 'CLAUDE', queue: true },
  ],
  [
    'a pipeline, with a project',
    { taker: 'pipeline', project: ' Hands ' },
    null,
    { title: 'Fix it', priority: 'HIGH', pipeline: 'story', project: 'Hands' },
  ],
  [
    'nobody, with approvals',
    { isApproved: true },
    null,
    { title: 'Fix it', priority: 'HIGH', handoffApproval: 'REQUIRED' },
  ],
  ['the agent that creates it', { taker: 'agent', isApproved: true }, 'bob', { title: 'Fix it', agentId: 'bob' }],
] as const)('a new session for %s', (_who, part, ownId, input) => {
  expect(inputOf({ ...form, ...part }, ownId)).toEqual(input);
});
