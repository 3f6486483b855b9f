/**
 * Batches look-ups: one statement runs at a time, each for up to `batchSize` keys that were requested meanwhile, in the order of
 * their requests.
 */
export function bundled<Key, Found>(
  read: (keys: Key[]) => Promise<Map<Key, Found>>,
  batchSize = 1_000,
): (key: Key) => Promise<Found | undefined> {
  const waiting: { key: Key; resolve(found: Found | undefined): void; reject(error: unknown): void }[] = [];
  let reading = false;

  async function readAll(): Promise<void> {
    reading = true;
    while (waiting.length > 0) {
      const bundle = waiting.splice(0, batchSize);
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
