import type { Reporter, SerializedError, TestModule } from 'vitest/node';

declare module 'vitest' {
  interface TaskMeta {
    /** The test compared a real tool's transcript with its expected facts. */
    realTranscript?: boolean;
  }
}

const firstLine = (text = 'no message'): string => text.split('\n', 1)[0]!.slice(0, 200);

/** Ends the output with a line per failure, a line per test that passed at its second attempt, and `N passed, N failed` as the last line. */
export default class ClosingLine implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly SerializedError[]): void {
    const failures = unhandled.map(({ message }) => `outside of tests: ${firstLine(message)}`);
    const retried: string[] = [];
    let passed = 0;
    let realTranscripts = 0;
    for (const module of modules) {
      const tests = [...module.children.allTests()];
      const passing = tests.filter((test) => test.result().state === 'passed');
      const failing = tests.filter((test) => test.result().state === 'failed');
      passed += passing.length;
      realTranscripts += passing.filter((test) => test.meta().realTranscript === true).length;
      retried.push(
        ...passing
          .filter((test) => (test.diagnostic()?.retryCount ?? 0) > 0)
          .map(
            (test) =>
              `RETRIED ${module.relativeModuleId} > ${test.fullName}: ${firstLine(test.result().errors?.[0]?.message)}`,
          ),
      );
      failures.push(
        ...failing.map(
          (test) => `${module.relativeModuleId} > ${test.fullName}: ${firstLine(test.result().errors?.[0]?.message)}`,
        ),
      );
      // A file that failed outside its tests (an import, a hook, a leaked connection) counts as one failure.
      if (failing.length === 0 && module.state() === 'failed')
        failures.push(`${module.relativeModuleId}: ${firstLine(module.errors()[0]?.message)}`);
    }
    const real = process.env['BATON_REAL_DATA']
      ? `${realTranscripts} real transcripts were checked`
      : 'no real transcripts were checked: set BATON_REAL_DATA to their folder';
    const lines = [
      ...retried,
      ...failures.map((failure) => `FAILED ${failure}`),
      real,
      `${passed} passed, ${failures.length} failed`,
    ];
    process.once('exit', () => process.stdout.write(`${lines.join('\n')}\n`));
  }
}
