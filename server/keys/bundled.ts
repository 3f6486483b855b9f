/**
 * Reads many things with few statements: one at a time, each for all that were asked for meanwhile, `most` at once. So
 * nothing that is asked for waits longer than for those that came before it, however many these are.
 */
export function bundled<Key, Found>(read: (keys: Key[]) => Promise<Map<Key, Found>>, most = 1_000): (key: Key) => Promise<Found | undefined> {
  const waiting: { key: Key; resolve(found: Found | undefined): void; reject(error: unknown): void }[] = [];
  let reading = false;

  async function readAll(): Promise<void> {
    reading = true;
    while (waiting.length > 0) {
      const bundle = waiting.splice(0, most);
      try {
        const found = await read(bundle.map(({ key }) => key));
        for (const { key, resolve } of bundle) resolve(found.get(key));
      } catch (error) {
        for (const { reject } of bundle) reject(error);
      }
    }
    reading = false;
  }

  return (key) =>
    new Promise((resolve, reject) => {
      waiting.push({ key, resolve, reject });
      if (!reading) void readAll();
    });
}
