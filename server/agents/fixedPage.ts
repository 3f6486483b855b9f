import { type FixedForm, fixedRow, isoOf } from '../core/fixedPage.ts';

type Text = string | null;
type Values = [
  ...[id: string, type: string, name: string, role: Text, description: Text, administrativeStatus: string],
  ...[currentLoad: number, maxCapacity: number, registeredAt: string, archivedAt: Text],
];

export const agentForms: readonly FixedForm[] = [
  {
    select: {
      id: true,
      type: true,
      name: true,
      role: true,
      description: true,
      administrativeStatus: true,
      currentLoad: true,
      maxCapacity: true,
      registeredAt: true,
      archivedAt: true,
    },
    isLarge: false,
    sql: ({ where, orderBy, limit }) => `
      SELECT json_build_array(id, type, name, role, description, administrative_status, current_load, max_capacity, registered_at, archived_at)
      FROM (SELECT * FROM agents a ${where} ${orderBy('a')} LIMIT ${limit}) a
      ${orderBy('a')}`,
    rowOf: ([
      id,
      type,
      name,
      role,
      description,
      administrativeStatus,
      currentLoad,
      maxCapacity,
      registeredAt,
      archivedAt,
    ]: Values) =>
      fixedRow({
        id,
        type,
        name,
        role,
        description,
        administrativeStatus,
        currentLoad,
        maxCapacity,
        registeredAt: isoOf(registeredAt),
        archivedAt: isoOf(archivedAt),
      }),
  },
];

export const agentColumns = { id: 'id', currentLoad: 'current_load', registeredAt: 'registered_at' } as const;
export type AgentColumn = keyof typeof agentColumns;
