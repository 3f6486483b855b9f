import type { AdministrativeStatus } from '../generated/prisma/client.ts';

interface Places {
  administrativeStatus: AdministrativeStatus;
  currentLoad: number;
  maxCapacity: number;
}
export type ShownStatus = AdministrativeStatus | 'BUSY';

export const freePlaces = ({ currentLoad, maxCapacity }: Places): number => maxCapacity - currentLoad;

/** The status shown to clients: BUSY is computed, never stored. */
export const shownStatus = (agent: Places): ShownStatus =>
  agent.administrativeStatus === 'AVAILABLE' && freePlaces(agent) <= 0 ? 'BUSY' : agent.administrativeStatus;
