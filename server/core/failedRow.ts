import { UnavailableError } from './errors.ts';
import type { Logger } from './work.ts';

/** For `catch`: logs that one row failed, so that the others get their turn. Throws UNAVAILABLE again, which all of them would meet. */
export function logFailedRow(log: Logger, row: object, message: string): (error: unknown) => void {
  return (error) => {
    if (error instanceof UnavailableError) throw error;
    log.error({ err: error, ...row }, message);
  };
}
