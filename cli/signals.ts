/** Calls `act` with 1, 2, ... Under npm Ctrl-C arrives twice, from the terminal and from npm: as one. */
export function onSignals(act: (n: number) => void): () => void {
  let count = 0;
  let last = 0;
  const heard = (): void => {
    if (Date.now() - last < 250) return;
    last = Date.now();
    act((count += 1));
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, heard);
  return () => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.off(signal, heard);
  };
}
