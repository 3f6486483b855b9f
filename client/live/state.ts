import { createContext, useContext } from 'react';
import type { Status } from '../stream/index.ts';

export const LiveContext = createContext<Status>({ state: 'connecting' });

/** The state of the page's stream. */
export const useLiveStatus = (): Status => useContext(LiveContext);
