import type { ChildProcess } from 'node:child_process';

const running = new Set<ChildProcess>();

/** It is killed when this process ends, whatever ends this one short of SIGKILL. One listener for all of them. */
export function endsWithThisProcess<Child extends ChildProcess>(child: Child): Child {
  running.add(child);
  child.once('exit', () => running.delete(child));
  return child;
}

process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});
