const found = new WeakMap<object, Map<string, unknown>>();

/** Does work that a request asks for several times once: the same key gives the same result, or the same promise of it. */
export function once<Result>(context: object, key: string, work: () => Result): Result {
  const ofRequest = found.get(context) ?? new Map<string, unknown>();
  found.set(context, ofRequest);
  if (!ofRequest.has(key)) ofRequest.set(key, work());
  return ofRequest.get(key) as Result;
}
