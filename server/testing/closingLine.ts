import type { Reporter, TestModule } from 'vitest/node';

/** Ends the output with `N passed, N failed`, alone on the last line, for whoever reads only that. */
export default class ClosingLine implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly unknown[]): void {
    let passed = 0;
    let failed = unhandled.length;
    for (const module of modules) {
      const tests = [...module.children.allTests()];
      const bad = tests.filter((test) => test.result().state === 'failed').length;
      passed += tests.filter((test) => test.result().state === 'passed').length;
      // A file that failed outside its tests (an import, a hook, a leaked connection) counts as one.
      failed += bad === 0 && module.state() === 'failed' ? 1 : bad;
    }
    process.once('exit', () => process.stdout.write(`${passed} passed, ${failed} failed\n`));
  }
}
