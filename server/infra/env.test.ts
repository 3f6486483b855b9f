import { describe, expect, test } from 'vitest';
import { limits } from '../core/limits.ts';
import { isLoopback, readEnv } from './env.ts';
import { StartError } from '../core/startError.ts';

describe('the environment', () => {
  test('nothing set gives the defaults of the table', () => {
    expect(readEnv({})).toEqual({
      host: '127.0.0.1',
      port: 4000,
      databaseUrl: undefined,
      replicaUrl: undefined,
      prepared: true,
      dataFolder: '.baton',
      adminKey: undefined,
      redisUrls: undefined,
      allowedOrigins: [],
      basePath: '',
      trustedProxies: 0,
      heartbeatMs: 10_000,
      staleAfterMinutes: 30,
      approveWithinMinutes: 1_440,
      handoffsEnabled: true,
      contextPressure: 80,
      keepDays: undefined,
      archiveFolder: undefined,
      ratePerMinute: limits.rate.perMinute,
      eventLog: undefined,
      eventLogBytes: 100 * 1024 * 1024,
      webhookKey: undefined,
      webhookAllow: [],
      persistedOnly: false,
      demo: undefined,
      logLevel: 'info',
      traces: null,
      warnings: [],
    });
  });

  test('a replica needs a database of its own, and its password is not shown', () => {
    const DATABASE_REPLICA_URL = 'postgresql://baton:secret@standby/baton';
    expect(readEnv({ DATABASE_URL: 'postgresql://primary/baton', DATABASE_REPLICA_URL })).toMatchObject({
      replicaUrl: DATABASE_REPLICA_URL,
    });
    expect(() => readEnv({ DATABASE_REPLICA_URL })).toThrow('DATABASE_REPLICA_URL needs DATABASE_URL');
    expect(() => readEnv({ DATABASE_REPLICA_URL: 'mysql://baton:secret@standby' })).toThrow(
      /^DATABASE_REPLICA_URL must look like postgresql:(?!.*secret)/,
    );
  });

  test('an empty value is one that is not set', () => {
    expect(readEnv({ PORT: '', DATABASE_URL: '', BATON_DEMO: '' })).toEqual(readEnv({}));
  });

  test('values are taken as they are meant', () => {
    expect(
      readEnv({
        HOST: '::1',
        PORT: '0',
        REDIS_URL: 'redis://one:6379, rediss://user:p%40ss@two.example:7000/0',
        BATON_ALLOWED_ORIGINS: 'https://Baton.example.com,http://localhost:5173',
        BATON_HEARTBEAT_SECONDS: '0.5',
        BATON_STALE_AFTER_MINUTES: '0.5',
        BATON_HANDOFFS_ENABLED: '0',
        BATON_CONTEXT_PRESSURE: '0',
        BATON_RATE_AGENT_WRITES: '1200',
        BATON_RATE_ANALYST_READS: '1',
        BATON_KEEP_DAYS: '90',
        BATON_ARCHIVE_DIR: '/srv/handoffs',
        BATON_EVENT_LOG: '/var/log/baton.jsonl',
        BATON_EVENT_LOG_MB: '5',
        BATON_WEBHOOK_ALLOW: '10.0.0.0/8, ::1',
        BATON_DEMO: '1',
        LOG_LEVEL: 'debug',
      }),
    ).toMatchObject({
      redisUrls: ['redis://one:6379', 'rediss://user:p%40ss@two.example:7000/0'],
      allowedOrigins: ['https://baton.example.com', 'http://localhost:5173'],
      heartbeatMs: 500,
      host: '::1',
      port: 0,
      staleAfterMinutes: 0.5,
      handoffsEnabled: false,
      contextPressure: 0,
      ratePerMinute: {
        AGENT: { read: 600, write: 1_200 },
        ANALYST: { read: 1, write: 60 },
        ADMIN: { read: 6_000, write: 6_000 },
      },
      keepDays: 90,
      archiveFolder: '/srv/handoffs',
      eventLog: '/var/log/baton.jsonl',
      eventLogBytes: 5 * 1024 * 1024,
      webhookAllow: ['10.0.0.0/8', '::1'],
      demo: true,
      logLevel: 'debug',
    });
  });

  test.each([
    [
      'REDIS_URL',
      'http://:secret@localhost',
      'REDIS_URL must look like redis://user:password@host:6379 or rediss://..., for a cluster several with commas between them',
    ],
    [
      'REDIS_URL',
      'redis://:secret@a,b',
      'REDIS_URL must look like redis://user:password@host:6379 or rediss://..., for a cluster several with commas between them',
    ],
    [
      'BATON_ALLOWED_ORIGINS',
      'https://a.example/path',
      "BATON_ALLOWED_ORIGINS must be origins such as https://baton.example.com, with commas between them and no path, not 'https://a.example/path'",
    ],
    [
      'BATON_ALLOWED_ORIGINS',
      '*',
      "BATON_ALLOWED_ORIGINS must be origins such as https://baton.example.com, with commas between them and no path, not '*'",
    ],
    [
      'BATON_WEBHOOK_KEY',
      'too short',
      'BATON_WEBHOOK_KEY must be 32 to 512 characters, ASCII without spaces: make one with "openssl rand -base64 32"',
    ],
    [
      'BATON_WEBHOOK_ALLOW',
      '10.0.0.0/8,localhost',
      "BATON_WEBHOOK_ALLOW must be addresses or networks such as 10.0.0.0/8, with commas between them, not '10.0.0.0/8,localhost'",
    ],
    ['BATON_KEEP_DAYS', '0', "BATON_KEEP_DAYS must be a whole number of days from 1 to 99999, not '0'"],
    ['BATON_HEARTBEAT_SECONDS', '15', "BATON_HEARTBEAT_SECONDS must be a number of seconds from 0.1 to 12, not '15'"],
    [
      'BATON_RATE_AGENT_WRITES',
      '0',
      "BATON_RATE_AGENT_WRITES must be a number of requests a minute from 1 to 9999999, not '0'",
    ],
    [
      'BATON_BASE_PATH',
      'baton',
      "BATON_BASE_PATH must be a path such as /baton, of letters, digits, -, _, . and ~, not 'baton'",
    ],
    [
      'BATON_BASE_PATH',
      '//evil.example',
      "BATON_BASE_PATH must be a path such as /baton, of letters, digits, -, _, . and ~, not '//evil.example'",
    ],
    [
      'BATON_BASE_PATH',
      '/a/../b',
      "BATON_BASE_PATH must be a path such as /baton, of letters, digits, -, _, . and ~, not '/a/../b'",
    ],
    [
      'BATON_TRUST_PROXY',
      'true',
      "BATON_TRUST_PROXY must be the number of proxies in front of Baton, 0 to 9, not 'true'",
    ],
    ['PORT', '65536', "PORT must be a number from 0 to 65535 (0 takes a free one), not '65536'"],
    ['PORT', '4e3', "PORT must be a number from 0 to 65535 (0 takes a free one), not '4e3'"],
    [
      'BATON_ADMIN_KEY',
      'x'.repeat(31),
      'BATON_ADMIN_KEY must be 32 to 512 characters, ASCII without spaces: make one with "openssl rand -base64 32"',
    ],
    [
      'BATON_ADMIN_KEY',
      `${'x'.repeat(32)} y`,
      'BATON_ADMIN_KEY must be 32 to 512 characters, ASCII without spaces: make one with "openssl rand -base64 32"',
    ],
    [
      'BATON_STALE_AFTER_MINUTES',
      '0',
      "BATON_STALE_AFTER_MINUTES must be a number of minutes, above 0 and at most 525600 (a year), not '0'",
    ],
    [
      'BATON_CONTEXT_PRESSURE',
      '100',
      "BATON_CONTEXT_PRESSURE must be a whole number of percent from 1 to 99, or 0 for off, not '100'",
    ],
    ['BATON_HANDOFFS_ENABLED', 'yes', "BATON_HANDOFFS_ENABLED must be 0 or 1, not 'yes'"],
    ['LOG_LEVEL', 'loud', "LOG_LEVEL must be one of trace, debug, info, warn, error, fatal, silent, not 'loud'"],
    [
      'DATABASE_URL',
      'mysql://u:secret@h/d',
      'DATABASE_URL must look like postgresql://user:password@host:5432/database',
    ],
  ])('%s=%s is refused in one line', (name, value, line) => {
    expect(() => readEnv({ [name]: value })).toThrow(new StartError(line));
  });

  test.each([
    ['/', ''],
    ['/baton', '/baton'],
    ['/tools/baton.v1/', '/tools/baton.v1'],
  ])('reads the base path %s as "%s"', (value, basePath) =>
    expect(readEnv({ BATON_BASE_PATH: value })).toMatchObject({ basePath }),
  );

  test('names unknown settings with the nearest known one, and no values', () => {
    const { warnings } = readEnv({
      BATON_ARCHIV_DIR: 'secret',
      BATON_ADMINKEY: 'secret',
      BATON_KEY: 'secret',
      BATON_URL: 'http://127.0.0.1:4000',
      OTHER: 'x',
      BATON_DEMO: '1',
    });
    expect(warnings).toEqual([
      'BATON_ARCHIV_DIR is not a setting and has no effect: the nearest setting is BATON_ARCHIVE_DIR',
      'BATON_ADMINKEY is not a setting and has no effect: the nearest setting is BATON_ADMIN_KEY',
    ]);
  });

  test('every bad value has its line', () => {
    expect(() => readEnv({ PORT: 'x', BATON_DEMO: 'x' })).toThrow(/^PORT [^\n]+\nBATON_DEMO [^\n]+$/);
  });

  test.each(['127.0.0.1', '127.1.2.255', '::1', 'localhost'])('%s is this machine', (host) =>
    expect(isLoopback(host)).toBe(true),
  );
  test.each([
    '0.0.0.0',
    '::',
    '10.0.0.1',
    '127.0.0.256',
    '127.0.0.1.example.com',
    'localhost.example.com',
    '127.1',
    '',
  ])('"%s" may not be', (host) => expect(isLoopback(host)).toBe(false));
});
