import { stored } from '../app/stored.ts';

/** The time since which this browser has seen nothing that needs a person; null while something does, and before the first look. */
export const wellSince = stored('baton.wellSince', (text) => {
  const time: unknown = text === null ? null : readJson(text);
  return typeof time === 'string' && !Number.isNaN(Date.parse(time)) ? time : null;
});

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** Notes what a count said. */
export function noteCount(count: number): void {
  const before = wellSince.get();
  if (count > 0 && before !== null) wellSince.set(null);
  if (count === 0 && before === null) wellSince.set(new Date().toISOString());
}
