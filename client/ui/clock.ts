import { createContext, useContext } from 'react';

export const NowContext = createContext(Date.now());

/** Milliseconds since 1970, a quarter of a minute old at most: for what shows an age. */
export const useNow = (): number => useContext(NowContext);
