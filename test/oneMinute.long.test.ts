import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { bundled } from './bundle.ts';
import { codingTool } from './codingTools.ts';
import { atEnd, testDatabase } from './database.ts';
import { blocksOf, textOf } from './docs/blocks.ts';
import { Samples } from './docs/samples.ts';
import { runShell } from './docs/shell.ts';
import { scriptedModel } from './scriptedModel.ts';
import { temporaryFolder } from './temporary.ts';

vi.setConfig({ testTimeout: 240_000 });

const claude = codingTool('Claude Code');
const file = 'docs/agents.md';
const before = textOf(file)
  .split('\n')
  .findIndex((line) => line === '## Connect a coding tool');
/** The commands of "One minute", with what each prints. */
const commands = blocksOf(file).filter(({ language, line }) => language === 'sh' && line < before);

/** Whether the output has the lines of the sample; a line `...` stands for any lines. */
function expectLines(sample: string, output: string): void {
  const lines = output.split('\n');
  let from = 0;
  for (const part of sample.split(/^\.\.\.$/m).map((each) => each.trim())) {
    if (part === '') continue;
    const wanted = part.split('\n');
    const at = lines.findIndex(
      (_, index) => index >= from && wanted.every((line, offset) => lines[index + offset] === line),
    );
    expect(
      at,
      `these lines of the sample are not in the output:\n${wanted.join('\n')}\n\nThe output:\n${output}`,
    ).toBeGreaterThanOrEqual(0);
    from = at + wanted.length;
  }
}

it.skipIf(claude === null)(
  'the recording of one minute in docs/agents.md is what the commands print with the real Claude Code',
  async () => {
    const root = temporaryFolder('baton-minute');
    const [bin, folder, home] = ['bin', 'shop', 'home'].map((name) => join(root, name)) as [string, string, string];
    for (const path of [bin, folder, home]) mkdirSync(path);
    execFileSync('git', ['init', '--quiet', '--initial-branch', 'main', folder]);
    writeFileSync(join(folder, 'login.test.js'), "await click('Sign in');\nexpect(cookie()).toBe('session');\n");
    const model = await scriptedModel([
      { calls: [{ id: 'toolu_1', name: 'Read', arguments: { file_path: join(folder, 'login.test.js') } }] },
      {
        calls: [
          {
            id: 'toolu_2',
            name: 'Edit',
            arguments: {
              file_path: join(folder, 'login.test.js'),
              old_string: "await click('Sign in');",
              new_string: "await click('Sign in');\nawait cookieIsSet();",
            },
          },
        ],
      },
      {
        text: 'The test waits for the cookie now.',
        calls: [
          {
            id: 'toolu_3',
            name: 'mcp__baton__transfer_to_reviewer-1',
            arguments: { reason: 'Please review the wait for the cookie.' },
          },
        ],
      },
      { text: 'The test waits for the cookie now, and reviewer-1 has it.' },
    ]);
    const program = await bundled('cli/baton.ts');
    writeFileSync(join(bin, 'baton'), `#!/bin/sh\nexec '${process.execPath}' '${program}' "$@"\n`, { mode: 0o755 });
    writeFileSync(join(bin, 'claude'), `#!/bin/sh\nexec '${claude}' "$@" </dev/null\n`, { mode: 0o755 });
    const database = await testDatabase();
    const env: Record<string, string> = {
      PATH: `${bin}:${process.env['PATH']}`,
      HOME: home,
      XDG_STATE_HOME: join(home, 'state'),
      DATABASE_URL: database.url,
      PORT: '0',
      BATON_DEMO: '1',
    };
    Object.assign(env, {
      ANTHROPIC_BASE_URL: model.url,
      ANTHROPIC_API_KEY: 'none',
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      DISABLE_TELEMETRY: '1',
      DISABLE_AUTOUPDATER: '1',
    });
    let samples = new Samples('');

    expect(commands.map(({ text }) => text.split(' ').slice(0, 2).join(' '))).toEqual([
      'baton start',
      'baton connect',
      'claude -p',
      'baton inbox',
    ]);
    for (const { text, until, sample } of commands) {
      const running = await runShell(`cd '${folder}'\n${text}`, env, until);
      if (until !== undefined) {
        atEnd(() => running.stop());
        const { url } = JSON.parse(
          running
            .stdout()
            .split('\n')
            .find((line) => line.includes('"url":'))!,
        ) as { url: string };
        samples = new Samples(url);
        env['BATON_URL'] = url;
      } else await running.stop();
      const { expected, actual } = samples.compare(sample!, running.stdout());
      expectLines(expected as string, actual as string);
    }
  },
);
