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

// Every caller sees of an Agent what it takes to choose one; the rest is for that Agent itself and for people.
builder.prismaNode('Agent', {
  id: { field: 'id', access: 'inherit', description: 'Its slug, such as `claude-1`; never given to another.' },
  nullable: true,
  select: { id: true },
  description: 'A worker in the pool: it holds Sessions, hands them off, and takes them over.',
  fields: (t) => ({
    type: t.exposeString('type', { access: 'inherit' }),
    name: t.exposeString('name', { access: 'inherit' }),
    role: t.exposeString('role', { access: 'inherit', nullable: true }),
    description: t.exposeString('description', { access: 'inherit', nullable: true }),
    instructions: t.exposeString('instructions', {
      access: 'ownAgent',
      cost: 2,
      nullable: true,
      description: `What every Handoff to it carries as instructions; null when there are none. ${ofItself}`,
    }),
    status: t.field({
      access: 'inherit',
      type: AgentStatus,
      description: 'How it stands now: its administrative status, and BUSY instead of AVAILABLE when it has no free place.',
      select: places,
      resolve: shownStatus,
    }),
    administrativeStatus: t.expose('administrativeStatus', { access: 'inherit', type: AdministrativeStatus }),
    currentLoad: t.exposeInt('currentLoad', { access: 'inherit' }),
    maxCapacity: t.exposeInt('maxCapacity', { access: 'inherit' }),
    freePlaces: t.int({
      access: 'inherit',
      description: 'How many more Sessions it could hold, whatever its status: capacity less load.',
      select: places,
      resolve: freePlaces,
    }),
    totalAssigned: t.exposeInt('totalAssigned', { access: 'ownAgent', description: `How many Sessions were ever given to it, returns included. ${ofItself}` }),
    collaborators: t.field({
      access: 'ownAgent',
      listSize: 20,
      type: [modelRef('Agent')],
      description: `The Agents that it may hand off to by itself, in the order they were given; besides, always the one a Session came from. ${ofItself}`,
      select: (_args, _context, nested) => ({
        collaborators: { orderBy: { position: 'asc' }, select: { collaborator: nested() } },
      }),
      resolve: ({ collaborators }) => collaborators.map(({ collaborator }) => collaborator),
    }),
    metadata: t.expose('metadata', { access: 'ownAgent', type: 'JSON', nullable: true, description: `What its operator keeps about it; null when nothing. ${ofItself}` }),
    registeredAt: t.expose('registeredAt', { access: 'inherit', type: 'DateTime', description: 'When it joined the pool.' }),
    archivedAt: t.expose('archivedAt', { access: 'inherit', type: 'DateTime', nullable: true }),
  }),
});
