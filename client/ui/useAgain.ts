import { useEffect, useRef } from 'react';
import type { UseQueryExecute } from 'urql';

/** Asks again when something moved on since it was first known: for lists, which an update of a record does not reach. */
export function useAgain(ask: UseQueryExecute, moment: string | number | undefined): void {
  const last = useRef(moment);
  useEffect(() => {
    if (last.current !== undefined && moment !== last.current) ask({ requestPolicy: 'network-only' });
    last.current = moment;
  }, [ask, moment]);
}
