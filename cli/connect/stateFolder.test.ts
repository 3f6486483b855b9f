import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { stateFolder } from './stateFolder.ts';
import { temporaryFolder } from '../../test/temporary.ts';

it.each(['', 'state', './state'])(
  'is in the home when XDG_STATE_HOME is %j, wherever a program is started',
  (given) => {
    const home = temporaryFolder('baton-home');
    vi.stubEnv('HOME', home);
    vi.stubEnv('XDG_STATE_HOME', given);
    expect(stateFolder('hooks')).toBe(join(home, '.local/state/baton/hooks'));
    expect(existsSync('state')).toBe(false);
  },
);

it.each(['/proc/nowhere', '/dev/null'])('says what to do when it cannot be made in %s', (given) => {
  vi.stubEnv('XDG_STATE_HOME', given);
  expect(() => stateFolder()).toThrow(
    /^The folder .* cannot be made or written \(.*\): make it, or name another place in XDG_STATE_HOME$/,
  );
});
