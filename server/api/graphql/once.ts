const found = new WeakMap<object, Map<string, unknown>>();

/** Runs `work` once per request and key; later calls get the same result or promise. */
export function once<Result>(context: object, key: string, work: () => Result): Result {
  const ofRequest = found.get(context) ?? new Map<string, unknown>();
  found.set(context, ofRequest);
  if (!ofRequest.has(key)) ofRequest.set(key, work());
  return ofRequest.get(key) as Result;
}
