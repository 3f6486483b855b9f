import { createContext, useContext } from 'react';
import type { Status } from '../stream/index.ts';

export const LiveContext = createContext<Status>({ state: 'connecting' });

/** How the page hears of changes. */
export const useLiveStatus = (): Status => useContext(LiveContext);
