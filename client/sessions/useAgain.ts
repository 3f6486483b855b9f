import { useEffect, useState } from 'react';
import type { UseQueryExecute } from 'urql';

/** Asks again when something moved on since this was first shown: for lists, which an update of a record does not reach. */
export function useAgain(ask: UseQueryExecute, moment: string | number): void {
  const [first] = useState(moment);
  useEffect(() => {
    if (moment !== first) ask({ requestPolicy: 'network-only' });
  }, [ask, moment, first]);
}
