import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { packageFolder } from '../server/core/place.ts';
import type { NamedDefinition } from '../server/work/pipelines/rules.ts';
import type { Definition } from '../server/work/registry/definition.ts';
import { readDefinition } from '../server/work/registry/readDefinition.ts';

/** The files of the package that the demonstration imports. */

export async function readStory(): Promise<{ definitions: Definition[]; pipeline: NamedDefinition }> {
  const folder = 'server/work/pipelines/story';
  const definitions = await readDefinitions(folder);
  const { stages, transitions, ...rest } = JSON.parse(
    await readFile(join(packageFolder, folder, 'story.json'), 'utf8'),
  ) as NamedDefinition;
  const noStage = {
    role: null,
    agentType: null,
    phase: null,
    instructions: null,
    payloadSchema: null,
    acceptWithinMinutes: null,
    remindAfterMinutes: null,
    escalateTo: null,
  };
  return {
    definitions,
    pipeline: {
      ...rest,
      stages: stages.map((stage) => ({ ...noStage, ...stage })),
      transitions: transitions.map((transition) => ({ ...{ when: null, payloadSchema: null }, ...transition })),
    },
  };
}

/** The definitions in a folder of the package. */
export async function readDefinitions(folder: string): Promise<Definition[]> {
  const names = (await readdir(join(packageFolder, folder))).filter((name) => name.endsWith('.md')).sort();
  const read = async (name: string) =>
    readDefinition({
      path: `${folder}/${name}`,
      content: await readFile(join(packageFolder, folder, name), 'utf8'),
    });
  return (await Promise.all(names.map(read))).flatMap(({ definition }) => definition ?? []);
}
