import type { Logger } from './work.ts';

const everyMs = 1_000;
const running = new WeakMap<Logger, Map<string, { times: number; last: object }>>();

/**
 * For warnings that callers can cause at will while a service is away: writes the first at once, and from then on at most one line a
 * second with this message. `times` is the number of warnings that a line stands for; its fields are those of the newest.
 */
export function warnOften(log: Logger, fields: object, message: string): void {
  const messages = running.get(log) ?? new Map<string, { times: number; last: object }>();
  running.set(log, messages);
  const since = messages.get(message);
  if (since !== undefined) {
    since.times += 1;
    since.last = fields;
    return;
  }
  messages.set(message, { times: 0, last: fields });
  log.warn({ ...fields, times: 1 }, message);
  const each = setInterval(() => {
    const { times, last } = messages.get(message)!;
    if (times > 0) {
      messages.set(message, { times: 0, last });
      log.warn({ ...last, times }, message);
    } else {
      messages.delete(message);
      clearInterval(each);
    }
  }, everyMs).unref();
}
