import { createContext, useContext, useState } from 'react';
import type { Status } from '../stream/index.ts';

export const LiveContext = createContext<Status>({ state: 'connecting' });

/** The state of the page's stream. */
export const useLiveStatus = (): Status => useContext(LiveContext);

/** Whether the connection was lost and is not back yet. */
export function useIsAway(): boolean {
  const { state } = useLiveStatus();
  const [wasAway, setAway] = useState(false);
  const isAway = state === 'waiting' || (wasAway && state !== 'live');
  if (isAway !== wasAway) setAway(isAway);
  return isAway;
}
