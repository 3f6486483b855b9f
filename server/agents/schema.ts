import { builder, modelRef } from '../graphql/builder.ts';
import { ofItself } from '../graphql/descriptions.ts';
import { AdministrativeStatus } from '../graphql/enums.ts';
import { freePlaces, shownStatus } from './queries.ts';

export const AgentStatus = builder.enumType('AgentStatus', {
  description: 'How an Agent stands: what an operator decided, or BUSY.',
  values: {
    AVAILABLE: { description: 'Takes work and has a free place.' },
    BUSY: { description: 'Would take work, but holds as many Sessions as it may.' },
    DRAINING: { description: 'Finishes what it has and takes nothing new.' },
    OFFLINE: { description: 'Takes nothing.' },
  },
});

const places = { administrativeStatus: true, currentLoad: true, maxCapacity: true } as const;

builder.prismaNode('Agent', {
  id: { field: 'id', description: 'Its slug, such as `claude-1`; never given to another.' },
  nullable: true,
  select: { id: true },
  description: 'A worker in the pool: it holds Sessions, hands them off, and takes them over.',
  fields: (t) => ({
    type: t.exposeString('type'),
    name: t.exposeString('name'),
    role: t.exposeString('role', { nullable: true }),
    description: t.exposeString('description', { nullable: true }),
    instructions: t.exposeString('instructions', {
      nullable: true,
      description: `What every Handoff to it carries as instructions; null when there are none. ${ofItself}`,
    }),
    status: t.field({
      type: AgentStatus,
      description: 'How it stands now: its administrative status, and BUSY instead of AVAILABLE when it has no free place.',
      select: places,
      resolve: shownStatus,
    }),
    administrativeStatus: t.expose('administrativeStatus', { type: AdministrativeStatus }),
    currentLoad: t.exposeInt('currentLoad'),
    maxCapacity: t.exposeInt('maxCapacity'),
    freePlaces: t.int({
      description: 'How many more Sessions it could hold, whatever its status: capacity less load.',
      select: places,
      resolve: freePlaces,
    }),
    totalAssigned: t.exposeInt('totalAssigned', { description: `How many Sessions were ever given to it, returns included. ${ofItself}` }),
    collaborators: t.field({
      type: [modelRef('Agent')],
      description: `The Agents that it may hand off to by itself, in the order they were given; besides, always the one a Session came from. ${ofItself}`,
      select: (_args, _context, nested) => ({
        collaborators: { orderBy: { position: 'asc' }, select: { collaborator: nested() } },
      }),
      resolve: ({ collaborators }) => collaborators.map(({ collaborator }) => collaborator),
    }),
    metadata: t.expose('metadata', { type: 'JSON', nullable: true, description: `What its operator keeps about it; null when nothing. ${ofItself}` }),
    registeredAt: t.expose('registeredAt', { type: 'DateTime', description: 'When it joined the pool.' }),
    archivedAt: t.expose('archivedAt', { type: 'DateTime', nullable: true }),
  }),
});
