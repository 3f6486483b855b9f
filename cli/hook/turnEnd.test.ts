import { appendFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { calls, entry } from '../../test/hooks.ts';
import { callIsWritten } from './turnEnd.ts';
import { temporaryFolder } from '../../test/temporary.ts';

const folder = temporaryFolder('baton-turn');

it('a call that hands off waits until its line is in the transcript', async () => {
  const path = join(folder, 'transcript.jsonl');
  writeFileSync(path, `${JSON.stringify(entry('user', 'Dig.'))}\n`);
  const order: string[] = [];
  // Reads the file before it returns.
  const known = callIsWritten(path, 'late').then(() => order.push('known'));
  order.push('written');
  appendFileSync(path, `${JSON.stringify(calls('mcp__baton__baton_handoff', 'late', { target: 'codex-1' }))}\n`);
  await known;
  expect(order).toEqual(['written', 'known']);
});

it('a call whose line does not come is not held up for long', async () => {
  const path = join(folder, 'other.jsonl');
  writeFileSync(path, '');
  await callIsWritten(path, 'never');
});
