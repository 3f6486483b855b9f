import { existsSync } from 'node:fs';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** The longest files of both suites, longest first, as measured on a machine with two processors. */
const longest = [
  // Its patterns run at a third of their speed in a worker that has run many files: V8 optimizes no more of them.
  'server/work/redaction/linear.long.test.ts',
  'server/work/log/importMemory.long.test.ts',
  'test/package.long.test.ts',
  'test/relay.long.test.ts',
  'test/soak/patroni.long.test.ts',
  'server/work/pipelines/random.long.test.ts',
  'server/work/tools/simulate.long.test.ts',
  'server/app/imports.long.test.ts',
  'cli/hook/ends.test.ts',
  'cli/hook/send.test.ts',
  'client/sessions/sessionPage.test.ts',
  'server/work/custody/model.test.ts',
  'server/app/commands/key.test.ts',
  'client/pipelines/pipelines.test.ts',
  'server/api/handoffs/plans.long.test.ts',
  'client/live/live.test.ts',
  'server/work/redaction/leaks.test.ts',
  'test/fuzz/fuzz.long.test.ts',
  'test/soak/kill.long.test.ts',
  'test/soak/connects.long.test.ts',
  'server/api/access/matrix.test.ts',
  'server/infra/postgres/embedded.long.test.ts',
  'server/main.test.ts',
  'client/log/log.test.ts',
  'test/docs/docs.long.test.ts',
  'client/app/longNames.long.test.ts',
  'cli/doctor.test.ts',
  'server/api/graphiql/browser.test.ts',
  'server/work/log/largeUploads.test.ts',
  'client/handoffs/reassign/reassign.test.ts',
  'cli/watch.test.ts',
  'client/agents/agents.test.ts',
  'client/sessions/sessions.test.ts',
  'client/access/access.test.ts',
];

for (const file of longest)
  if (!existsSync(new URL(`../${file}`, import.meta.url)))
    throw new Error(`test/longestFirst.ts names ${file}, which does not exist`);

/** Starts the longest files first, so that at the end no worker waits long for another. A fresh clone has no measured times. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ moduleId }: TestSpecification): number => {
      const at = longest.findIndex((file) => moduleId.endsWith(`/${file}`));
      return at === -1 ? longest.length : at;
    };
    return (await super.sort(files)).sort((one, other) => place(one) - place(other));
  }
}
