import { freePlaces, shownStatus } from '../../work/agents/queries.ts';
import { builder, modelRef } from '../graphql/builder.ts';
import { ofItself } from '../graphql/descriptions.ts';
import { AdministrativeStatus } from '../graphql/enums.ts';

export const AgentStatus = builder.enumType('AgentStatus', {
  description: 'Current status of an Agent: the administrative status, or BUSY.',
  values: {
    AVAILABLE: { description: 'Takes new work and has a free place.' },
    BUSY: { description: 'Takes new work but has no free place.' },
    DRAINING: { description: 'Keeps its work and takes no new work.' },
    OFFLINE: { description: 'Takes no new work. The Sessions that it holds stay with it.' },
  },
});

const places = { administrativeStatus: true, currentLoad: true, maxCapacity: true } as const;

// Every caller can read the fields needed to choose an Agent; the others are for that Agent and for operators.
builder.prismaNode('Agent', {
  id: { field: 'id', access: 'inherit', description: 'Slug of the Agent, such as `claude-1`. Never reused.' },
  nullable: true,
  select: { id: true },
  description: 'A worker of the pool. It holds Sessions, hands them off and takes them over.',
  fields: (t) => ({
    type: t.exposeString('type', { access: 'inherit' }),
    name: t.exposeString('name', { access: 'inherit' }),
    role: t.exposeString('role', { access: 'inherit', nullable: true }),
    description: t.exposeString('description', { access: 'inherit', nullable: true }),
    instructions: t.exposeString('instructions', {
      access: 'ownAgent',
      cost: 2,
      nullable: true,
      description: `Instructions that every Handoff to the Agent carries; null when not set. ${ofItself}`,
    }),
    status: t.field({
      access: 'inherit',
      type: AgentStatus,
      description:
        'Current status: the administrative status, or BUSY instead of AVAILABLE when the Agent has no free place.',
      select: places,
      resolve: shownStatus,
    }),
    administrativeStatus: t.expose('administrativeStatus', { access: 'inherit', type: AdministrativeStatus }),
    currentLoad: t.exposeInt('currentLoad', { access: 'inherit' }),
    maxCapacity: t.exposeInt('maxCapacity', { access: 'inherit' }),
    freePlaces: t.int({
      access: 'inherit',
      description:
        'Number of further Sessions that the Agent has room for: capacity minus load, whatever its status; 0 when the load exceeds the capacity.',
      select: places,
      resolve: freePlaces,
    }),
    totalAssigned: t.exposeInt('totalAssigned', {
      access: 'ownAgent',
      description: `Number of Sessions ever given to the Agent, including returns. ${ofItself}`,
    }),
    collaborators: t.field({
      access: 'ownAgent',
      listSize: 20,
      type: [modelRef('Agent')],
      description: `Agents that it may hand off to by itself, in the order they were given. The Agent from which a Session came is always allowed too. ${ofItself}`,
      select: (_args, _context, nested) => ({
        collaborators: { orderBy: { position: 'asc' }, select: { collaborator: nested() } },
      }),
      resolve: ({ collaborators }) => collaborators.map(({ collaborator }) => collaborator),
    }),
    contextWindow: t.exposeInt('contextWindow', {
      access: 'inherit',
      nullable: true,
      description:
        "Tokens that fit into the window of the Agent's model; null when not known. When the usage is over the server's limit (BATON_CONTEXT_PRESSURE), HANDOFF_PROPOSED is written.",
    }),
    metadata: t.expose('metadata', {
      access: 'ownAgent',
      type: 'JSON',
      nullable: true,
      description: `Metadata that an operator gave; null when none was given. ${ofItself}`,
    }),
    registeredAt: t.expose('registeredAt', {
      access: 'inherit',
      type: 'DateTime',
      description: 'Time at which the Agent was registered.',
    }),
    archivedAt: t.expose('archivedAt', { access: 'inherit', type: 'DateTime', nullable: true }),
  }),
});
