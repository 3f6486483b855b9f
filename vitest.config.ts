import { availableParallelism } from 'node:os';
import { configDefaults, defineConfig } from 'vitest/config';
import { LongestFirst } from './test/longestFirst.ts';

const long = '**/*.long.test.ts';
/** These run in both suites: in the long one with all of their inputs. */
const inBoth =
  'server/{work/context/{fitContext,markdown,pack,derive/standing},work/custody/model,api/approvals/decisions,api/graphql/rootLists,work/keeping/prune,work/redaction/leaks}.test.ts';

/** On two cores the default is one worker. Tests wait for databases, servers and browsers much of the time. */
const workers = (fewest: number): number => Math.max(fewest, availableParallelism() - 1);

export default defineConfig({
  // Packages load graphql's CommonJS build; a second copy of it here would refuse their schemas.
  resolve: { alias: [{ find: /^graphql$/, replacement: 'graphql/index.js' }] },
  test: {
    pool: 'forks',
    // A second run takes a seventh less processor time.
    experimental: { fsModuleCache: true },
    // What is waited for comes when it comes: a second is the default.
    expect: { poll: { timeout: 30_000 } },
    // A fault of the machine costs a second attempt, which the closing lines name.
    retry: process.env['CI'] ? 1 : 0,
    sequence: { sequencer: LongestFirst },
    reporters: ['default', './test/closingLine.ts'],
    projects: [
      {
        extends: true,
        test: {
          name: 'short',
          include: ['{server,cli,client,prisma,test}/**/*.test.ts'],
          exclude: [...configDefaults.exclude, long],
          // A worker imports each module once for all of its files: importing them for every file takes a third of the time.
          isolate: false,
          maxWorkers: workers(4),
          sequence: { groupOrder: 0 },
          ...patient(),
        },
      },
      {
        extends: true,
        test: {
          name: 'long',
          include: [`{server,cli,client,prisma,test}/${long}`, inBoth],
          // Several servers, and databases that are killed, in each file.
          // Importing was a tenth of its time.
          isolate: false,
          maxWorkers: workers(2),
          sequence: { groupOrder: 1 },
          env: { BATON_MODEL_RUNS: '120', BATON_TEST_WHOLE: '1' },
          ...patient(),
        },
      },
    ],
  },
});

/** Half the speed of a quiet machine, with other work beside, is no reason to fail. */
function patient() {
  return {
    globalSetup: ['test/globalSetup.ts'],
    setupFiles: ['test/eachFile.ts'],
    testTimeout: 60_000,
    hookTimeout: 120_000,
  };
}
