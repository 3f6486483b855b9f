import type { Doorbell } from './doorbell.ts';
import { LocalDoorbell } from './localDoorbell.ts';
import type { Log } from '../infra/log.ts';
import { RedisDoorbell } from './redisDoorbell.ts';

export interface DoorbellOptions {
  urls: readonly string[] | undefined;
  /** The database that all who hear each other share. */
  databaseId: string;
  log: Log;
}

/** The doorbell of the processes that share a Redis; without one, of this process alone. */
export function createDoorbell({ urls, databaseId, log }: DoorbellOptions): Doorbell {
  return urls === undefined ? new LocalDoorbell() : new RedisDoorbell({ urls, channel: `baton:${databaseId}`, log });
}
