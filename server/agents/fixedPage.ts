import type { Pool } from 'pg';
import { type Bounds, FixedRow, type PageSql, readFixedPage } from '../core/fixedPage.ts';

/** What the statement reads. */
export const agentSelect = {
  id: true, type: true, name: true, role: true, description: true, administrativeStatus: true, currentLoad: true, maxCapacity: true, registeredAt: true, archivedAt: true,
};

const sql = ({ where, orderBy, limit }: PageSql): string => `
  SELECT id, type, name, role, description, administrative_status, current_load, max_capacity, registered_at, archived_at
  FROM agents a ${where} ${orderBy('a')} LIMIT ${limit}`;

type Value = string | number | null;

const rowOf = ([id, type, name, role, description, administrativeStatus, currentLoad, maxCapacity, registeredAt, archivedAt]: [string, ...Value[]]): FixedRow =>
  Object.assign(new FixedRow(), { id, type, name, role, description, administrativeStatus, currentLoad, maxCapacity, registeredAt, archivedAt });

const columns = { id: 'id', currentLoad: 'current_load', registeredAt: 'registered_at' } as const;
export type AgentColumn = keyof typeof columns;

/** A page of all Agents, or of those that are not archived. */
export const readAgents = (pool: Pool, { archived, order }: { archived: boolean; order: readonly AgentColumn[] }, bounds: Bounds): Promise<FixedRow[]> =>
  readFixedPage(pool, bounds, { columns: order.map((column) => columns[column]), filter: archived ? null : ['archived_at IS NULL'], sql, rowOf });
