import { describe, expect, it } from 'vitest';
import { installMissing, type Installer, type Program, requireProgram } from './programs.ts';

const program = (name: string, installed: { there: boolean }): Program => ({
  name,
  package: name.toLowerCase(),
  advice: `install ${name} yourself`,
  find: () => (installed.there ? `/bin/${name}` : undefined),
});
const locked = Object.assign(new Error(), {
  stderr: 'E: Could not get lock /var/lib/dpkg/lock-frontend. It is held by process 7 (apt-get)',
});

function machine({ isRoot = true, fails = [] as (Error | undefined)[], installs = true } = {}) {
  const [redis, chromium] = [{ there: false }, { there: false }];
  const ran: string[] = [];
  const said: string[] = [];
  let waits = 0;
  const installer: Installer = {
    isRoot,
    run(name, args) {
      ran.push([name, ...args.filter((arg) => !arg.startsWith('-'))].join(' '));
      const failure = fails.shift();
      if (failure !== undefined) throw failure;
      if (args[0] === 'install' && installs) for (const one of [redis, chromium]) one.there = true;
    },
    say: (line) => void said.push(line),
    wait: () => void (waits += 1),
  };
  const programs = [program('Redis', redis), program('Chromium', chromium)];
  return {
    redis,
    chromium,
    ran,
    said,
    installer,
    programs,
    install: () => installMissing(programs, installer),
    get waits() {
      return waits;
    },
  };
}

describe('installMissing', () => {
  it('does nothing when every program is there', () => {
    const { redis, chromium, install, ran } = machine();
    redis.there = chromium.there = true;
    expect([install(), ran]).toEqual([null, []]);
  });

  it('installs all missing programs in one run, and prints it', () => {
    const { install, ran, said } = machine();
    expect(install()).toBeNull();
    expect(ran).toEqual(['apt-get update', 'apt-get install redis chromium']);
    expect(said).toEqual(['Redis and Chromium are missing: installing with apt-get']);
  });

  it('installs the other package of a program where the system does not have the first', () => {
    const { installer, programs, ran } = machine({
      fails: [undefined, Object.assign(new Error(), { stderr: 'E: Unable to locate package chromium\n' })],
    });
    const [redis, chromium] = programs as [Program, Program];
    expect(installMissing([redis, { ...chromium, otherPackage: 'chromium-browser' }], installer)).toBeNull();
    expect(ran).toEqual(['apt-get update', 'apt-get install redis chromium', 'apt-get install redis chromium-browser']);
  });

  it('waits while another package manager holds a lock', () => {
    const tried = machine({ fails: [locked, undefined, locked, locked] });
    expect(tried.install()).toBeNull();
    expect(tried.ran).toEqual([
      'apt-get update',
      'apt-get update',
      'apt-get install redis chromium',
      'apt-get install redis chromium',
      'apt-get install redis chromium',
    ]);
    expect(tried.waits).toBe(3);
  });

  it.each([
    [
      'without root',
      { isRoot: false },
      /^The tests need Redis and Chromium: install Redis yourself; install Chromium yourself$/,
    ],
    [
      'when apt-get fails',
      { fails: [Object.assign(new Error(), { stderr: 'W: x\nE: Unable to locate package redis\n' })] },
      /\(apt-get failed: E: Unable to locate package redis\)$/,
    ],
    ['when apt-get cannot be run', { fails: [new Error('ENOENT')] }, /\(apt-get failed\)$/],
    ['when it is still not found', { installs: false }, /still not found/],
  ])('returns one clear line %s', (_when, options, line) => {
    const answer = machine(options).install();
    expect(answer).toMatch(line);
    expect(answer).not.toContain('\n');
  });
});

it('requireProgram prints how to install a missing program', () => {
  expect(() => requireProgram(program('Redis', { there: false }))).toThrow(
    'Redis is missing: run npm test, which installs it as root, or install Redis yourself',
  );
});
