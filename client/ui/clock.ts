import { createContext, useContext } from 'react';

export const NowContext = createContext(Date.now());

/** Milliseconds since 1970, at most 15 s old: for ages. */
export const useNow = (): number => useContext(NowContext);
