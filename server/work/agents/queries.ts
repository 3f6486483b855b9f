import type { AdministrativeStatus } from '../../generated/prisma/client.ts';

interface Places {
  administrativeStatus: AdministrativeStatus;
  currentLoad: number;
  maxCapacity: number;
}
export type ShownStatus = AdministrativeStatus | 'BUSY';

/** Work that is recorded needs no place, so that the load may exceed the capacity. */
export const freePlaces = ({ currentLoad, maxCapacity }: Pick<Places, 'currentLoad' | 'maxCapacity'>): number =>
  Math.max(0, maxCapacity - currentLoad);

/** The status shown to clients: BUSY is computed, never stored. */
export const shownStatus = (agent: Places): ShownStatus =>
  agent.administrativeStatus === 'AVAILABLE' && freePlaces(agent) <= 0 ? 'BUSY' : agent.administrativeStatus;
