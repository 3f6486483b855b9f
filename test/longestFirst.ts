import { existsSync } from 'node:fs';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** The longest files of both suites, longest first, as measured on a machine with two processors. */
const longest = [
  'client/sessions/sessionPage.test.ts',
  'server/cli/key.test.ts',
  'client/pipelines/pipelines.test.ts',
  'client/live/live.test.ts',
  'test/docs/docs.long.test.ts',
  'client/handoffs/reassign/reassign.test.ts',
  'server/main.test.ts',
  'server/cli/hook.test.ts',
  'client/access/access.test.ts',
  'server/access/matrix.test.ts',
  'server/infra/migrate.test.ts',
  'server/graphiql/browser.test.ts',
  'client/log/log.test.ts',
  'client/tools/tools.test.ts',
  'client/agents/agents.test.ts',
  'client/queue/queue.test.ts',
  'test/package.long.test.ts',
  'server/log/importMemory.long.test.ts',
  'test/relay.long.test.ts',
  'server/tools/simulate.long.test.ts',
  'server/pipelines/random.long.test.ts',
  'client/app/longNames.long.test.ts',
  'server/custody/model.test.ts',
  'test/soak/kill.long.test.ts',
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
