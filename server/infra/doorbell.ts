import type { Doorbell } from '../core/doorbell.ts';
import { LocalDoorbell } from './localDoorbell.ts';
import type { Log } from './log.ts';

/** The doorbell of the processes that share a Redis; without one, of this process alone. */
export function createDoorbell({ urls }: { urls: string[] | undefined; log: Log }): Doorbell {
  void urls;
  return new LocalDoorbell();
}
