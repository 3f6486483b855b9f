import { existsSync } from 'node:fs';
import { cruise, type ICruiseResult } from 'dependency-cruiser';
import { expect, test } from 'vitest';
import { isAllowed, type Import } from './boundaries.ts';

async function readImports(): Promise<Import[]> {
  const { output } = await cruise(['server', 'client'].filter((folder) => existsSync(folder)), {
    tsPreCompilationDeps: 'specify',
    tsConfig: { fileName: 'tsconfig.json' },
    doNotFollow: { path: 'node_modules' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'require', 'node', 'default', 'types'] },
    exclude: { path: '^server/generated/prisma/(internal|models)/' },
  });
  return (output as ICruiseResult).modules
    .filter(({ source }) => /^(server|client)\//.test(source))
    .flatMap(({ source, dependencies }) =>
      dependencies.map(({ resolved, preCompilationOnly }) => ({
        from: source,
        to: resolved,
        typeOnly: preCompilationOnly === true,
      })),
    );
}

test('everything imports only what the table allows', async () => {
  const imports = await readImports();
  // That the reading works at all.
  expect(imports).toContainEqual({ from: 'server/main.ts', to: 'server/app.ts', typeOnly: false });
  expect(imports.filter((found) => !isAllowed(found))).toEqual([]);
}, 150_000);

test.each([
  ['server/handoffs/reassignSession.ts', 'server/graphql/builder.ts'],
  ['server/handoffs/reassignSession.ts', 'server/infra/prisma.ts'],
  ['server/handoffs/reassignSession.ts', 'node_modules/@pothos/core/lib/index.js'],
  ['server/handoffs/reassignSession.ts', 'node_modules/ioredis/built/index.js'],
  ['server/handoffs/reassignSession.ts', 'node_modules/@redis/client/dist/index.js'],
  ['server/handoffs/reassignSession.ts', 'server/generated/prisma/client.ts'],
  ['server/handoffs/schema.ts', 'server/sessions/schema.ts'],
  ['server/handoffs/schema.ts', 'server/infra/prisma.ts'],
  ['server/handoffs/rules.ts', 'server/core/work.ts'],
  ['server/handoffs/rules.ts', 'fs'],
  ['server/core/work.ts', 'server/events/record.ts'],
  ['server/core/work.ts', 'server/infra/log.ts'],
  ['server/events/record.ts', 'server/handoffs/rules.ts'],
  ['server/custody/custody.ts', 'server/handoffs/rules.ts'],
  ['server/custody/custody.ts', 'server/graphql/builder.ts'],
  ['server/infra/env.ts', 'server/core/work.ts'],
  ['server/infra/env.ts', 'server/graphql/context.ts'],
  ['server/app.ts', 'server/handoffs/schema.ts'],
  ['server/limits/plugin.ts', 'server/graphql/schema.ts'],
  ['server/core/work.ts', 'server/limits/rates.ts'],
  ['client/main.tsx', 'server/limits/limits.ts'],
  ['client/main.tsx', 'server/core/ids.ts'],
  ['client/stream/index.ts', 'client/main.tsx'],
  ['client/stream/index.ts', 'server/core/ids.ts'],
  ['client/stream/index.ts', 'node_modules/graphql/index.js'],
  ['client/examples/agent.ts', 'server/core/ids.ts'],
])('%s may not import %s', (from, to) => {
  expect(isAllowed({ from, to, typeOnly: false })).toBe(false);
});

test.each([
  ['server/core/work.ts', 'server/infra/log.ts'],
  ['server/handoffs/rules.ts', 'server/core/work.ts'],
  ['server/handoffs/reassignSession.ts', 'server/generated/prisma/client.ts'],
])('%s may use the types of %s', (from, to) => {
  expect(isAllowed({ from, to, typeOnly: true })).toBe(true);
});
