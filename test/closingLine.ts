import type { Reporter, TestModule } from 'vitest/node';

declare module 'vitest' {
  interface TaskMeta {
    /** The test compared a transcript of a real tool with its expected facts. */
    realTranscript?: boolean;
  }
}

/** Ends the output with `N passed, N failed`, alone on the last line, for whoever reads only that. */
export default class ClosingLine implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly unknown[]): void {
    let passed = 0;
    let failed = unhandled.length;
    let realTranscripts = 0;
    for (const module of modules) {
      const tests = [...module.children.allTests()];
      const bad = tests.filter((test) => test.result().state === 'failed').length;
      passed += tests.filter((test) => test.result().state === 'passed').length;
      realTranscripts += tests.filter((test) => test.result().state === 'passed' && test.meta().realTranscript === true).length;
      // A file that failed outside its tests (an import, a hook, a leaked connection) counts as one.
      failed += bad === 0 && module.state() === 'failed' ? 1 : bad;
    }
    const real = process.env['BATON_REAL_DATA'] ? `${realTranscripts} real transcripts were checked` : 'no real transcripts were checked: set BATON_REAL_DATA to their folder';
    process.once('exit', () => process.stdout.write(`${real}\n${passed} passed, ${failed} failed\n`));
  }
}
