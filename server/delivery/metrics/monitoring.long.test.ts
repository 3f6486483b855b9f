import { execFileSync } from 'node:child_process';
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, expect, test } from 'vitest';
import { testDatabase } from '../../../test/database.ts';
import { installMissing, promtoolProgram, requireProgram, systemInstaller } from '../../../test/programs.ts';
import { createMetrics } from './metrics.ts';
import { temporaryFolder } from '../../../test/temporary.ts';

const folder = temporaryFolder('baton-monitoring');
cpSync(fileURLToPath(new URL('../../../docs/monitoring', import.meta.url)), folder, { recursive: true });
const database = await testDatabase();

const read = (name: string): string => readFileSync(join(folder, name), 'utf8');
const promtool = (...args: string[]): string =>
  execFileSync(requireProgram(promtoolProgram), args, { cwd: folder, encoding: 'utf8', stdio: 'pipe' });

interface Dashboard {
  panels: { title: string; targets: { expr: string }[] }[];
}
const expressions = (JSON.parse(read('grafana.json')) as Dashboard).panels.flatMap(({ targets }) =>
  targets.map(({ expr }) => expr),
);

beforeAll(() => {
  const problem = installMissing([promtoolProgram], systemInstaller);
  if (problem !== null) throw new Error(problem);
});

test('each alert fires on its condition and on no other', () => {
  expect(promtool('check', 'rules', 'alerts.yml')).toContain('SUCCESS');
  expect(promtool('test', 'rules', 'alerts.test.yml')).toContain('SUCCESS');
  const tests = read('alerts.test.yml');
  for (const [, name] of read('alerts.yml').matchAll(/alert: (\w+)/g)) expect(tests).toContain(`alertname="${name}"`);
});

test('an alert with another threshold fails the test of rules', () => {
  writeFileSync(
    join(folder, 'alerts.yml'),
    read('alerts.yml').replace('baton_queue_age_seconds) > 900', 'baton_queue_age_seconds) > 9000'),
  );
  expect(() => promtool('test', 'rules', 'alerts.test.yml')).toThrow();
});

test('every expression of the dashboard is valid', () => {
  expect(expressions.length).toBeGreaterThan(20);
  const rules = expressions.map((expr, n) => ({ record: `panel:${n}`, expr }));
  writeFileSync(join(folder, 'panels.yml'), JSON.stringify({ groups: [{ name: 'panels', rules }] }));
  expect(promtool('check', 'rules', 'panels.yml')).toContain(`${expressions.length} rules found`);
});

test('/metrics has every metric that an alert or a panel reads, and Prometheus can read it', async () => {
  const metrics = createMetrics({
    pool: database.pool,
    isPersisted: () => false,
    live: () => ({ sockets: 0, streams: 0, lag: 0, redis: true }),
  });
  const text = await metrics.read();
  metrics.stop();
  const declared = new Set([...text.matchAll(/^# TYPE (\S+) /gm)].map(([, name]) => name));
  const used = [...`${read('alerts.yml')} ${expressions.join(' ')}`.matchAll(/\b(?:baton|nodejs|process)_\w+/g)].map(
    ([name]) => name.replace(/_(bucket|count|sum)$/, ''),
  );
  expect(used.filter((name) => !declared.has(name))).toEqual([]);
  // The names of prom-client's own metrics are not all as promtool wants them.
  const own = text.split('\n').filter((line) => line.includes('baton_'));
  execFileSync(requireProgram(promtoolProgram), ['check', 'metrics'], { input: `${own.join('\n')}\n`, stdio: 'pipe' });
});
