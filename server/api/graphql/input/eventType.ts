import { z } from 'zod';
import type { EventType } from '../../../work/events/topics.ts';
import { showAs } from './schemas.ts';

const notStored = ['READY', 'HEARTBEAT'];

/** The type of a stored Event, as input. */
export const storedEventType = showAs(
  z.custom<EventType>((type) => !notStored.includes(type as string), {
    message: 'is a mark of subscriptions, which is never stored: name types of stored events',
  }),
  { type: 'EventType' },
);
