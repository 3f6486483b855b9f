import { createContext, useContext } from 'react';

/** How the page hears of changes. */
export type LiveStatus =
  | { kind: 'connecting' }
  | { kind: 'live' }
  /** `at`: when it tries again, in milliseconds since 1970. */
  | { kind: 'reconnecting'; at: number }
  | { kind: 'ended'; reason: string };

export const LiveContext = createContext<LiveStatus>({ kind: 'connecting' });

export const useLiveStatus = (): LiveStatus => useContext(LiveContext);
