import { execFile } from 'node:child_process';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from './temporary.ts';

const root = resolve(import.meta.dirname, '..');
const table = join(root, '.dependency-cruiser.js');

interface Broken {
  from: string;
  to: string;
  rule: { name: string };
}

/** What the import table refuses in a folder, by dependency-cruiser itself. */
async function broken(folder: string): Promise<Broken[]> {
  const args = [
    join(root, 'node_modules/dependency-cruiser/bin/dependency-cruise.mjs'),
    'server',
    'cli',
    'client',
    '--config',
    table,
    '--output-type',
    'json',
  ];
  const output = await new Promise<string>((resolve, reject) =>
    execFile(process.execPath, args, { cwd: folder, maxBuffer: 100_000_000 }, (error, stdout, stderr) =>
      stdout === '' ? reject(error ?? new Error(stderr)) : resolve(stdout),
    ),
  );
  const { modules, summary } = JSON.parse(output) as {
    modules: { source: string }[];
    summary: { violations: Broken[] };
  };
  // That the reading works at all.
  expect(modules.map(({ source }) => source)).toContain('server/work/custody/rules.ts');
  return summary.violations;
}

test('every import is allowed by the table', async () => {
  expect(await broken(root)).toEqual([]);
}, 150_000);

const refused: [from: string, to: string, rule: string][] = [
  ['server/core/work.ts', 'server/work/events/record.ts', 'core'],
  ['server/core/work.ts', 'server/infra/limits/rates.ts', 'core'],
  ['server/core/work.ts', 'server/infra/log.ts', 'up-from-core'],
  ['server/infra/log.ts', 'server/reads/compile.ts', 'up-from-infra'],
  ['server/reads/compile.ts', 'server/work/keys/watch.ts', 'up-from-reads'],
  ['server/work/keys/watch.ts', 'server/delivery/live/hub.ts', 'up-from-work'],
  ['server/delivery/live/hub.ts', 'server/api/live/schema.ts', 'up-from-delivery'],
  ['server/api/live/schema.ts', 'server/app/app.ts', 'up-from-api'],
  ['server/reads/compile.ts', 'server/work/events/record.ts', 'reads'],
  ['server/work/redaction/redact.ts', 'server/core/work.ts', 'redaction'],
  ['server/api/graphiql/tabs.ts', 'server/core/work.ts', 'graphiql'],
  ['server/infra/env.ts', 'server/api/graphql/context.ts', 'infra'],
  ['server/api/access/guard.ts', 'server/api/graphql/builder.ts', 'access-to-fields'],
  ['server/work/access/rules.ts', 'server/work/events/record.ts', 'access'],
  ['server/work/events/record.ts', 'server/work/handoffs/handOver.ts', 'events'],
  ['server/infra/limits/plugin.ts', 'server/api/graphql/schema.ts', 'limits'],
  ['server/delivery/webhooks/send.ts', 'server/infra/log.ts', 'sending'],
  ['server/delivery/exports/archive.ts', 'server/work/events/record.ts', 'exports'],
  ['server/delivery/metrics/metrics.ts', 'server/infra/log.ts', 'metrics'],
  ['server/delivery/traces/traces.ts', 'server/infra/log.ts', 'traces'],
  ['server/app/compose.ts', 'server/delivery/traces/traces.ts', 'otel-in-traces'],
  ['server/work/context/pack.ts', 'server/work/custody/custody.ts', 'context'],
  ['server/work/custody/custody.ts', 'server/work/handoffs/handOver.ts', 'custody'],
  ['server/work/custody/custody.ts', 'server/api/graphql/builder.ts', 'custody'],
  ['server/work/handoffs/reassignSession.ts', 'server/api/graphql/builder.ts', 'commands'],
  ['server/work/handoffs/reassignSession.ts', 'server/infra/prisma.ts', 'commands'],
  ['server/work/handoffs/reassignSession.ts', 'server/api/handoffs/schema.ts', 'doors-from-outside'],
  ['server/work/handoffs/reassignSession.ts', 'node_modules/@pothos/core/index.js', 'graphql-at-doors'],
  ['server/work/handoffs/reassignSession.ts', 'node_modules/ioredis/index.js', 'redis-in-live'],
  ['server/work/handoffs/reassignSession.ts', 'server/generated/prisma/client.ts', 'prisma-in-infra'],
  ['server/work/handoffs/reassignSession.ts', 'test/world.ts', 'commands'],
  ['server/api/handoffs/schema.ts', 'server/api/sessions/schema.ts', 'doors-apart'],
  ['server/api/handoffs/schema.ts', 'server/infra/prisma.ts', 'doors'],
  ['server/work/custody/mayChangeHands.ts', 'server/core/work.ts', 'rules-pure'],
  ['server/work/custody/mayChangeHands.ts', 'server/work/custody/read.ts', 'rules-pure'],
  ['server/work/custody/rules.ts', 'fs', 'rules-pure'],
  ['server/api/graphql/builder.ts', 'server/work/events/record.ts', 'graphql'],
  ['server/api/graphql/builder.ts', 'server/infra/prisma.ts', 'graphql-types'],
  ['server/delivery/live/hub.ts', 'server/work/handoffs/reassignSession.ts', 'live'],
  ['server/api/mcp/tools.ts', 'server/work/handoffs/initiateHandoff.ts', 'mcp'],
  ['server/app/app.ts', 'server/api/handoffs/schema.ts', 'app'],
  ['server/api/engine.ts', 'server/delivery/live/sockets.ts', 'engine'],
  ['server/app/commands/key.ts', 'server/api/handoffs/schema.ts', 'app-commands'],
  ['server/infra/migrate.ts', 'cli/output.ts', 'infra'],
  ['cli/watch.ts', 'server/infra/env.ts', 'cli'],
  ['cli/watch.ts', 'server/work/handoffs/initiateHandoff.ts', 'cli'],
  ['cli/watch.ts', 'server/app/commands/key.ts', 'cli'],
  ['cli/hook.ts', 'server/core/ids.ts', 'hook-alone'],
  ['cli/hook/send.ts', 'node_modules/graphql/index.js', 'hook-alone'],
  ['cli/run/models.ts', 'cli/run/vendorModel.ts', 'ai-in-run'],
  ['server/unheard/of.ts', 'server/core/ids.ts', 'no-row'],
  ['server/work/custody/one.ts', 'server/work/custody/other.ts', 'no-circle'],
  ['client/main.tsx', 'server/core/limits.ts', 'client'],
  ['client/main.tsx', 'server/core/ids.ts', 'client'],
  ['client/main.tsx', 'server/work/tools/changeTool.ts', 'client'],
  ['client/stream/index.ts', 'client/main.tsx', 'client-stream'],
  ['client/stream/index.ts', 'server/core/ids.ts', 'client-stream'],
  ['client/stream/index.ts', 'node_modules/graphql/index.js', 'graphql-at-doors'],
  ['client/api/request.ts', 'server/core/ids.ts', 'client-api'],
  ['client/examples/agent.ts', 'server/core/ids.ts', 'client-examples'],
];

/** Their types alone. */
const allowed: [from: string, to: string][] = [
  ['server/work/log/rules.ts', 'server/core/work.ts'],
  ['server/work/handoffs/handOver.ts', 'server/generated/prisma/client.ts'],
  ['server/infra/prisma.ts', 'server/core/rows.ts'],
  ['server/api/graphql/context.ts', 'server/infra/log.ts'],
];

const importOf = (from: string, to: string, kind = 'import'): string => {
  const name = to.startsWith('node_modules/')
    ? to.replace(/^node_modules\/|\/index\.js$/g, '')
    : to.includes('/')
      ? relative(dirname(from), to).replace(/^(?!\.)/, './')
      : `node:${to}`;
  return `${kind}'${name}';\n`;
};

/** A folder in which each file imports what it may not. */
async function sampleProject(): Promise<string> {
  const folder = temporaryFolder('baton-imports');
  const files = new Map<string, string>();
  const add = (path: string, text: string): void => {
    if (path.includes('/')) files.set(path, (files.get(path) ?? '') + text);
    if (path.startsWith('node_modules/')) files.set(path.replace('index.js', 'package.json'), '{"main":"index.js"}');
  };
  for (const [from, to] of refused) {
    add(from, importOf(from, to, 'import '));
    add(to, '');
  }
  for (const [from, to] of allowed) {
    add(from, importOf(from, to, 'import type { Some } from '));
    add(to, '');
  }
  // The way back of the circle.
  add(
    'server/work/custody/other.ts',
    importOf('server/work/custody/other.ts', 'server/work/custody/one.ts', 'import '),
  );
  for (const [path, text] of files) {
    await mkdir(join(folder, dirname(path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
  await symlink(join(root, 'tsconfig.json'), join(folder, 'tsconfig.json'));
  return folder;
}

test('the table rejects an import against each rule, and allows the listed type imports', async () => {
  const found = (await broken(await sampleProject())).map(
    ({ from, to, rule }) => `${from} imports ${to}: ${rule.name}`,
  );
  expect(
    refused.map(([from, to, name]) => `${from} imports ${to}: ${name}`).filter((line) => !found.includes(line)),
  ).toEqual([]);
  for (const [from, to] of allowed)
    expect(found.filter((line) => line.startsWith(`${from} imports ${to}:`))).toEqual([]);
  const { default: rules } = (await import(table)) as { default: { forbidden: { name: string }[] } };
  expect([...new Set(refused.map(([, , name]) => name))].sort()).toEqual(
    [...new Set(rules.forbidden.map(({ name }) => name))].sort(),
  );
}, 60_000);
