/** Runs a task after `firstMs`, then again after the milliseconds that each run returns, until stopped. The task may not throw. */
export function repeat(firstMs: number, task: () => Promise<number>): { stop(): Promise<void> } {
  let running = Promise.resolve();
  let stopped = false;
  let timer: NodeJS.Timeout;
  const schedule = (inMs: number): void => {
    if (stopped) return;
    timer = setTimeout(() => {
      running = task().then(schedule);
    }, inMs).unref();
  };
  schedule(firstMs);
  return {
    /** Waits for a running task. */
    stop() {
      stopped = true;
      clearTimeout(timer);
      return running;
    },
  };
}
