import { useEffect, useRef } from 'react';
import type { UseQueryExecute } from 'urql';

/** Queries again when `moment` changes after the first answer: for lists, which cached record updates do not change. */
export function useAgain(ask: UseQueryExecute, moment: string | number | undefined): void {
  const last = useRef(moment);
  useEffect(() => {
    if (last.current !== undefined && moment !== last.current) ask({ requestPolicy: 'network-only' });
    last.current = moment;
  }, [ask, moment]);
}
