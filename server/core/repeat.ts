/** Runs a task until stopped: first after `firstMs`, then each time after as many milliseconds as the run before returned. The task may not throw. */
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
    /** Waits for a run that is under way. */
    stop() {
      stopped = true;
      clearTimeout(timer);
      return running;
    },
  };
}
