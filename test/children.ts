import type { ChildProcess } from 'node:child_process';

const running = new Set<ChildProcess>();

/** Kills the child when this process ends, except by SIGKILL. One listener serves all children. */
export function endsWithThisProcess<Child extends ChildProcess>(child: Child): Child {
  running.add(child);
  child.once('exit', () => running.delete(child));
  return child;
}

process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});
